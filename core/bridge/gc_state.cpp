#include "core/bridge/gc_state.hpp"

#include <algorithm>
#include <memory>

#include "core/bridge/position.hpp"

namespace ouro::bridge {
namespace {

struct DropReference {
    void operator()(PyObject* op) const { Py_XDECREF(op); }
};
using Owned = std::unique_ptr<PyObject, DropReference>;

// `gc.NAME` or, with `call`, `gc.NAME()`. Null without an exception.
Owned ask(PyObject* module, const char* name, bool call) {
    Owned answer(call ? PyObject_CallMethod(module, name, nullptr)
                      : PyObject_GetAttrString(module, name));
    if (answer == nullptr) {
        PyErr_Clear();
    }
    return answer;
}

// Whether item `key` of the dict is that number.
bool says(PyObject* dict, const char* key, Py_ssize_t number) {
    PyObject* item = PyDict_GetItemString(dict, key);
    return item != nullptr && PyLong_AsSsize_t(item) == number;
}

bool thresholds_agree(const GcState& state, PyObject* module) {
    const Owned tuple = ask(module, "get_threshold", true);
    if (tuple == nullptr || !PyTuple_Check(tuple.get()) ||
        PyTuple_GET_SIZE(tuple.get()) != kGenerations) {
        return false;
    }
    for (size_t i = 0; i < kGenerations; ++i) {
        const auto at = static_cast<Py_ssize_t>(i);
        if (PyLong_AsLong(PyTuple_GET_ITEM(tuple.get(), at)) != state.generations[i].threshold) {
            return false;
        }
    }
    return true;
}

#if PY_VERSION_HEX < 0x030F0000
bool has_statistics(const GcState&) {
    return true;
}
#else
template <class Last>
bool has_newest(const Last& last) {
    return last.newest >= 0 && static_cast<size_t>(last.newest) < last.of.size();
}
bool has_statistics(const GcState& state) {
    return state.history != nullptr && has_newest(state.history->young) &&
           std::ranges::all_of(state.history->others,
                               [](const auto& it) { return has_newest(it); });
}
#endif

bool statistics_agree(GcState& state, PyObject* module) {
    if (!has_statistics(state)) {
        return false;
    }
    const Owned list = ask(module, "get_stats", true);
    if (list == nullptr || !PyList_Check(list.get()) ||
        PyList_GET_SIZE(list.get()) != kGenerations) {
        return false;
    }
    for (size_t i = 0; i < kGenerations; ++i) {
        PyObject* dict = PyList_GET_ITEM(list.get(), static_cast<Py_ssize_t>(i));
        const auto& own = state.statistics(static_cast<int>(i));
        if (!PyDict_Check(dict) || !says(dict, "collections", own.collections) ||
            !says(dict, "collected", own.collected) ||
            !says(dict, "uncollectable", own.uncollectable)) {
            return false;
        }
    }
    return true;
}

// Some members of a list, whose links must point at each other.
bool is_whole(const GcHead* list) {
    constexpr int looked_at = 64;
    const GcHead* at = list;
    for (int i = 0; i < looked_at; ++i) {
        const GcHead* next = next_of(at);
        if (next == nullptr || prev_of(next) != at) {
            return false;
        }
        at = next;
        if (at == list) {
            break;
        }
    }
    return true;
}

bool lists_are_whole(GcState& state) {
    for (int i = 0; i < kGenerations; ++i) {
        if (!is_whole(state.list(i))) {
            return false;
        }
    }
    return is_whole(&state.permanent.head);
}

// What is where we believe it, in the order in which a wrong layout would be noticed before it is followed far.
const char* disagreement(GcState& state, PyObject* module) {
    if (state.generation0 != state.list(GcState::kYoung)) {
        return "its youngest generation is not where it should be";
    }
    if (!thresholds_agree(state, module)) {
        return "its thresholds are not where they should be";
    }
    if (state.garbage == nullptr || state.garbage != ask(module, "garbage", false).get() ||
        state.callbacks == nullptr || state.callbacks != ask(module, "callbacks", false).get()) {
        return "its lists of garbage and callbacks are not where they should be";
    }
    if (!statistics_agree(state, module)) {
        return "its statistics are not where they should be";
    }
    if (state.collecting != 0) {
        return "a collection is going on";
    }
    if (!lists_are_whole(state) || state.long_lived_total < 0 || state.long_lived_pending < 0) {
        return "its lists of objects are not as they should be";
    }
    return nullptr;
}

}  // namespace

GcState* find_gc_state(std::string& why) {
    const Owned module(PyImport_ImportModule("gc"));
    const Owned newest(new_position());
    if (module == nullptr || newest == nullptr) {
        PyErr_Clear();
        why = "the gc module cannot be used";
        return nullptr;
    }
    // The newest object's next is the head of the youngest generation, with which the state begins.
    auto* state = reinterpret_cast<GcState*>(next_of(head_of(newest.get())));
    if (const char* found = disagreement(*state, module.get())) {
        why = std::string("this interpreter's collector is laid out in another way: ") + found;
        return nullptr;
    }
    PyObject_GC_UnTrack(newest.get());
    if (is_tracked(newest.get())) {
        why = "this interpreter's collector marks otherwise what it does not track";
        return nullptr;
    }
    return state;
}

}  // namespace ouro::bridge
