// A complex has two doubles, which C code makes it of and takes from it; formats do both by D. Where memory is out
// there is a MemoryError and nothing is left. Source: "Complex Number Objects".

#include <cmath>

#include "tests/contract/things.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using Complexes = Things;

std::string shown(PyObject* op) {
    PyObject* text = PyObject_Repr(op);
    std::string result = PyUnicode_AsUTF8(text);
    Py_DECREF(text);
    return result;
}

TEST_P(Complexes, AreMadeOfDoublesAndGiveThemBack) {
    PyObject* op = PyComplex_FromDoubles(1.5, -0.0);
    ASSERT_NE(op, nullptr);
    EXPECT_TRUE(PyComplex_CheckExact(op));
    EXPECT_EQ(PyComplex_RealAsDouble(op), 1.5);
    EXPECT_TRUE(std::signbit(PyComplex_ImagAsDouble(op)));
    const Py_complex value = PyComplex_AsCComplex(op);
    EXPECT_EQ(value.real, 1.5);
    EXPECT_EQ(shown(op), "(1.5-0j)");
    PyObject* second = PyComplex_FromCComplex(value);
    EXPECT_EQ(PyObject_RichCompareBool(op, second, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(second));
    EXPECT_EQ(Py_REFCNT(op), 1);
    drop({op, second});
}

TEST_P(Complexes, AreWhatOtherNumbersAreToo) {
    PyObject* five = PyLong_FromLong(5);
    EXPECT_EQ(PyComplex_Check(five), 0);
    EXPECT_EQ(PyComplex_RealAsDouble(five), 5.0);
    EXPECT_EQ(PyComplex_ImagAsDouble(five), 0.0);
    EXPECT_EQ(PyComplex_RealAsDouble(Py_None), -1.0);
    expect_raised(PyExc_TypeError, "must be real number, not NoneType");
    EXPECT_EQ(PyComplex_ImagAsDouble(Py_None), -1.0);
    expect_raised(PyExc_TypeError, "must be real number, not NoneType");
    Py_DECREF(five);
}

TEST_P(Complexes, GoThroughFormats) {
    const Py_complex value{3.0, 4.0};
    PyObject* args = Py_BuildValue("(Dd)", &value, 2.5);
    ASSERT_NE(args, nullptr);
    Py_complex first{}, second{};
    ASSERT_EQ(PyArg_ParseTuple(args, "DD", &first, &second), 1);
    EXPECT_EQ(first.real, 3.0);
    EXPECT_EQ(first.imag, 4.0);
    EXPECT_EQ(second.real, 2.5);
    EXPECT_EQ(second.imag, 0.0);
    EXPECT_EQ(PyArg_Parse(Py_None, "D", &first), 0);
    expect_raised(PyExc_TypeError, "must be real number, not NoneType");
    EXPECT_EQ(first.real, 3.0) << "stays what it was";
    Py_DECREF(args);
}

TEST_P(Complexes, NeedMemory) {
    PyObject* a = PyComplex_FromDoubles(1.0, 2.0);
    PyObject* text = PyUnicode_FromString("1+2j");
    auto* type = reinterpret_cast<PyObject*>(&PyComplex_Type);
    using Make = std::function<PyObject*()>;
    for (const Make& make : {Make([&] { return PyNumber_Multiply(a, a); }),
                             Make([&] { return PyNumber_Power(a, a, Py_None); }),
                             Make([&] { return PyObject_CallOneArg(type, text); }),
                             Make([&] { return PyObject_Repr(a); })}) {
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyObject* op = failing([&] { return make(); });
            if (op == nullptr) {
                expect_raised(PyExc_MemoryError);
            }
            Py_XDECREF(op);
        });
        EXPECT_GE(failures, 2) << "it allocates nothing, so this shows nothing";
    }
    EXPECT_EQ(Py_REFCNT(a), 1);
    drop({a, text});
}

EVERY_RUNTIME(Complexes);

}  // namespace
}  // namespace ouro::test
