// The extension module ouroboros._bridge: thin functions over Bridge. The package's Python code says what they mean to a
// program; none of them is meant for one.
#include <Python.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>

#include "core/bridge/bridge.hpp"
#include "core/bridge/deque_items.hpp"
#include "core/bridge/gc_state.hpp"
#include "core/bridge/position.hpp"
#include "core/heap/fault.hpp"

namespace ouro::bridge {
namespace {

// Its lists are not those of the main interpreter, nor are the objects that may die.
bool is_subinterpreter() {
    return PyInterpreterState_Get() != PyInterpreterState_Main();
}

// Why it cannot be used here; empty if it can.
std::string obstacle(GcState** state) {
#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x03100000
    return "CPython " PY_VERSION ": supported are 3.11 to 3.15";
#elif defined(Py_GIL_DISABLED)
    return "a free-threaded build has no lists of tracked objects";
#elif defined(Py_DEBUG) || defined(Py_TRACE_REFS)
    return "a debug build checks its lists in ways that this was not tried with";
#else
    if ((Py_Version ^ PY_VERSION_HEX) >> 16 != 0) {
        return "compiled for another version of CPython, " PY_VERSION;
    }
    if (Py_Version >> 16 == 0x030E && Py_Version < 0x030E0500) {
        return "CPython 3.14.0 to 3.14.4 have another collector, which 3.14.5 gave up";
    }
    if (Py_Version >> 16 == 0x030F && Py_Version < 0x030F00B1) {
        return "CPython 3.15 before its first beta has another collector";
    }
    if (is_subinterpreter()) {
        return "this is a subinterpreter: only the main interpreter's objects can be collected";
    }
    if (PyInterpreterState_Next(PyInterpreterState_Head()) != nullptr) {
        return "subinterpreters are in use";
    }
    std::string why;
    *state = find_gc_state(why);
    return why;
#endif
}

// What `work` returns; without memory MemoryError.
template <class Work>
PyObject* with_memory(const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

PyObject* supported(PyObject*, PyObject*) {
    return with_memory([] {
        GcState* state = nullptr;
        const std::string why = obstacle(&state);
        return why.empty() ? Py_NewRef(Py_None) : PyUnicode_FromString(why.c_str());
    });
}

PyObject* enable(PyObject*, PyObject* args) {
    long long budget_ns;
    if (!PyArg_ParseTuple(args, "L:enable", &budget_ns)) {
        return nullptr;
    }
    return with_memory([budget_ns]() -> PyObject* {
        GcState* state = nullptr;
        const bool is_on = !is_subinterpreter() && bridge().is_enabled() && bridge().is_called();
        const std::string why = is_on ? std::string() : obstacle(&state);
        if (!why.empty()) {
            PyErr_SetString(PyExc_RuntimeError, why.c_str());
            return nullptr;
        }
        return bridge().enable(state, budget_ns) ? Py_NewRef(Py_None) : nullptr;
    });
}

PyObject* disable(PyObject*, PyObject*) {
    if (is_subinterpreter()) {
        PyErr_SetString(PyExc_RuntimeError, "this is a subinterpreter");
        return nullptr;
    }
    bridge().disable();
    Py_RETURN_NONE;
}
PyObject* is_enabled(PyObject*, PyObject*) {
    return PyBool_FromLong(bridge().is_enabled());
}
PyObject* is_called(PyObject*, PyObject*) {
    return PyBool_FromLong(bridge().is_called());
}
PyObject* step(PyObject*, PyObject* begin) {
    return PyBool_FromLong(!is_subinterpreter() && bridge().step(begin == Py_True));
}
PyObject* hand_over_on_request(PyObject*, PyObject* on) {
    bridge().hand_over_on_request(on == Py_True);
    Py_RETURN_NONE;
}
PyObject* stage(PyObject*, PyObject*) {
    return PyUnicode_FromString(name_of(bridge().cycle().stage()));
}
PyObject* hands_over(PyObject*, PyObject*) {
    return PyBool_FromLong(bridge().cycle().hands_over());
}
PyObject* after_fork(PyObject*, PyObject*) {
    return with_memory([] {
        bridge().after_fork();
        return Py_NewRef(Py_None);
    });
}
PyObject* reset(PyObject*, PyObject*) {
    return with_memory([] {
        bridge().reset_statistics();
        return Py_NewRef(Py_None);
    });
}

// record(path or None)
PyObject* record(PyObject*, PyObject* path) {
    Recorder& recorder = bridge().recorder();
    if (!recorder.stop()) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    if (path == Py_None) {
        Py_RETURN_NONE;
    }
    const char* name = PyUnicode_AsUTF8(path);
    if (name == nullptr) {
        return nullptr;
    }
    if (!recorder.start(name)) {
        return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    }
    Py_RETURN_NONE;
}

// Puts a new reference into a dict. False with an exception, too if there is none.
bool put(PyObject* dict, const char* key, PyObject* value) {
    const int failed = value == nullptr ? -1 : PyDict_SetItemString(dict, key, value);
    Py_XDECREF(value);
    return failed == 0;
}
bool put(PyObject* dict, const char* key, uint64_t value) {
    return put(dict, key, PyLong_FromUnsignedLongLong(value));
}
bool put(PyObject* dict, const char* key, int64_t value) {
    return put(dict, key, PyLong_FromLongLong(value));
}
bool put(PyObject* dict, const char* key, double value) {
    return put(dict, key, PyFloat_FromDouble(value));
}

PyObject* distribution(const Histogram& histogram) {
    PyObject* dict = PyDict_New();
    if (dict != nullptr && put(dict, "count", histogram.count()) &&
        put(dict, "total_ns", histogram.total_ns()) &&
        put(dict, "p50_ns", histogram.percentile_ns(500)) &&
        put(dict, "p90_ns", histogram.percentile_ns(900)) &&
        put(dict, "p99_ns", histogram.percentile_ns(990)) &&
        put(dict, "p999_ns", histogram.percentile_ns(999)) &&
        put(dict, "longest_ns", histogram.longest_ns())) {
        return dict;
    }
    Py_XDECREF(dict);
    return nullptr;
}

bool put_pauses(PyObject* dict, const Pauses& pauses) {
    PyObject* causes = PyDict_New();
    if (!put(dict, "pauses", causes)) {
        return false;
    }
    for (size_t i = 0; i < static_cast<size_t>(Cause::kCount_); ++i) {
        const auto cause = static_cast<Cause>(i);
        if (!put(causes, name_of(cause), distribution(pauses.of(cause)))) {
            return false;
        }
    }
    return put(causes, "all", distribution(pauses.all())) && put(dict, "mmu_10ms", pauses.mmu()) &&
           put(dict, "since_ns", pauses.since_ns());
}

bool put_stages(PyObject* dict, const Bridge::Counts& counts) {
    PyObject* stages = PyDict_New();
    if (!put(dict, "stage_ns", stages)) {
        return false;
    }
    for (size_t i = 1; i < counts.stage_ns.size(); ++i) {
        if (!put(stages, name_of(static_cast<Stage>(i)), counts.stage_ns[i])) {
            return false;
        }
    }
    return true;
}

PyObject* stats(PyObject*, PyObject*) {
    const Bridge& it = bridge();
    const Bridge::Counts& counts = it.counts();
    PyObject* dict = PyDict_New();
    if (dict != nullptr && put(dict, "cycles", counts.cycles) &&
        put(dict, "given_up", counts.given_up) && put(dict, "frozen", counts.frozen) &&
        put(dict, "slices", counts.slices) && put(dict, "batches", counts.batches) &&
        put(dict, "found", counts.found) && put(dict, "traced", counts.traced) &&
        put(dict, "candidates", counts.candidates) && put(dict, "refused", counts.refused) &&
        put(dict, "largest_component", counts.largest) && put(dict, "skipped", counts.skipped) &&
        put(dict, "table_bytes", counts.table_bytes) &&
        put(dict, "old_objects", static_cast<uint64_t>(it.pace().old_objects())) &&
        put(dict, "stock_collections", counts.stock_collections) &&
        put(dict, "stock_longest_ns", counts.stock_longest_ns) &&
        put(dict, "stock_total_ns", counts.stock_total_ns) && put_stages(dict, counts) &&
        put_pauses(dict, it.pauses())) {
        return dict;
    }
    Py_XDECREF(dict);
    return nullptr;
}

#ifdef OURO_BRIDGE_FAULTS
// A build for tests: every allocation of the bridge's own can be made to fail, `new` too.
PyObject* fail_allocations(PyObject*, PyObject* args) {
    unsigned long long skip;
    unsigned long long count;
    if (!PyArg_ParseTuple(args, "KK:fail_allocations", &skip, &count)) {
        return nullptr;
    }
    return PyLong_FromUnsignedLongLong(heap::fault_plan.set(skip, count));
}
#endif

PyMethodDef methods[] = {
    {"supported", supported, METH_NOARGS, "None, or why this interpreter is not."},
    {"enable", enable, METH_VARARGS, "enable(budget_ns)"},
    {"disable", disable, METH_NOARGS, ""},
    {"is_enabled", is_enabled, METH_NOARGS, ""},
    {"is_called", is_called, METH_NOARGS, "Whether gc.callbacks has the callback."},
    {"step", step, METH_O, "step(begin): a slice of the budget; whether a cycle is in flight."},
    {"hand_over_on_request", hand_over_on_request, METH_O, "hand_over_on_request(on)"},
    {"stage", stage, METH_NOARGS, "The stage of the cycle in flight."},
    {"hands_over", hands_over, METH_NOARGS, "Whether what comes next is handing over garbage."},
    {"record", record, METH_O, "record(path or None)"},
    {"stats", stats, METH_NOARGS, ""},
    {"after_fork", after_fork, METH_NOARGS, ""},
    {"reset", reset, METH_NOARGS, "Statistics begin anew."},
#ifdef OURO_BRIDGE_FAULTS
    {"fail_allocations", fail_allocations, METH_VARARGS,
     "fail_allocations(skip, count): how many have failed."},
#endif
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    "ouroboros._bridge",
    "Full collections of stock CPython in slices.",
    -1,
    methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

PyObject* callback(PyObject*, PyObject* const* args, Py_ssize_t count) {
    static PyObject* const generation_key = PyUnicode_InternFromString("generation");
    if (count != 2 || !PyUnicode_Check(args[0]) || !PyDict_Check(args[1])) {
        Py_RETURN_NONE;
    }
    PyObject* number = PyDict_GetItem(args[1], generation_key);
    const long generation = number != nullptr ? PyLong_AsLong(number) : -1;
    if (generation < 0 || generation >= kGenerations) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (PyUnicode_CompareWithASCIIString(args[0], "start") == 0) {
        bridge().before_collection(static_cast<int>(generation));
    } else {
        bridge().after_collection(static_cast<int>(generation));
    }
    Py_RETURN_NONE;
}

PyMethodDef callback_method = {
    "ouroboros", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callback)),
    METH_FASTCALL, "Calls the bridge before and after each collection."};

}  // namespace

PyObject* new_callback(PyObject* self) {
    self = self != nullptr ? Py_NewRef(self)
                           : PyCapsule_New(&callback_method, nullptr,
                                           [](PyObject*) { bridge().callback_is_gone(); });
    if (self == nullptr) {
        return nullptr;
    }
    PyObject* callback = PyCFunction_New(&callback_method, self);
    Py_DECREF(self);
    return callback;
}

}  // namespace ouro::bridge

PyMODINIT_FUNC PyInit__bridge() {
    if (!ouro::bridge::ready_position() || !ouro::bridge::ready_deques()) {
        return nullptr;
    }
    try {
        ouro::bridge::bridge().reset_statistics();
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
    return PyModule_Create(&ouro::bridge::module);
}

#ifdef OURO_BRIDGE_FAULTS
void* operator new(size_t size) {
    void* p = ouro::heap::allocation_fails() ? nullptr : std::malloc(size);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    return p;
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, size_t) noexcept {
    std::free(p);
}
#endif
