// A float gives back the double it was made from; it compares with ints and floats, and equal
// numbers have equal hashes. Source: "Floating-Point Objects"; "Built-in Types", hashing of
// numeric types.

#include <cmath>
#include <limits>

#include "tests/contract/numbers.hpp"

namespace ouro::test {
namespace {

using Floats = Things;

int compare(double x, double y, int operation) {
    PyObject* a = PyFloat_FromDouble(x);
    PyObject* b = PyFloat_FromDouble(y);
    const int result = PyObject_RichCompareBool(a, b, operation);
    drop({a, b});
    return result;
}

TEST_P(Floats, GiveBackTheDouble) {
    for (const double value : {0.0, -0.0, 1.5, -1.0, 1e308, 5e-324, kInfinity, -kInfinity}) {
        PyObject* op = PyFloat_FromDouble(value);
        EXPECT_TRUE(PyFloat_Check(op));
        EXPECT_TRUE(PyFloat_CheckExact(op));
        EXPECT_EQ(PyFloat_AsDouble(op), value);
        EXPECT_EQ(std::signbit(PyFloat_AsDouble(op)), std::signbit(value));
        EXPECT_EQ(PyErr_Occurred(), nullptr) << "-1.0 is a value too";
        Py_DECREF(op);
    }
    PyObject* nan = PyFloat_FromDouble(std::nan(""));
    EXPECT_TRUE(std::isnan(PyFloat_AsDouble(nan)));
    Py_DECREF(nan);
}

TEST_P(Floats, TakeInts) {
    PyObject* number = PyLong_FromLong(-7);
    EXPECT_EQ(PyFloat_AsDouble(number), -7.0);
    EXPECT_EQ(PyFloat_AsDouble(Py_True), 1.0);
    EXPECT_FALSE(PyFloat_Check(number));
    Py_DECREF(number);
}

TEST_P(Floats, TakeNothingElse) {
    PyObject* text = PyUnicode_FromString("1.5");
    EXPECT_EQ(PyFloat_AsDouble(text), -1.0);
    expect_raised(PyExc_TypeError, "must be real number, not str");
    Py_DECREF(text);
}

TEST_P(Floats, AreOrdered) {
    EXPECT_EQ(compare(1.5, 2.5, Py_LT), 1);
    EXPECT_EQ(compare(2.5, 2.5, Py_LT), 0);
    EXPECT_EQ(compare(2.5, 2.5, Py_LE), 1);
    EXPECT_EQ(compare(2.5, 2.5, Py_EQ), 1);
    EXPECT_EQ(compare(2.5, 2.5, Py_NE), 0);
    EXPECT_EQ(compare(2.5, 1.5, Py_GT), 1);
    EXPECT_EQ(compare(1.5, 2.5, Py_GE), 0);
    EXPECT_EQ(compare(0.0, -0.0, Py_EQ), 1);
    for (const int operation : {Py_LT, Py_LE, Py_EQ, Py_GT, Py_GE}) {
        EXPECT_EQ(compare(std::nan(""), 1.0, operation), 0);
    }
    EXPECT_EQ(compare(std::nan(""), std::nan(""), Py_NE), 1);
}

TEST_P(Floats, EqualIntsAndHashAlike) {
    for (const long whole : {0L, 1L, -1L, -2L, 1000000L, -123456789L, 1L << 40}) {
        PyObject* number = PyLong_FromLong(whole);
        PyObject* real = PyFloat_FromDouble(static_cast<double>(whole));
        EXPECT_EQ(PyObject_RichCompareBool(number, real, Py_EQ), 1) << whole;
        EXPECT_EQ(PyObject_RichCompareBool(real, number, Py_EQ), 1) << whole;
        EXPECT_EQ(PyObject_Hash(number), PyObject_Hash(real)) << whole;
        EXPECT_NE(PyObject_Hash(real), -1) << "that is the error value";
        drop({number, real});
    }
    PyObject* zero = PyFloat_FromDouble(0.0);
    PyObject* negative_zero = PyFloat_FromDouble(-0.0);
    EXPECT_EQ(PyObject_Hash(zero), PyObject_Hash(negative_zero));
    drop({zero, negative_zero});
}

// An int and a float compare by their values, not by the float nearest to the int.
TEST_P(Floats, CompareExactlyWithLargeInts) {
    PyObject* number = PyLong_FromLong((1L << 53) + 1);
    PyObject* nearest = PyFloat_FromDouble(static_cast<double>(1L << 53));
    EXPECT_EQ(PyObject_RichCompareBool(number, nearest, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(nearest, number, Py_LT), 1);
    drop({number, nearest});
}

TEST_P(Floats, AreKeysTogetherWithInts) {
    PyObject* dict = PyDict_New();
    PyObject* number = PyLong_FromLong(1000);
    PyObject* real = PyFloat_FromDouble(1000.0);
    ASSERT_EQ(PyDict_SetItem(dict, number, Py_True), 0);
    EXPECT_EQ(PyDict_GetItem(dict, real), Py_True);
    drop({dict, number, real});
}

TEST_P(Floats, AreNotTracked) {
    PyObject* op = PyFloat_FromDouble(1.5);
    EXPECT_EQ(PyObject_IS_GC(op), 0);
    Py_DECREF(op);
}

EVERY_RUNTIME(Floats);

}  // namespace
}  // namespace ouro::test
