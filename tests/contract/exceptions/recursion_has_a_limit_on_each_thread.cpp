// Py_EnterRecursiveCall counts on each thread how deep calls nest, up to the limit. Source: "Exception
// Handling", "Recursion Control"; "sys", setrecursionlimit. So do calls by tp_call ("Call Protocol", "Recursion
// Control") and functions in C that are called by vectorcall.

#include <array>
#include <thread>

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

class Recursion : public Things {
protected:
    void TearDown() override {
        Py_SetRecursionLimit(1000);
        Things::TearDown();
    }
    // How often it can be entered; left as often.
    static int depth() {
        int entered = 0;
        while (Py_EnterRecursiveCall(" in a test") == 0) {
            ++entered;
        }
        for (int i = 0; i < entered; ++i) {
            Py_LeaveRecursiveCall();
        }
        return entered;
    }
};

TEST_P(Recursion, EndsWithAnError) {
    EXPECT_EQ(Py_GetRecursionLimit(), 1000);
    EXPECT_EQ(depth(), 1000);
    expect_raised(PyExc_RecursionError, "maximum recursion depth exceeded in a test");
    EXPECT_EQ(depth(), 1000) << "a failure counts nothing";
    PyErr_Clear();
}

TEST_P(Recursion, HasTheLimitThatIsSet) {
    Py_SetRecursionLimit(7);
    EXPECT_EQ(Py_GetRecursionLimit(), 7);
    EXPECT_EQ(depth(), 7);
    PyErr_Clear();
}

TEST_P(Recursion, IsTheThreadsOwn) {
    Py_SetRecursionLimit(7);
    ASSERT_EQ(Py_EnterRecursiveCall(""), 0);
    Py_BEGIN_ALLOW_THREADS
    std::thread([] {
        const PyGILState_STATE before = PyGILState_Ensure();
        EXPECT_EQ(depth(), 7);
        PyErr_Clear();
        PyGILState_Release(before);
    }).join();
    Py_END_ALLOW_THREADS
    EXPECT_EQ(depth(), 6);
    PyErr_Clear();
    Py_LeaveRecursiveCall();
}

// Each calls itself by what it was called with, or as a method by its name.
PyObject* again(PyObject* callable) {
    return PyObject_CallOneArg(callable, callable);
}
PyObject* one(PyObject*, PyObject* callable) {
    return again(callable);
}
PyObject* variable(PyObject*, PyObject* args) {
    return again(PyTuple_GET_ITEM(args, 0));
}
PyObject* fast(PyObject*, PyObject* const* args, Py_ssize_t) {
    return again(args[0]);
}
PyObject* fast_keywords(PyObject*, PyObject* const* args, Py_ssize_t, PyObject*) {
    return again(args[0]);
}
PyObject* method(PyObject* self, PyObject*) {
    return PyObject_CallMethod(self, "method", nullptr);
}
PyObject* of_class(PyObject* self, PyTypeObject*, PyObject* const*, Py_ssize_t, PyObject*) {
    return PyObject_CallMethod(self, "of_class", nullptr);
}
PyObject* as_callable(PyObject*, PyObject* args, PyObject*) {
    return again(PyTuple_GET_ITEM(args, 0));
}

template <class Function>
PyCFunction plain(Function function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

TEST_P(Recursion, EndsCallsOfFunctionsThatNest) {
    static std::array<PyMethodDef, 4> functions = {
        {{"one", one, METH_O, nullptr},
         {"variable", variable, METH_VARARGS, nullptr},
         {"fast", plain(fast), METH_FASTCALL, nullptr},
         {"fast_keywords", plain(fast_keywords), METH_FASTCALL | METH_KEYWORDS, nullptr}}};
    for (PyMethodDef& each : functions) {
        PyObject* function = PyCFunction_New(&each, nullptr);
        EXPECT_EQ(again(function), nullptr) << each.ml_name;
        expect_raised(PyExc_RecursionError,
                      "maximum recursion depth exceeded while calling a Python object");
        EXPECT_EQ(depth(), 1000) << "of " << each.ml_name << " nothing stays counted";
        PyErr_Clear();
        Py_DECREF(function);
    }
}

TEST_P(Recursion, EndsCallsOfMethodsAndOfCallableObjectsThatNest) {
    static PyMethodDef methods[] = {
        {"method", method, METH_NOARGS, nullptr},
        {"of_class", plain(of_class), METH_METHOD | METH_FASTCALL | METH_KEYWORDS, nullptr},
        {}};
    PyType_Slot slots[] = {
        {Py_tp_methods, methods}, {Py_tp_call, reinterpret_cast<void*>(as_callable)}, {}};
    PyType_Spec spec = {"test.Callable", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* type = PyType_FromSpec(&spec);
    PyObject* object = PyObject_CallNoArgs(type);
    for (const char* name : {"method", "of_class"}) {
        EXPECT_EQ(PyObject_CallMethod(object, name, nullptr), nullptr) << name;
        expect_raised(PyExc_RecursionError,
                      "maximum recursion depth exceeded while calling a Python object");
    }
    EXPECT_EQ(again(object), nullptr);
    expect_raised(PyExc_RecursionError,
                  "maximum recursion depth exceeded while calling a Python object");
    EXPECT_EQ(depth(), 1000);
    PyErr_Clear();
    Py_DECREF(object);
    Py_DECREF(type);
    PyGC_Collect();  // a type is a cycle
}

EVERY_RUNTIME(Recursion);

}  // namespace
}  // namespace ouro::test
