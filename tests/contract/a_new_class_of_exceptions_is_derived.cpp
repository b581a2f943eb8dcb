// PyErr_NewException makes a class of exceptions. Source: "Exception Handling", PyErr_NewException,
// PyErr_NewExceptionWithDoc.

#include "tests/contract/exceptions.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using NewClasses = Things;

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

TEST_P(NewClasses, NeedAModule) {
    EXPECT_EQ(PyErr_NewException("Own", nullptr, nullptr), nullptr);
    expect_raised(PyExc_SystemError, "PyErr_NewException: name must be module.class");
}

TEST_P(NewClasses, NeedABase) {
    EXPECT_EQ(PyErr_NewException("contract.Own", Py_None, nullptr), nullptr);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(PyErr_NewException("contract.Own", object(&PyList_Type), nullptr), nullptr);
    expect_raised(PyExc_TypeError);
}

TEST_P(NewClasses, AndMemory) {
    // A class lives for ever: what the attempts leave that succeed is not lost.
    for (uint64_t skip = 0;; ++skip) {
        SCOPED_TRACE("allocation " + std::to_string(skip));
        Failing failing(skip, 1);
        const size_t before = slots_in_use();
        PyObject* type = failing(
            [] { return PyErr_NewExceptionWithDoc("contract.Own", "doc", nullptr, nullptr); });
        if (type != nullptr) {
            EXPECT_EQ(failing.failed(), 0U);
            EXPECT_GE(skip, 2U);
            Py_DECREF(type);
            break;
        }
        expect_raised(PyExc_MemoryError);
        EXPECT_EQ(slots_in_use(), before) << "something is left";
    }
}

EVERY_COUNT_POLICY(NewClasses);

}  // namespace
}  // namespace ouro::test
