// An exception is made of any positional arguments and keeps them; its str is that of one argument, a
// tuple's of several, and its repr names its class. Source: "Built-in Exceptions", BaseException,
// KeyError; "Exception Objects", PyException_GetArgs, PyException_SetArgs.

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

using Arguments = Things;

TEST_P(Arguments, AreKept) {
    PyObject* thing_value = new_thing(1);
    PyObject* exception = make(PyExc_ValueError, {Py_NewRef(thing_value)});
    EXPECT_EQ(Py_REFCNT(exception), 1);
    EXPECT_EQ(Py_REFCNT(thing_value), 2);
    PyObject* args = PyException_GetArgs(exception);
    ASSERT_EQ(PyTuple_Size(args), 1);
    EXPECT_EQ(PyTuple_GetItem(args, 0), thing_value);
    PyObject* others = tuple({PyLong_FromLong(7)});
    PyException_SetArgs(exception, others);
    EXPECT_EQ(Py_REFCNT(others), 2);
    EXPECT_EQ(Py_REFCNT(args), 1);
    EXPECT_EQ(repr(exception), "ValueError(7)");
    drop({args, exception});
    EXPECT_EQ(Py_REFCNT(others), 1);
    drop({others, thing_value});
}

TEST_P(Arguments, InWords) {
    EXPECT_EQ(str_once(make(PyExc_ValueError)), "");
    EXPECT_EQ(str_once(make(PyExc_ValueError, {Py_None})), "None");
    EXPECT_EQ(str_once(make(PyExc_ValueError, {text("it's")})), "it's");
    EXPECT_EQ(str_once(make(PyExc_ValueError, {PyLong_FromLong(1), text("2")})), "(1, '2')");
    EXPECT_EQ(repr_once(make(PyExc_ValueError)), "ValueError()");
    EXPECT_EQ(repr_once(make(PyExc_ValueError, {PyLong_FromLong(1)})), "ValueError(1)");
    EXPECT_EQ(repr_once(make(PyExc_ValueError, {PyLong_FromLong(1), text("2")})),
              "ValueError(1, '2')");
    EXPECT_EQ(repr_once(make(PyExc_ValueError, {tuple({Py_True})})), "ValueError((True,))");
    EXPECT_EQ(repr_once(make(PyExc_ValueError, {tuple({})})), "ValueError(())");
    EXPECT_EQ(repr_once(make(PyExc_ValueError, {Py_NewRef(PyExc_KeyError)})),
              "ValueError(<class 'KeyError'>)");
}

TEST_P(Arguments, OfAKeyErrorAreQuoted) {
    EXPECT_EQ(str_once(make(PyExc_KeyError)), "");
    EXPECT_EQ(str_once(make(PyExc_KeyError, {text("a")})), "'a'");
    EXPECT_EQ(str_once(make(PyExc_KeyError, {text("")})), "''");
    EXPECT_EQ(str_once(make(PyExc_KeyError, {PyLong_FromLong(1)})), "1");
    EXPECT_EQ(str_once(make(PyExc_KeyError, {PyLong_FromLong(1), text("2")})), "(1, '2')");
    EXPECT_EQ(str_once(make(PyExc_KeyError, {text("it's")})), "\"it's\"");
    EXPECT_EQ(str_once(make(PyExc_KeyError, {text("'\"\\")})), "'\\'\"\\\\'");
    EXPECT_EQ(str_once(make(PyExc_KeyError, {text("\n\r\t\x01")})), "'\\n\\r\\t\\x01'");
}

TEST_P(Arguments, AreNotNamed) {
    EXPECT_EQ(make(PyExc_ValueError, {}, {{"a", Py_None}}), nullptr);
    expect_raised(PyExc_TypeError, "ValueError() takes no keyword arguments");
}

TEST_P(Arguments, MayBeTheExceptionItself) {
    PyObject* exception = make(PyExc_ValueError);
    PyObject* args = tuple({Py_NewRef(exception)});
    PyException_SetArgs(exception, args);
    EXPECT_EQ(
        repr(exception),
        "RecursionError: maximum recursion depth exceeded while getting the repr of an object");
    EXPECT_EQ(
        str(exception),
        "RecursionError: maximum recursion depth exceeded while getting the str of an object");
    drop({args, exception});
    EXPECT_GE(PyGC_Collect(), 2);
}

TEST_P(Arguments, OfAClassOfAnAuthorNameItShortly) {
    static PyTypeObject type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name =
                                    "contract.OwnError",
                                .tp_flags = Py_TPFLAGS_DEFAULT,
                                .tp_base = reinterpret_cast<PyTypeObject*>(PyExc_KeyError)};
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_basicsize, static_cast<Py_ssize_t>(sizeof(PyBaseExceptionObject)));
    EXPECT_TRUE(PyType_HasFeature(&type, Py_TPFLAGS_HAVE_GC));
    EXPECT_TRUE(PyType_HasFeature(&type, OURO_TPFLAGS_CONCURRENT_TRAVERSE));
    EXPECT_EQ(repr_once(make(object(&type), {text("a")})), "OwnError('a')");
    EXPECT_EQ(str_once(make(object(&type), {text("a")})), "'a'") << "a KeyError's";
    EXPECT_STREQ(PyExceptionClass_Name(object(&type)), "contract.OwnError");
}

TEST_P(Arguments, WhoseOwnCodeFails) {
    static PyTypeObject type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name =
                                    "contract.Mute",
                                .tp_basicsize = sizeof(PyObject),
                                .tp_repr = [](PyObject*) { return PyLong_FromLong(7); },
                                .tp_str = [](PyObject*) -> PyObject* {
                                    return PyErr_Format(PyExc_OverflowError, "too much");
                                },
                                .tp_flags = Py_TPFLAGS_DEFAULT};
    ASSERT_EQ(PyType_Ready(&type), 0);
    PyObject* mute = PyObject_New(PyObject, &type);
    PyObject* exception = make(PyExc_ValueError, {Py_NewRef(mute)});
    EXPECT_EQ(str(exception), "OverflowError: too much");
    EXPECT_EQ(repr(exception), "TypeError: __repr__ returned non-string (type int)");
    Py_DECREF(exception);
    EXPECT_EQ(Py_REFCNT(mute), 1);
    Py_DECREF(mute);
}

TEST_P(Arguments, AndTheClassesOfExceptionsAreKnown) {
    PyObject* exception = make(PyExc_ValueError);
    EXPECT_TRUE(PyExceptionClass_Check(PyExc_ValueError));
    EXPECT_FALSE(PyExceptionClass_Check(exception));
    EXPECT_FALSE(PyExceptionClass_Check(object(&PyList_Type)));
    EXPECT_TRUE(PyExceptionInstance_Check(exception));
    EXPECT_FALSE(PyExceptionInstance_Check(PyExc_ValueError));
    EXPECT_EQ(PyExceptionInstance_Class(exception), PyExc_ValueError);
    EXPECT_STREQ(PyExceptionClass_Name(PyExc_ValueError), "ValueError");
    EXPECT_EQ(PyExc_IOError, PyExc_OSError);
    EXPECT_EQ(PyExc_EnvironmentError, PyExc_OSError);
    Py_DECREF(exception);
}

EVERY_WAY_OF_COUNTING(Arguments);

}  // namespace
}  // namespace ouro::test
