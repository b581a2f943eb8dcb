// A call returns a new reference and no exception, or NULL and one; a callable that breaks the
// rule is caught. What has no tp_call cannot be called. Source: "Call Protocol", PyObject_Call,
// PyObject_CallObject, PyObject_CallNoArgs, PyObject_CallOneArg, PyObject_CallFunctionObjArgs,
// PyCallable_Check.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Calls : public Things {
protected:
    static PyObject* gather(PyObject*, PyObject* args) { return Py_NewRef(args); }
    static PyObject* raise(PyObject*, PyObject*) {
        PyErr_SetString(PyExc_KeyError, "its own");
        return nullptr;
    }
    static PyObject* nothing(PyObject*, PyObject*) { return nullptr; }
    static PyObject* both(PyObject* self, PyObject*) {
        PyErr_SetString(PyExc_KeyError, "and a result");
        return Py_NewRef(self);
    }
    static inline PyMethodDef gather_method = {"gather", gather, METH_VARARGS, nullptr};
    static inline PyMethodDef raise_method = {"raise", raise, METH_VARARGS, nullptr};
    static inline PyMethodDef nothing_method = {"nothing", nothing, METH_VARARGS, nullptr};
    static inline PyMethodDef both_method = {"both", both, METH_VARARGS, nullptr};
};

TEST_P(Calls, PassTheirArguments) {
    PyObject* function = PyCFunction_New(&gather_method, nullptr);
    PyObject* a = new_thing(1);
    PyObject* b = new_thing(2);

    PyObject* none = PyObject_CallNoArgs(function);
    EXPECT_EQ(PyTuple_Size(none), 0);
    PyObject* null_args = PyObject_CallObject(function, nullptr);
    EXPECT_EQ(PyTuple_Size(null_args), 0);
    PyObject* one = PyObject_CallOneArg(function, a);
    ASSERT_EQ(PyTuple_Size(one), 1);
    EXPECT_EQ(PyTuple_GetItem(one, 0), a);
    PyObject* many = PyObject_CallFunctionObjArgs(function, a, b, a, nullptr);
    ASSERT_EQ(PyTuple_Size(many), 3);
    EXPECT_EQ(PyTuple_GetItem(many, 0), a);
    EXPECT_EQ(PyTuple_GetItem(many, 1), b);
    EXPECT_EQ(PyTuple_GetItem(many, 2), a);
    PyObject* same = PyObject_Call(function, many, nullptr);
    EXPECT_EQ(same, many);
    Py_DECREF(same);
    same = PyObject_CallObject(function, many);
    EXPECT_EQ(same, many);

    drop({none, null_args, one, same, many, function});
    EXPECT_EQ(Py_REFCNT(a), 1) << "arguments are borrowed";
    EXPECT_EQ(Py_REFCNT(b), 1);
    drop({a, b});
}

TEST_P(Calls, HandTheExceptionOn) {
    PyObject* function = PyCFunction_New(&raise_method, nullptr);
    EXPECT_EQ(PyObject_CallNoArgs(function), nullptr);
    expect_raised(PyExc_KeyError, "its own");
    Py_DECREF(function);
}

TEST_P(Calls, NothingWithoutAnExceptionIsASystemError) {
    PyObject* function = PyCFunction_New(&nothing_method, nullptr);
    EXPECT_EQ(PyObject_CallNoArgs(function), nullptr);
    expect_raised(PyExc_SystemError, testing::HasSubstr("NULL without setting an exception"));
    Py_DECREF(function);
}

TEST_P(Calls, AResultWithAnExceptionIsASystemError) {
    PyObject* self = new_thing(1);
    PyObject* function = PyCFunction_New(&both_method, self);
    EXPECT_EQ(PyObject_CallNoArgs(function), nullptr);
    expect_raised(PyExc_SystemError, testing::HasSubstr("result with an exception set"));
    Py_DECREF(function);
    EXPECT_EQ(Py_REFCNT(self), 1) << "the result was dropped";
    Py_DECREF(self);
}

TEST_P(Calls, OfWhatCannotBeCalled) {
    PyObject* list = PyList_New(0);
    EXPECT_EQ(PyCallable_Check(list), 0);
    EXPECT_EQ(PyCallable_Check(nullptr), 0);
    EXPECT_EQ(PyObject_CallNoArgs(list), nullptr);
    expect_raised(PyExc_TypeError, "'list' object is not callable");
    EXPECT_EQ(PyObject_CallOneArg(list, Py_None), nullptr);
    expect_raised(PyExc_TypeError);
    Py_DECREF(list);
}

TEST_P(Calls, OfAnAuthorsType) {
    PyObject* call = new_callback(3);
    EXPECT_EQ(PyCallable_Check(call), 1);
    EXPECT_EQ(PyObject_CallOneArg(call, Py_None), Py_None);
    EXPECT_EQ(record.count(Call::kCallback, 3), 1);
    Py_DECREF(call);
}

EVERY_RUNTIME(Calls);

}  // namespace
}  // namespace ouro::test
