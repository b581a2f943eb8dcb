// Arithmetic of floats, with ints too, is that of doubles, but that dividing by zero and results too large
// are exceptions; what is left of a division has the divisor's sign. A float is read from text and written
// as the shortest text that gives it back. Source: "Floating-Point Objects"; "Built-in Types", numeric types;
// "Built-in Functions", float() and divmod().

#include <cfloat>
#include <cmath>
#include <limits>

#include "tests/contract/numbers.hpp"

namespace ouro::test {
namespace {

using Arithmetic = Things;

TEST_P(Arithmetic, IsThatOfDoubles) {
    EXPECT_EQ(apply(PyNumber_Add, 0.1, 0.2), "0.30000000000000004");
    EXPECT_EQ(apply(PyNumber_Subtract, 1.0, 0.9), "0.09999999999999998");
    EXPECT_EQ(apply(PyNumber_Multiply, 1e200, 1e200), "inf");
    EXPECT_EQ(apply(PyNumber_TrueDivide, 1.0, 3.0), "0.3333333333333333");
    EXPECT_EQ(apply(PyNumber_Subtract, kInfinity, kInfinity), "nan");
}

TEST_P(Arithmetic, RoundsQuotientsDown) {
    EXPECT_EQ(apply(PyNumber_FloorDivide, -7.5, 2.0), "-4.0");
    EXPECT_EQ(apply(PyNumber_Remainder, -7.5, 2.0), "0.5");
    EXPECT_EQ(apply(PyNumber_Remainder, 7.5, -2.0), "-0.5");
    EXPECT_EQ(apply(PyNumber_Remainder, 6.0, -2.0), "-0.0");
    EXPECT_EQ(apply(PyNumber_FloorDivide, 0.0, -2.0), "-0.0");
    EXPECT_EQ(apply(PyNumber_Divmod, 7.5, 2.0), "(3.0, 1.5)");
    EXPECT_EQ(apply(PyNumber_Divmod, -1e-20, 3.0), "(-1.0, 3.0)");
    EXPECT_EQ(apply(PyNumber_Divmod, 1.0, 0.1), "(9.0, 0.09999999999999995)");
    EXPECT_EQ(apply(PyNumber_Divmod, 5.0, kInfinity), "(0.0, 5.0)");
    EXPECT_EQ(apply(PyNumber_Divmod, -5.0, kInfinity), "(-1.0, inf)");
}

TEST_P(Arithmetic, CannotDivideByZero) {
    EXPECT_EQ(apply(PyNumber_TrueDivide, 1.0, 0.0), "ZeroDivisionError: float division by zero");
    EXPECT_EQ(apply(PyNumber_FloorDivide, 1.0, -0.0),
              "ZeroDivisionError: float floor division by zero");
    EXPECT_EQ(apply(PyNumber_Remainder, 1.0, 0.0), "ZeroDivisionError: float modulo");
    EXPECT_EQ(apply(PyNumber_Divmod, 1.0, 0.0), "ZeroDivisionError: float divmod()");
}

std::string power(double x, double y) {
    PyObject* a = PyFloat_FromDouble(x);
    PyObject* b = PyFloat_FromDouble(y);
    const std::string text = take_text(PyNumber_Power(a, b, Py_None));
    drop({a, b});
    return text;
}

TEST_P(Arithmetic, RaisesToPowers) {
    EXPECT_EQ(power(2.0, 0.5), "1.4142135623730951");
    EXPECT_EQ(power(-8.0, 3.0), "-512.0");
    EXPECT_EQ(power(0.0, 0.0), "1.0");
    EXPECT_EQ(power(-0.0, 3.0), "-0.0");
    EXPECT_EQ(power(NAN, 0.0), "1.0");
    EXPECT_EQ(power(1.0, NAN), "1.0");
    EXPECT_EQ(power(2.0, NAN), "nan");
    constexpr double kSignalling = std::numeric_limits<double>::signaling_NaN();
    EXPECT_EQ(power(kSignalling, 0.0), "1.0");
    EXPECT_EQ(power(1.0, kSignalling), "1.0");
    EXPECT_EQ(power(-1.0, kInfinity), "1.0");
    EXPECT_EQ(power(-2.0, kInfinity), "inf");
    EXPECT_EQ(power(0.5, kInfinity), "0.0");
    EXPECT_EQ(power(0.0, -kInfinity), "inf");
    EXPECT_EQ(power(-kInfinity, 3.0), "-inf");
    EXPECT_EQ(power(-kInfinity, -3.0), "-0.0");
    EXPECT_EQ(power(-kInfinity, 0.5), "inf");
    EXPECT_EQ(power(1e-300, 2.0), "0.0");
    EXPECT_EQ(power(0.0, -1.0), "ZeroDivisionError: 0.0 cannot be raised to a negative power");
    EXPECT_EQ(power(2.0, 5000.0).find("OverflowError"), 0u);
    EXPECT_EQ(power(-8.0, 0.5), "(1.7319121124709868e-16+2.8284271247461903j)");
}

TEST_P(Arithmetic, HasNoModularPower) {
    PyObject* x = PyFloat_FromDouble(2.0);
    PyObject* three = PyLong_FromLong(3);
    constexpr const char* kMessage =
        "TypeError: pow() 3rd argument not allowed unless all arguments are integers";
    EXPECT_EQ(take_text(PyNumber_Power(x, three, three)), kMessage);
    EXPECT_EQ(take_text(PyNumber_Power(three, three, x)), kMessage);
    Py_DECREF(x);
}

TEST_P(Arithmetic, TakesInts) {
    EXPECT_EQ(test::apply(PyNumber_Add, PyLong_FromLong(1), PyFloat_FromDouble(0.5)), "1.5");
    EXPECT_EQ(test::apply(PyNumber_Add, PyFloat_FromDouble(0.5), PyLong_FromLong(1)), "1.5");
    EXPECT_EQ(test::apply(PyNumber_Multiply, PyFloat_FromDouble(0.5), Py_NewRef(Py_True)), "0.5");
    const std::string huge = "1" + std::string(400, '0');
    EXPECT_EQ(test::apply(PyNumber_Add, PyFloat_FromDouble(0.5), integer(huge)),
              "OverflowError: int too large to convert to float");
    EXPECT_EQ(test::apply(PyNumber_Multiply, integer(huge), PyFloat_FromDouble(1.0)),
              "OverflowError: int too large to convert to float");
}

TEST_P(Arithmetic, HasUnaryOperations) {
    const auto unary = [](PyObject* (*operation)(PyObject*), double x) {
        return test::apply(operation, PyFloat_FromDouble(x));
    };
    EXPECT_EQ(unary(PyNumber_Negative, 0.0), "-0.0");
    EXPECT_EQ(unary(PyNumber_Positive, -1.5), "-1.5");
    EXPECT_EQ(unary(PyNumber_Absolute, -1.5), "1.5");
    EXPECT_EQ(unary(PyNumber_Long, -1.5), "-1");
    EXPECT_EQ(unary(PyNumber_Long, NAN), "ValueError: cannot convert float NaN to integer");
    EXPECT_EQ(unary(PyNumber_Invert, 1.5), "TypeError: bad operand type for unary ~: 'float'");
    EXPECT_EQ(unary(PyNumber_Index, 1.5),
              "TypeError: 'float' object cannot be interpreted as an integer");
    const inquiry truth = PyFloat_Type.tp_as_number->nb_bool;
    PyObject* numbers[] = {PyFloat_FromDouble(0.1), PyFloat_FromDouble(NAN),
                           PyFloat_FromDouble(-0.0)};
    EXPECT_EQ(truth(numbers[0]), 1);
    EXPECT_EQ(truth(numbers[1]), 1);
    EXPECT_EQ(truth(numbers[2]), 0);
    drop({numbers[0], numbers[1], numbers[2]});
}

TEST_P(Arithmetic, IsWrittenAsShortAsReadsBack) {
    const std::pair<double, const char*> cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {100.0, "100.0"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {12.5, "12.5"},
        {1e15, "1000000000000000.0"},
        {1234567890123456.7, "1234567890123456.8"},
        {9999999999999998.0, "9999999999999998.0"},
        {1e16, "1e+16"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {0.0001, "0.0001"},
        {0.00012, "0.00012"},
        {0.00001, "1e-05"},
        {0.000015, "1.5e-05"},
        {1.5e300, "1.5e+300"},
        {-1e100, "-1e+100"},
        {5e-324, "5e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {kInfinity, "inf"},
        {-kInfinity, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
    };
    for (const auto& [value, text] : cases) {
        EXPECT_EQ(take_text(PyFloat_FromDouble(value)), text);
    }
}

std::string read(const char* text) {
    PyObject* op = PyUnicode_FromString(text);
    const std::string result = take_text(PyFloat_FromString(op));
    Py_DECREF(op);
    return result;
}

TEST_P(Arithmetic, IsReadFromText) {
    const std::pair<const char*, const char*> cases[] = {
        {"1.5", "1.5"},
        {" \t-1.5\n", "-1.5"},
        {"+.5", "0.5"},
        {"5.", "5.0"},
        {"1e5", "100000.0"},
        {"1E-5", "1e-05"},
        {"1_0.5_0", "10.5"},
        {"1_0e1_0", "100000000000.0"},
        {"inf", "inf"},
        {"-INFINITY", "-inf"},
        {"Nan", "nan"},
        {"1e400", "inf"},
        {"-1e400", "-inf"},
        {"1e-400", "0.0"},
        {"-0", "-0.0"},
        {"2.2250738585072011e-308", "2.225073858507201e-308"},
        {"9007199254740993", "9007199254740992.0"},
        {"\xD9\xA1.\xD9\xA5", "1.5"},
        {"\xE2\x80\x83"
         "5\xC2\x85",
         "5.0"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(read(text), expected) << text;
    }
    for (const char* wrong :
         {"",   " ",    ".",    "+",    "x",   "1x", "1e",      "1e+",    "e5",  "1__0", "_1",
          "1_", "1_.5", "1._5", "1e_5", "0x1", "in", "infinit", "nan(1)", "1 2", "--1",  "1,5"}) {
        EXPECT_EQ(read(wrong),
                  std::string("ValueError: could not convert string to float: '") + wrong + "'");
    }
    PyObject* none = Py_None;
    EXPECT_EQ(take_text(PyFloat_FromString(none)),
              "TypeError: float() argument must be a string or a real number, not 'NoneType'");
}

TEST_P(Arithmetic, HashesAsEqualNumbersDo) {
    const auto hash = [](PyObject* op) {
        const Py_hash_t value = PyObject_Hash(op);
        Py_DECREF(op);
        return value;
    };
    const std::pair<double, Py_hash_t> hashes[] = {
        {0.5, 1152921504606846976},
        {1e300, 1224995262755759164},
        {kInfinity, 314159},
        {-kInfinity, -314159},
        {-1.0, -2},
        {0.0, 0},
    };
    for (const auto& [value, expected] : hashes) {
        EXPECT_EQ(hash(PyFloat_FromDouble(value)), expected) << value;
    }
    for (const double whole : {1e18, 9.3e18, -1e23, 1e300, DBL_MAX, 2305843009213693952.0}) {
        EXPECT_EQ(hash(PyFloat_FromDouble(whole)), hash(PyLong_FromDouble(whole))) << whole;
    }
    PyObject* nan = PyFloat_FromDouble(NAN);
    PyObject* other = PyFloat_FromDouble(NAN);
    EXPECT_EQ(PyObject_Hash(nan), PyObject_Hash(nan));
    EXPECT_NE(PyObject_Hash(nan), PyObject_Hash(other)) << "they are not equal";
    drop({nan, other});
}

TEST_P(Arithmetic, ComparesWithIntsOfAnySizeExactly) {
    const std::string huge = "1" + std::string(400, '0');
    struct {
        double x;
        std::string y;
        int order;
    } const cases[] = {
        {1e22, "10000000000000000000000", 0},
        {1e23, "100000000000000000000000", -1},
        {1e23, "99999999999999991611392", 0},
        {-1e23, "-99999999999999991611393", 1},
        {9223372036854775808.0, "9223372036854775807", 1},
        {9223372036854775808.0, "9223372036854775808", 0},
        {-9223372036854775808.0, "-9223372036854775809", 1},
        {1.5, "9223372036854775808", -1},
        {-1.5, "9223372036854775808", -1},
        {0.0, "-9223372036854775809", 1},
        {DBL_MAX, huge, -1},
        {kInfinity, huge, 1},
        {-kInfinity, "-" + huge, -1},
    };
    for (const auto& [x, y, order] : cases) {
        PyObject* a = PyFloat_FromDouble(x);
        PyObject* b = integer(y);
        EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), order < 0) << x << y;
        EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), order == 0) << x << y;
        EXPECT_EQ(PyObject_RichCompareBool(b, a, Py_LT), order > 0) << x << y;
        EXPECT_EQ(PyObject_RichCompareBool(b, a, Py_NE), order != 0) << x << y;
        drop({a, b});
    }
    PyObject* nan = PyFloat_FromDouble(NAN);
    PyObject* large = integer(huge);
    EXPECT_EQ(PyObject_RichCompareBool(nan, large, Py_LT), 0);
    EXPECT_EQ(PyObject_RichCompareBool(nan, large, Py_GE), 0);
    EXPECT_EQ(PyObject_RichCompareBool(nan, large, Py_NE), 1);
    drop({nan, large});
}

TEST_P(Arithmetic, BeginsWithFloat) {
    PyObject* named = PyDict_New();
    PyDict_SetItemString(named, "x", Py_True);
    EXPECT_EQ(made_by(&PyFloat_Type, {}), "0.0");
    EXPECT_EQ(made_by(&PyFloat_Type, {PyUnicode_FromString("1.5")}), "1.5");
    EXPECT_EQ(made_by(&PyFloat_Type, {PyLong_FromLong(7)}), "7.0");
    EXPECT_EQ(made_by(&PyFloat_Type, {Py_NewRef(Py_None)}),
              "TypeError: float() argument must be a string or a real number, not 'NoneType'");
    EXPECT_EQ(made_by(&PyFloat_Type, {PyLong_FromLong(1), PyLong_FromLong(2)}),
              "TypeError: float expected at most 1 argument, got 2");
    EXPECT_EQ(made_by(&PyFloat_Type, {}, named), "TypeError: float() takes no keyword arguments");
    Py_DECREF(named);
}

TEST_P(Arithmetic, HasTheLimitsOfADouble) {
    EXPECT_EQ(PyFloat_GetMax(), DBL_MAX);
    EXPECT_EQ(PyFloat_GetMin(), DBL_MIN);
    EXPECT_TRUE(Py_IS_NAN(Py_NAN));
    EXPECT_TRUE(Py_IS_INFINITY(Py_HUGE_VAL));
    EXPECT_FALSE(Py_IS_FINITE(Py_INFINITY));
    PyObject* op = PyFloat_FromDouble(2.5);
    EXPECT_EQ(PyFloat_AS_DOUBLE(op), 2.5);
    Py_DECREF(op);
    EXPECT_EQ(PyFloat_AsDouble(nullptr), -1.0);
    expect_raised(PyExc_TypeError, "bad argument type for built-in operation");
}

EVERY_WAY_OF_COUNTING(Arithmetic);

}  // namespace
}  // namespace ouro::test
