// Starting and ending the runtime, and its settings.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api/fork.hpp"
#include "core/api/interpreter_dict.hpp"
#include "core/api/leaks.hpp"
#include "core/api/pending_calls.hpp"
#include "core/builtins/container/dict_watch.hpp"
#include "core/builtins/container/memoryview.hpp"
#include "core/builtins/context/context.hpp"
#include "core/builtins/context/context_module.hpp"
#include "core/builtins/module/import.hpp"
#include "core/builtins/module/import_lock.hpp"
#include "core/builtins/module/own_modules.hpp"
#include "core/builtins/module/spec.hpp"
#include "core/builtins/text/codec_registry.hpp"
#include "core/builtins/type/ready.hpp"
#include "core/builtins/type/type_watchers.hpp"
#include "core/collector/collector.hpp"
#include "core/collector/freeze.hpp"
#include "core/collector/legacy.hpp"
#include "core/collector/observed.hpp"
#include "core/event/events.hpp"
#include "core/heap/fault.hpp"
#include "core/heap/heap.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/misuse.hpp"
#include "core/mutator/world.hpp"
#include "core/object/merge_queues.hpp"
#include "core/option/settings.hpp"
#include "ouroboros/version.h"

using namespace ouro;

namespace {

// Any thread may ask.
std::atomic<bool> initialised{false};

// Set while Py_FinalizeEx runs; any thread may ask.
std::atomic<bool> finalizing{false};

PyTypeObject* const kBuiltinTypes[] = {&PyBaseObject_Type,
                                       &PyType_Type,
                                       &PyLong_Type,
                                       &PyBool_Type,
                                       &PyFloat_Type,
                                       &PyComplex_Type,
                                       &PyUnicode_Type,
                                       &PyBytes_Type,
                                       &PyTuple_Type,
                                       &PyList_Type,
                                       &PySlice_Type,
                                       &PyEllipsis_Type,
                                       &PyRange_Type,
                                       &PyRangeIter_Type,
                                       &PyLongRangeIter_Type,
                                       &PySeqIter_Type,
                                       &PyCallIter_Type,
                                       &PyListIter_Type,
                                       &PyListRevIter_Type,
                                       &PyTupleIter_Type,
                                       &PyBytesIter_Type,
                                       &PyUnicodeIter_Type,
                                       &_PyUnicodeASCIIIter_Type,
                                       &PyDict_Type,
                                       &PyDictKeys_Type,
                                       &PyDictValues_Type,
                                       &PyDictItems_Type,
                                       &PyDictIterKey_Type,
                                       &PyDictIterValue_Type,
                                       &PyDictIterItem_Type,
                                       &PyDictRevIterKey_Type,
                                       &PyDictRevIterValue_Type,
                                       &PyDictRevIterItem_Type,
                                       &PyODict_Type,
                                       &PyODictKeys_Type,
                                       &PyODictValues_Type,
                                       &PyODictItems_Type,
                                       &PyODictIter_Type,
                                       &PyDictProxy_Type,
                                       &PySet_Type,
                                       &PyFrozenSet_Type,
                                       &PySetIter_Type,
                                       &PyCapsule_Type,
                                       &PyCFunction_Type,
                                       &PyCMethod_Type,
                                       &PyMethodDescr_Type,
                                       &PyClassMethodDescr_Type,
                                       &PyMemberDescr_Type,
                                       &PyGetSetDescr_Type,
                                       &PyWrapperDescr_Type,
                                       &_PyMethodWrapper_Type,
                                       &PyStaticMethod_Type,
                                       &PyClassMethod_Type,
                                       &PyMethod_Type,
                                       &PyModule_Type,
                                       &PyModuleDef_Type,
                                       &module::SpecType,
                                       &_PyWeakref_RefType,
                                       &_PyWeakref_ProxyType,
                                       &_PyWeakref_CallableProxyType,
                                       &PyFunction_Type,
                                       &PyCode_Type,
                                       &PyFrame_Type,
                                       &PyGen_Type,
                                       &PyCoro_Type,
                                       &PyAsyncGen_Type,
                                       &PySuper_Type,
                                       &PyEnum_Type,
                                       &PyReversed_Type,
                                       &Py_GenericAliasType,
                                       &PyByteArray_Type,
                                       &PyByteArrayIter_Type,
                                       &PyMemoryView_Type,
                                       &container::SharedBufferType,
                                       &container::MemoryIteratorType,
                                       &PyProperty_Type,
                                       &PyCell_Type,
                                       &PyInstanceMethod_Type,
                                       &PyContext_Type,
                                       &PyContextVar_Type,
                                       &PyContextToken_Type,
                                       &context::MissingType};

}  // namespace

namespace {

// Where Py_FinalizeEx runs already. What that runs itself may call it, too; another thread never comes back.
int wait_for_the_other_end() {
    while (!mutator::is_closer()) {
        mutator::let_others_run(1'000'000);
    }
    return 0;
}

// What Py_AtExit was given.
std::mutex at_exit_mutex;
std::vector<void (*)()> at_exit;
constexpr size_t kMostAtExit = 32;

// The last one, which is taken away; nullptr if there is none.
void (*next_at_exit())() {
    const std::lock_guard guard(at_exit_mutex);
    if (at_exit.empty()) {
        return nullptr;
    }
    void (*const function)() = at_exit.back();
    at_exit.pop_back();
    return function;
}

// They may call Py_AtExit.
void run_at_exit() {
    while (void (*const function)() = next_at_exit()) {
        function();
    }
}

// What they have raised and not handled, or had when they went outside for the last time, and all threads' dictionaries
// and contexts.
void drop_what_threads_hold() {
    std::vector<PyObject*> held;
    {
        const mutator::Stopped stopped;
        mutator::world.for_each([&](const thread::Thread& t) {
            std::ranges::copy(mutator::take_held(static_cast<PyThreadState*>(t.user)),
                              std::back_inserter(held));
        });
    }
    for (PyObject* op : held) {
        Py_XDECREF(op);
    }
}

}  // namespace

void api::forget_other_end() {
    if (!mutator::is_closer()) {
        finalizing.store(false, std::memory_order_relaxed);
    }
}

void Py_Initialize(void) {
    if (Py_IsInitialized() != 0) {
        return;
    }
    if (!option::environment_error().empty()) {
        Py_FatalError(("environment variable OURO: " + option::environment_error()).c_str());
    }
    if (!heap::start()) {
        Py_FatalError("the heap's address space cannot be reserved (64 MiB at least and tables)");
    }
    api::watch_forks();
    heap::use_huge_pages(option::settings().wants_huge_pages());
    object::start_merge_queues();
    mutator::start();
    PyThreadState* first = mutator::make();
    if (first == nullptr) {
        Py_FatalError("out of memory while the first thread was attached");
    }
    PyEval_RestoreThread(first);
    const auto ready = [](PyTypeObject* type) {
        if (PyType_Ready(type) < 0) {
            Py_FatalError("a built-in type cannot be readied");
        }
    };
    for (PyTypeObject* type : kBuiltinTypes) {
        type::prime(type);
    }
    for (PyTypeObject* type : kBuiltinTypes) {
        ready(type);
    }
    ready(Py_TYPE(Py_None));
    ready(Py_TYPE(Py_NotImplemented));
    ready(reinterpret_cast<PyTypeObject*>(PyExc_BaseException));
#define X(name, base) ready(reinterpret_cast<PyTypeObject*>(PyExc_##name));
    OURO_EXCEPTIONS(X)
#undef X
    ready(&PyTraceBack_Type);
    if (option::settings().counters) {
        event::start_counting();
    }
    collector::collector().start();
    if (option::settings().log_gc) {
        event::start_log();
    }
    api::begin_leak_report();
    initialised.store(true, std::memory_order_release);  // pairs with Py_IsInitialized
}

int Py_IsInitialized(void) {
    // acquire: who finds it initialised sees what the runtime consists of.
    return initialised.load(std::memory_order_acquire) ? 1 : 0;
}

int Py_IsFinalizing(void) {
    return finalizing.load(std::memory_order_relaxed);
}

int Py_FinalizeEx(void) {
    if (Py_IsInitialized() == 0) {
        return 0;
    }
    mutator::require_attached("Py_FinalizeEx");
    if (collector::collector().is_collecting_here()) {
        mutator::refuse("Py_FinalizeEx",
                        "it may not be called inside a collection, as by a finalizer "
                        "or a callback");
    }
    if (finalizing.exchange(true, std::memory_order_relaxed)) {
        return wait_for_the_other_end();
    }
    collector::collector().prepare_to_close();
    mutator::close();
    collector::collector().take_over();
    api::finish_pending_calls();
    module::forget_importers();
    collector::collector().between_collections(collector::unfreeze);
    module::finish();
    collector::forget_callbacks();
    module::finish_sys();
    api::drop_interpreter_dict();
    collector::drop_garbage_list();
    context::forget_watchers();
    type::forget_type_watchers();
    container::forget_dict_watchers();
    text::forget_codecs();
    drop_what_threads_hold();
    PyGC_Collect();
    collector::stop_observing();
    event::stop_log();
    {
        const mutator::StatesHeld held;
        const mutator::Stopped stopped;
        api::report_leaks();
        collector::collector().stop();
        event::stop_counting();
        mutator::strip_others();
        mutator::stop();
        initialised.store(false, std::memory_order_release);
    }
    finalizing.store(false, std::memory_order_relaxed);
    // Other threads' states are left to them, that of the one that initialised, too; the caller's goes.
    PyThreadState_Clear(mutator::current);
    PyThreadState_DeleteCurrent();
    run_at_exit();
    return 0;
}

int Py_AtExit(void (*function)(void)) {
    const std::lock_guard guard(at_exit_mutex);
    if (at_exit.size() >= kMostAtExit) {
        return -1;
    }
    at_exit.push_back(function);
    return 0;
}

void Py_Finalize(void) {
    Py_FinalizeEx();
}

int Ouro_Configure(const char* settings, const char** error) {
    static std::string message;
    if (Py_IsInitialized() != 0) {
        message = "settings cannot change after Py_Initialize";
    } else if (!option::environment_error().empty()) {
        message = "environment variable OURO: " + option::environment_error();
    } else {
        message = option::apply(settings, option::settings());
    }
    if (error != nullptr && !message.empty()) {
        *error = message.c_str();
    }
    return message.empty() ? 0 : -1;
}

const char* Ouro_Setting(const char* name) {
    thread_local std::string value;
    const option::Key* key = option::find_key(name);
    if (key == nullptr) {
        return nullptr;
    }
    value = key->text(option::settings());
    return value.c_str();
}

const char* Ouro_SettingKeys(void) {
    static const std::string joined = [] {
        std::string names;
        for (const option::Key& key : option::keys()) {
            names += names.empty() ? "" : "|";
            names += key.name;
        }
        return names;
    }();
    return joined.c_str();
}

const char* Ouro_EngineSummary(const char* name) {
    const auto it =
        std::ranges::find(option::engines(), std::string_view(name), &option::Engine::name);
    return it == option::engines().end() ? nullptr : it->summary.data();
}

const char* Ouro_SettingValues(const char* name) {
    thread_local std::string joined;
    const option::Key* key = option::find_key(name);
    if (key == nullptr) {
        return nullptr;
    }
    joined = key->allowed("|");
    return joined.c_str();
}

const char* Ouro_NearestWord(const char* word, const char* allowed) {
    thread_local std::string result;
    std::vector<std::string_view> words;
    std::string_view rest = allowed;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('|'), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    result = option::nearest(word, words);
    return result.empty() ? nullptr : result.c_str();
}

const char* Ouro_Version(void) {
    return OURO_VERSION " (" OURO_COMMIT ")";
}

void Ouro_GetHeapStatistics(OuroHeapStatistics* statistics) {
    // Blocks may not come and go while they are looked at.
    std::optional<mutator::Stopped> stopped;
    if (mutator::current != nullptr && !mutator::world.stopped_by(mutator::current->thread)) {
        stopped.emplace();
    }
    const heap::Usage usage = heap::usage();
    const heap::SlotBytes slots = heap::slot_bytes_in_use();
    const refcount::QueueUsage queues = object::queue_usage();
    *statistics = {heap::tracked_count(), usage.heap_bytes,
                   usage.metadata_bytes,  slots.containers,
                   slots.atoms,           slots.buffers,
                   queues.entries,        queues.bytes,
                   queues.peak_bytes,     mutator::limbo_bytes() + heap::waiting_large_bytes()};
}

uint64_t Ouro_FailAllocations(uint64_t skip, uint64_t count) {
    return heap::fault_plan.set(skip, count);
}
