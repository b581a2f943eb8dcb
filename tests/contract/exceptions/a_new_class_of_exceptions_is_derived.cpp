// PyErr_NewException makes a class of exceptions. Source: "Exception Handling", PyErr_NewException,
// PyErr_NewExceptionWithDoc.

#include "tests/contract/exceptions.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

// Classes are cycles.
class NewClasses : public Things {
protected:
    void TearDown() override {
        PyGC_Collect();
        Things::TearDown();
    }
};

TEST_P(NewClasses, OfException) {
    std::string name = "contract.OwnError";
    PyObject* type = PyErr_NewException(name.c_str(), nullptr, nullptr);
    ASSERT_NE(type, nullptr);
    name = "forgotten";
    EXPECT_TRUE(PyExceptionClass_Check(type));
    EXPECT_TRUE(PyErr_GivenExceptionMatches(type, PyExc_Exception));
    EXPECT_FALSE(PyErr_GivenExceptionMatches(type, PyExc_ValueError));
    PyErr_SetString(type, "own");
    EXPECT_EQ(PyErr_Occurred(), type);
    PyObject* exception = PyErr_GetRaisedException();
    EXPECT_EQ(repr(exception), "OwnError('own')");
    EXPECT_EQ(str(exception), "own");
    drop({exception, type});
}

TEST_P(NewClasses, OfTheBaseThatIsGiven) {
    PyObject* type = PyErr_NewException("contract.KeyError", PyExc_KeyError, nullptr);
    EXPECT_EQ(str_once(make(type, {text("k")})), "'k'");
    PyObject* bases = tuple({Py_NewRef(type)});
    PyObject* derived = PyErr_NewException("contract.sub.Derived", bases, nullptr);
    EXPECT_TRUE(PyErr_GivenExceptionMatches(derived, type));
    EXPECT_TRUE(PyErr_GivenExceptionMatches(derived, PyExc_LookupError));
    EXPECT_FALSE(PyErr_GivenExceptionMatches(type, derived));
    EXPECT_EQ(repr_once(make(derived)), "Derived()");
    PyObject* os = PyErr_NewException("contract.OsError", PyExc_OSError, nullptr);
    PyObject* exception = make(os, {PyLong_FromLong(2), text("t")});
    EXPECT_EQ(PyExceptionInstance_Class(exception), os);
    EXPECT_EQ(str(exception), "[Errno 2] t");
    drop({exception, bases, derived, type, os});
}

TEST_P(NewClasses, WithADocumentation) {
    PyObject* type =
        PyErr_NewExceptionWithDoc("contract.Told", "What it is for.", nullptr, nullptr);
    EXPECT_STREQ(reinterpret_cast<PyTypeObject*>(type)->tp_doc, "What it is for.");
    PyObject* untold = PyErr_NewExceptionWithDoc("contract.Untold", nullptr, nullptr, nullptr);
    EXPECT_NE(untold, nullptr);
    drop({type, untold});
}

TEST_P(NewClasses, OfSeveralBases) {
    PyObject* bases = tuple({Py_NewRef(PyExc_KeyError), Py_NewRef(PyExc_AttributeError)});
    PyObject* type = PyErr_NewException("contract.Missing", bases, nullptr);
    ASSERT_NE(type, nullptr);
    EXPECT_TRUE(PyErr_GivenExceptionMatches(type, PyExc_LookupError));
    EXPECT_TRUE(PyErr_GivenExceptionMatches(type, PyExc_AttributeError));
    drop({bases, type});
}

// The module is the name's unless the dictionary, which is the caller's, says another.
TEST_P(NewClasses, WithAttributes) {
    PyObject* dict = PyDict_New();
    PyDict_SetItemString(dict, "answer", Py_True);
    PyObject* type = PyErr_NewException("contract.sub.Own", nullptr, dict);
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(said(PyObject_GetAttrString(type, "__module__")), "contract.sub");
    EXPECT_EQ(said(PyObject_GetAttrString(type, "__name__")), "Own");
    EXPECT_EQ(said(PyObject_Repr(type)), "<class 'contract.sub.Own'>");
    PyObject* exception = make(type);
    PyObject* answer = PyObject_GetAttrString(exception, "answer");
    EXPECT_EQ(answer, Py_True);
    PyObject* other = PyErr_NewException("contract.Other", nullptr, dict);
    EXPECT_EQ(said(PyObject_GetAttrString(other, "__module__")), "contract.sub");
    drop({answer, exception, dict, type, other});
}

TEST_P(NewClasses, NeedAModule) {
    EXPECT_EQ(PyErr_NewException("Own", nullptr, nullptr), nullptr);
    expect_raised(PyExc_SystemError, "PyErr_NewException: name must be module.class");
}

TEST_P(NewClasses, NeedABase) {
    EXPECT_EQ(PyErr_NewException("contract.Own", Py_None, nullptr), nullptr);
    expect_raised(PyExc_TypeError);
    PyObject* bases = tuple({Py_NewRef(PyExc_ValueError), Py_NewRef(Py_None)});
    EXPECT_EQ(PyErr_NewException("contract.Own", bases, nullptr), nullptr);
    expect_raised(PyExc_TypeError);
    Py_DECREF(bases);
}

TEST_P(NewClasses, AndMemory) {
    Py_XDECREF(PyErr_NewException("contract.First", nullptr, nullptr));  // names that stay for ever
    PyGC_Collect();
    const int failures = fail_each_allocation([](Failing& failing) {
        PyObject* type = failing(
            [] { return PyErr_NewExceptionWithDoc("contract.Own", "doc", nullptr, nullptr); });
        if (type == nullptr) {
            expect_raised(PyExc_MemoryError);
        }
        Py_XDECREF(type);
        PyGC_Collect();
    });
    EXPECT_GT(failures, 5);
}

EVERY_RUNTIME(NewClasses);

}  // namespace
}  // namespace ouro::test
