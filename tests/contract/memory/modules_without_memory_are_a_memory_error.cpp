// Functions of gc, sys, weakref and builtins return NULL with MemoryError where memory is out, and leave nothing
// behind; what is reported then is reported by the first hooks. Source: "ModuleMemory Management", "Exception Handling".

#include "tests/contract/modules.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

struct ModuleCall {
    const char* module;
    const char* function;
    const char* format;
};
const ModuleCall kModuleCalls[] = {
    {"gc", "get_objects", "()"},       {"gc", "get_referrers", "(O)"},
    {"gc", "get_referents", "(O)"},    {"gc", "get_stats", "()"},
    {"gc", "get_count", "()"},         {"sys", "exc_info", "()"},
    {"sys", "getsizeof", "(O)"},       {"weakref", "ref", "(OO)"},
    {"weakref", "proxy", "(O)"},       {"weakref", "getweakrefs", "(O)"},
    {"builtins", "sorted", "((iii))"}, {"builtins", "max", "(iii)"},
    {"builtins", "sum", "((iii))"},    {"builtins", "repr", "(O)"},
};

class ModuleMemory : public ModuleTest {};

TEST_P(ModuleMemory, IsMissed) {
    PyGC_Disable();
    PyObject* op = new_thing(1);
    PyObject* other = new_thing(2);
    refer(other, 0, op);
    PyObject* reference = PyWeakref_NewRef(op, other);
    for (const ModuleCall& each : kModuleCalls) {
        SCOPED_TRACE(std::string(each.module) + "." + each.function);
        PyObject* function = get(each.module, each.function);
        PyObject* args = std::string_view(each.format).find('i') == std::string_view::npos
                             ? Py_BuildValue(each.format, op, other)
                             : Py_BuildValue(each.format, 3, 1, 2);
        Py_XDECREF(PyObject_Call(function, args, nullptr));  // what is made once is there
        const int failures = fail_each_allocation([&](auto& failing) {
            PyObject* result = failing([&] { return PyObject_Call(function, args, nullptr); });
            if (result == nullptr) {
                expect_raised(PyExc_MemoryError);
            }
            Py_XDECREF(result);
        });
        EXPECT_GT(failures, 0);
        drop({function, args});
    }
    drop({reference, op, other});
    PyGC_Enable();
}

TEST_P(ModuleMemory, IsNotNeededToReport) {
    PyObject* error = PyObject_CallNoArgs(PyExc_ValueError);
    PyObject* hook = get("builtins", "repr");
    PyObject* before = get("sys", "unraisablehook");
    EXPECT_EQ(set("sys", "unraisablehook", hook), 0);
    PyErr_SetRaisedException(Py_NewRef(error));
    PyErr_WriteUnraisable(nullptr);  // what is made once is there
    fail_each_allocation([&](auto& failing) {
        failing([&] {
            PyErr_SetRaisedException(Py_NewRef(error));
            PyErr_WriteUnraisable(nullptr);
            return 0;
        });
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        record.unraisable.clear();
        record.unraisable.shrink_to_fit();
    });
    EXPECT_EQ(set("sys", "unraisablehook", before), 0);
    drop({error, hook, before});
}

// A collection with callbacks and without memory for what they are told.
TEST_P(ModuleMemory, IsNotNeededToCollect) {
    PyObject* callbacks = get("gc", "callbacks");
    PyObject* function = get("builtins", "repr");  // with two arguments: a TypeError
    EXPECT_EQ(PyList_Append(callbacks, function), 0);
    fail_each_allocation([&](auto& failing) {
        failing([] { return PyGC_Collect(); });
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        record.unraisable.clear();
        record.unraisable.shrink_to_fit();
    });
    EXPECT_EQ(PyList_SetSlice(callbacks, 0, 1, nullptr), 0);
    drop({callbacks, function});
}

EVERY_RUNTIME(ModuleMemory);

}  // namespace
}  // namespace ouro::test
