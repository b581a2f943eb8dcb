#include "core/collector/observed.hpp"

#include <atomic>
#include <mutex>
#include <optional>

#include "core/collector/collecting.hpp"
#include "core/collector/freeze.hpp"
#include "core/collector/visible.hpp"
#include "core/event/events.hpp"
#include "core/mutator/world.hpp"

namespace ouro::collector {
namespace {

std::atomic<int> flags{0};

// Never destroyed: the collector's thread may use it while the process exits.
std::mutex& statistics_mutex = *new std::mutex;
std::array<Statistics, kGenerations> all_statistics{};

// Until the runtime ends; nullptr before somebody asks for it.
PyObject* callback_list = nullptr;

PyObject* load_callbacks() {
    return __atomic_load_n(&callback_list, __ATOMIC_ACQUIRE);
}

// Pre: no exception is set.
void call_back(const char* phase, const Outcome& outcome) {
    PyObject* list = load_callbacks();
    if (list == nullptr || PyList_Size(list) == 0) {
        return;
    }
    PyObject* info = Py_BuildValue("{sisnsn}", "generation",
                                   static_cast<int>(event::generation_of(outcome.scope)),
                                   "collected", static_cast<Py_ssize_t>(outcome.collected),
                                   "uncollectable", static_cast<Py_ssize_t>(outcome.uncollectable));
    PyObject* name = info == nullptr ? nullptr : PyUnicode_FromString(phase);
    if (name == nullptr) {
        Py_XDECREF(info);
        PyErr_FormatUnraisable("Exception ignored on invoking gc callbacks");
        return;
    }
    // The callbacks may change the list.
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
        PyObject* callback = PyList_GetItemRef(list, i);
        if (callback == nullptr) {
            PyErr_Clear();  // it has become shorter
            break;
        }
        PyObject* result = PyObject_CallFunctionObjArgs(callback, name, info, nullptr);
        if (result == nullptr) {
            PyErr_WriteUnraisable(callback);
        }
        Py_XDECREF(result);
        Py_DECREF(callback);
    }
    Py_DECREF(name);
    Py_DECREF(info);
}

// Callbacks and what is written are user code, of a collection that has begun: nobody need wait for it.
class InObserver {
public:
    InObserver() {
        collection_begins();
        if (is_collecting_thread()) {
            code_.emplace();
        }
    }

private:
    std::optional<InCode> code_;
};

void print_generations() {
    std::array<Py_ssize_t, kGenerations> objects{};
    {
        const mutator::Stopped stopped;
        for_each_visible(Frozen::kLeftOut, [&](PyObject*, uint32_t slot) {
            ++objects[static_cast<size_t>(generation_of(slot))];
            return true;
        });
    }
    PySys_FormatStderr("gc: objects in each generation: %zd %zd %zd\n"
                       "gc: objects in permanent generation: %zd\n",
                       objects[0], objects[1], objects[2], static_cast<Py_ssize_t>(frozen_count()));
}

}  // namespace

int debug_flags() {
    return flags.load(std::memory_order_relaxed);
}

void set_debug_flags(int value) {
    flags.store(value, std::memory_order_relaxed);
}

std::array<Statistics, kGenerations> statistics() {
    const std::lock_guard guard(statistics_mutex);
    return all_statistics;
}

void note_outcome(const Outcome& outcome) {
    const std::lock_guard guard(statistics_mutex);
    Statistics& its = all_statistics[event::generation_of(outcome.scope)];
    ++its.collections;
    its.collected += outcome.collected;
    its.uncollectable += outcome.uncollectable;
}

PyObject* callbacks() {
    PyObject* list = load_callbacks();
    if (list == nullptr) {
        PyObject* made = PyList_New(0);
        if (made == nullptr || __atomic_compare_exchange_n(&callback_list, &list, made, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            return made;
        }
        Py_DECREF(made);  // another thread was first
    }
    return list;
}

bool is_observed() {
    return load_callbacks() != nullptr || (debug_flags() & kDebugStats) != 0;
}

void tell_start(event::Scope scope) {
    const InObserver here;
    call_back("start", {scope});
    if ((debug_flags() & kDebugStats) != 0) {
        PySys_WriteStderr("gc: collecting generation %d...\n",
                          static_cast<int>(event::generation_of(scope)));
        print_generations();
    }
}

void tell_stop(const Outcome& outcome) {
    const InObserver here;
    if ((debug_flags() & kDebugStats) != 0) {
        PySys_WriteStderr("gc: done, %zd unreachable, %zd uncollectable, %.4fs elapsed\n",
                          static_cast<Py_ssize_t>(outcome.collected + outcome.uncollectable),
                          static_cast<Py_ssize_t>(outcome.uncollectable),
                          static_cast<double>(event::monotonic_ns() - outcome.start_ns) * 1e-9);
    }
    call_back("stop", outcome);
}

void tell_objects(const char* what, PyObject* const* objects, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        PySys_FormatStderr("gc: %s <%s %p>\n", what, Py_TYPE(objects[i])->tp_name, objects[i]);
    }
}

void start_observing() {
    set_debug_flags(0);
    const std::lock_guard guard(statistics_mutex);
    all_statistics = {};
}

void forget_callbacks() {
    set_debug_flags(0);
    if (PyObject* list = load_callbacks()) {
        (void)PyList_Clear(list);
    }
}

void stop_observing() {
    Py_CLEAR(callback_list);
}

}  // namespace ouro::collector
