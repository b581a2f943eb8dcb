// An exception matches its class, the classes that one is derived from, and tuples in which one of
// those is, however deep. Source: "Exception Handling", PyErr_ExceptionMatches,
// PyErr_GivenExceptionMatches; "Built-in Exceptions", the hierarchy.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Matching = Things;

PyObject* pack(std::initializer_list<PyObject*> items) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(items.size()));
    Py_ssize_t i = 0;
    for (PyObject* item : items) {
        PyTuple_SetItem(tuple, i++, Py_NewRef(item));
    }
    return tuple;
}

TEST_P(Matching, ItsClassAndBases) {
    PyErr_SetString(PyExc_KeyError, "k");
    for (PyObject* base :
         {PyExc_KeyError, PyExc_LookupError, PyExc_Exception, PyExc_BaseException}) {
        EXPECT_TRUE(PyErr_ExceptionMatches(base));
    }
    for (PyObject* other : {PyExc_IndexError, PyExc_ValueError, PyExc_KeyboardInterrupt}) {
        EXPECT_FALSE(PyErr_ExceptionMatches(other));
    }
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError) << "asking changes nothing";
    PyErr_Clear();
}

TEST_P(Matching, Tuples) {
    PyObject* flat = pack({PyExc_ValueError, PyExc_LookupError});
    PyObject* nested = pack({PyExc_ValueError, flat});
    PyObject* other = pack({PyExc_ValueError, PyExc_TypeError});
    PyObject* empty = PyTuple_New(0);
    PyErr_SetString(PyExc_IndexError, "i");
    EXPECT_TRUE(PyErr_ExceptionMatches(flat));
    EXPECT_TRUE(PyErr_ExceptionMatches(nested));
    EXPECT_FALSE(PyErr_ExceptionMatches(other));
    EXPECT_FALSE(PyErr_ExceptionMatches(empty));
    PyErr_Clear();
    drop({nested, flat, other, empty});
}

TEST_P(Matching, WhatIsGiven) {
    EXPECT_TRUE(PyErr_GivenExceptionMatches(PyExc_BrokenPipeError, PyExc_OSError));
    EXPECT_FALSE(PyErr_GivenExceptionMatches(PyExc_OSError, PyExc_BrokenPipeError));
    EXPECT_FALSE(PyErr_GivenExceptionMatches(nullptr, PyExc_OSError));
    EXPECT_FALSE(PyErr_GivenExceptionMatches(PyExc_OSError, nullptr));
    PyErr_SetNone(PyExc_BrokenPipeError);
    PyObject* instance = PyErr_GetRaisedException();
    EXPECT_TRUE(PyErr_GivenExceptionMatches(instance, PyExc_OSError));
    EXPECT_FALSE(PyErr_GivenExceptionMatches(instance, PyExc_ValueError));
    Py_DECREF(instance);
    EXPECT_TRUE(PyErr_GivenExceptionMatches(Py_None, Py_None)) << "what is no exception is itself";
    EXPECT_FALSE(PyErr_GivenExceptionMatches(Py_None, PyExc_OSError));
}

TEST_P(Matching, AnAuthorsClass) {
    static PyTypeObject type;
    type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.OwnError",
            .tp_flags = Py_TPFLAGS_DEFAULT,
            .tp_base = reinterpret_cast<PyTypeObject*>(PyExc_KeyError)};
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_TRUE(PyType_HasFeature(&type, Py_TPFLAGS_BASE_EXC_SUBCLASS)) << "inherited";
    PyErr_SetString(object(&type), "own");
    EXPECT_TRUE(PyErr_ExceptionMatches(object(&type)));
    EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_LookupError));
    EXPECT_FALSE(PyErr_ExceptionMatches(PyExc_IndexError));
    expect_raised(object(&type), "own");
}

TEST_P(Matching, TheHierarchyIsPythons) {
    const std::pair<PyObject*, PyObject*> derived[] = {
        {PyExc_ZeroDivisionError, PyExc_ArithmeticError},
        {PyExc_ModuleNotFoundError, PyExc_ImportError},
        {PyExc_UnboundLocalError, PyExc_NameError},
        {PyExc_ConnectionResetError, PyExc_ConnectionError},
        {PyExc_ConnectionError, PyExc_OSError},
        {PyExc_RecursionError, PyExc_RuntimeError},
        {PyExc_TabError, PyExc_SyntaxError},
        {PyExc_UnicodeDecodeError, PyExc_ValueError},
        {PyExc_ResourceWarning, PyExc_Warning},
    };
    for (const auto& [type, base] : derived) {
        EXPECT_TRUE(PyErr_GivenExceptionMatches(type, base));
        EXPECT_FALSE(PyErr_GivenExceptionMatches(base, type));
        EXPECT_TRUE(PyErr_GivenExceptionMatches(type, PyExc_Exception));
    }
    for (PyObject* type : {PyExc_SystemExit, PyExc_KeyboardInterrupt, PyExc_GeneratorExit}) {
        EXPECT_FALSE(PyErr_GivenExceptionMatches(type, PyExc_Exception));
        EXPECT_TRUE(PyErr_GivenExceptionMatches(type, PyExc_BaseException));
    }
}

EVERY_RUNTIME(Matching);

}  // namespace
}  // namespace ouro::test
