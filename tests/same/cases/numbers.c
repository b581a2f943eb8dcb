/* int, float and bool, and the number protocol over them. */
#include "tests/same/same.h"

#include <float.h>
#include <limits.h>

static PyObject* big(const char* digits) {
    return T(PyLong_FromString(digits, NULL, 10));
}

#define FOR_PAIRS(function)                                                      \
    do {                                                                         \
        PyObject* values = V("[iiidON]", 7, -3, 0, 2.5, Py_True, PyList_New(0)); \
        Py_ssize_t i, j;                                                         \
        for (i = 0; i < PyList_Size(values); ++i) {                              \
            for (j = 0; j < PyList_Size(values); ++j) {                          \
                PyObject* x = PyList_GetItem(values, i);                         \
                PyObject* y = PyList_GetItem(values, j);                         \
                PyObject* both = V("(OO)", x, y);                                \
                PyObject* text = T(PyObject_Repr(both));                         \
                got(PyUnicode_AsUTF8(text), function(x, y));                     \
            }                                                                    \
        }                                                                        \
    } while (0)

static PyObject* power(PyObject* x, PyObject* y) {
    return PyNumber_Power(x, y, Py_None);
}

CASE(numbers_add) {
    FOR_PAIRS(PyNumber_Add);
}
CASE(numbers_subtract) {
    FOR_PAIRS(PyNumber_Subtract);
}
CASE(numbers_divide_and_floor) {
    FOR_PAIRS(PyNumber_FloorDivide);
}
CASE(numbers_divide_truly) {
    FOR_PAIRS(PyNumber_TrueDivide);
}
CASE(numbers_have_remainders) {
    FOR_PAIRS(PyNumber_Remainder);
}
CASE(numbers_divmod) {
    FOR_PAIRS(PyNumber_Divmod);
}
CASE(numbers_have_powers) {
    PyObject* cases[][2] = {
        {I(2), I(10)},  {I(2), I(-1)}, {I(0), I(0)},   {I(0), I(-1)},
        {F(2), F(0.5)}, {I(-8), I(3)}, {I(2), S("x")}, {big("12345678901234567890"), I(3)}};
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
        PyObject* text = T(PyObject_Repr(V("(OO)", cases[i][0], cases[i][1])));
        got(PyUnicode_AsUTF8(text), power(cases[i][0], cases[i][1]));
    }
    got("modulo", PyNumber_Power(I(3), I(100), I(7)));
    got("inverse", PyNumber_Power(I(3), I(-1), I(7)));
    got("no inverse", PyNumber_Power(I(2), I(-1), I(4)));
    got("modulo 0", PyNumber_Power(I(3), I(2), I(0)));
    got("floats modulo", PyNumber_Power(F(3), I(2), I(5)));
}
CASE(numbers_have_bits) {
    got("and", PyNumber_And(I(12), I(10)));
    got("or", PyNumber_Or(I(12), I(10)));
    got("xor", PyNumber_Xor(I(12), I(10)));
    got("negative and", PyNumber_And(I(-12), I(10)));
    got("bools", PyNumber_And(Py_True, Py_False));
    got("bool or int", PyNumber_Or(Py_True, I(6)));
    got("invert", PyNumber_Invert(I(5)));
    got("shift", PyNumber_Lshift(I(1), I(70)));
    got("shift back", PyNumber_Rshift(big("1180591620717411303424"), I(69)));
    got("negative shift", PyNumber_Lshift(I(1), I(-1)));
    got("negative shift back", PyNumber_Rshift(I(1), I(-1)));
    got("rounds down", PyNumber_Rshift(I(-1), I(5)));
    got("float and", PyNumber_And(F(1), I(1)));
    got("float invert", PyNumber_Invert(F(1)));
}
CASE(one_number) {
    got("neg", PyNumber_Negative(I(5)));
    got("neg of True", PyNumber_Negative(Py_True));
    got("pos of True", PyNumber_Positive(Py_True));
    got("abs", PyNumber_Absolute(I(-5)));
    got("abs of a float", PyNumber_Absolute(F(-2.5)));
    got("abs of the smallest", PyNumber_Absolute(big("-9223372036854775808")));
    got("neg of a str", PyNumber_Negative(S("x")));
    got("abs of None", PyNumber_Absolute(Py_None));
    done("check int", PyNumber_Check(I(1)));
    done("check float", PyNumber_Check(F(1)));
    done("check str", PyNumber_Check(S("1")));
    done("check NULL", PyNumber_Check(NULL));
    done("index of int", PyIndex_Check(I(1)));
    done("index of float", PyIndex_Check(F(1)));
}
CASE(large_numbers) {
    PyObject* a = big("123456789012345678901234567890");
    PyObject* b = big("987654321098765432109876543210");
    got("sum", PyNumber_Add(a, b));
    got("difference", PyNumber_Subtract(a, b));
    got("product", PyNumber_Multiply(a, b));
    got("quotient", PyNumber_FloorDivide(b, a));
    got("remainder", PyNumber_Remainder(PyNumber_Negative(b), a));
    got("true quotient", PyNumber_TrueDivide(b, a));
    done("compare", PyObject_RichCompareBool(a, b, Py_LT));
    got("as float", PyNumber_Float(a));
    done("hash", PyObject_Hash(a));
    done("hash of -1", PyObject_Hash(I(-1)));
    done("equal to its float",
         PyObject_RichCompareBool(big("100000000000000000000"), F(1e20), Py_EQ));
    got("too large", PyNumber_Float(T(PyNumber_Power(I(10), I(400), Py_None))));
    got("too large to divide",
        PyNumber_TrueDivide(T(PyNumber_Power(I(10), I(400), Py_None)), I(3)));
}
CASE(ints_from_text) {
    got("decimal", PyLong_FromString("42", NULL, 10));
    got("spaces and sign", PyLong_FromString("  -42  ", NULL, 10));
    got("hexadecimal", PyLong_FromString("ff", NULL, 16));
    got("by prefix", PyLong_FromString("0xff", NULL, 0));
    got("binary by prefix", PyLong_FromString("0b101", NULL, 0));
    got("underscores", PyLong_FromString("1_000", NULL, 10));
    got("two underscores", PyLong_FromString("1__000", NULL, 10));
    got("leading zero by prefix", PyLong_FromString("010", NULL, 0));
    got("base 36", PyLong_FromString("zz", NULL, 36));
    got("nothing", PyLong_FromString("", NULL, 10));
    got("a letter", PyLong_FromString("12x", NULL, 10));
    got("base 1", PyLong_FromString("1", NULL, 1));
    got("base 37", PyLong_FromString("1", NULL, 37));
    got("unicode", PyLong_FromUnicodeObject(S("\xd9\xa3\xd9\xa4"), 10));
}
CASE(ints_become_c_integers) {
    int overflow = 0;
    done("long", PyLong_AsLong(I(LONG_MAX)));
    done("too large", PyLong_AsLong(big("9223372036854775808")));
    done("too small", PyLong_AsLong(big("-9223372036854775809")));
    done("a float", PyLong_AsLong(F(1.5)));
    done("a str", PyLong_AsLong(S("1")));
    done("overflow", PyLong_AsLongAndOverflow(big("9223372036854775808"), &overflow));
    done("which", overflow);
    done("underflow", PyLong_AsLongAndOverflow(big("-9223372036854775809"), &overflow));
    done("which", overflow);
    done("unsigned", PyLong_AsUnsignedLong(big("18446744073709551615")) == ULONG_MAX);
    done("unsigned of -1", PyLong_AsUnsignedLong(I(-1)) == ULONG_MAX);
    done("unsigned too large", PyLong_AsUnsignedLong(big("18446744073709551616")) == ULONG_MAX);
    done("unsigned of a float", PyLong_AsUnsignedLong(F(1)) == ULONG_MAX);
    done("mask of -1", PyLong_AsUnsignedLongMask(I(-1)) == ULONG_MAX);
    done("mask of 2**64 + 5", PyLong_AsUnsignedLongMask(big("18446744073709551621")));
    done("long long", PyLong_AsLongLong(big("9223372036854775808")));
    done("size", PyLong_AsSsize_t(big("9223372036854775808")));
    done("size_t of -1", PyLong_AsSize_t(I(-1)) == (size_t)-1);
    done("size of a str", PyLong_AsSsize_t(S("1")));
    done("double", (long long)PyLong_AsDouble(I(5)));
    done("double too large", PyLong_AsDouble(T(PyNumber_Power(I(10), I(400), Py_None))) == -1.0);
    done("index clipped", PyNumber_AsSsize_t(big("9223372036854775808"), NULL) == PY_SSIZE_T_MAX);
    done("index clipped below",
         PyNumber_AsSsize_t(big("-9223372036854775809"), NULL) == PY_SSIZE_T_MIN);
    done("index error", PyNumber_AsSsize_t(big("9223372036854775808"), PyExc_IndexError));
    done("index of a float", PyNumber_AsSsize_t(F(1), PyExc_IndexError));
}
CASE(ints_from_c) {
    got("long", PyLong_FromLong(LONG_MIN));
    got("unsigned", PyLong_FromUnsignedLong(ULONG_MAX));
    got("double", PyLong_FromDouble(-2.9));
    got("large double", PyLong_FromDouble(1e20));
    got("nan", PyLong_FromDouble(NAN));
    got("infinity", PyLong_FromDouble(INFINITY));
    got("size", PyLong_FromSsize_t(PY_SSIZE_T_MIN));
    got("bool", PyBool_FromLong(-5));
}
CASE(floats_show_themselves) {
    double values[] = {0.0,           -0.0,     1.0,       0.1,   1e16,     1e15,
                       123456789.123, 1e-5,     0.0001,    1e100, DBL_MAX,  DBL_MIN,
                       5e-324,        INFINITY, -INFINITY, NAN,   1.0 / 3.0};
    size_t i;
    for (i = 0; i < sizeof values / sizeof *values; ++i) {
        got("float", PyFloat_FromDouble(values[i]));
    }
}
CASE(floats_from_text) {
    got("1.5", PyFloat_FromString(S("1.5")));
    got("spaces", PyFloat_FromString(S("  -1e3 ")));
    got("inf", PyFloat_FromString(S("-Infinity")));
    got("nan", PyFloat_FromString(S("nan")));
    got("underscores", PyFloat_FromString(S("1_0.5")));
    got("bytes", PyFloat_FromString(T(PyBytes_FromString("2.5"))));
    got("nothing", PyFloat_FromString(S("")));
    got("letters", PyFloat_FromString(S("one")));
    got("an int", PyFloat_FromString(I(1)));
}
CASE(floats_as_double) {
    say("%g", PyFloat_AsDouble(F(2.5)));
    say("%g", PyFloat_AsDouble(I(3)));
    say("%g", PyFloat_AsDouble(Py_True));
    done("a str", PyFloat_AsDouble(S("1")) == -1.0);
    done("None", PyFloat_AsDouble(Py_None) == -1.0);
    done("max", PyFloat_GetMax() == DBL_MAX);
}
CASE(floats_compare_and_hash) {
    done("1 == 1.0", PyObject_RichCompareBool(I(1), F(1), Py_EQ));
    done("2**53 + 1 == float",
         PyObject_RichCompareBool(I(9007199254740993), F(9007199254740992.0), Py_EQ));
    done("2**53 + 1 > float",
         PyObject_RichCompareBool(I(9007199254740993), F(9007199254740992.0), Py_GT));
    got("nan == nan", PyObject_RichCompare(F(NAN), F(NAN), Py_EQ));
    got("nan < 1", PyObject_RichCompare(F(NAN), I(1), Py_LT));
    got("inf > big",
        PyObject_RichCompare(F(INFINITY), T(PyNumber_Power(I(10), I(400), Py_None)), Py_GT));
    got("1 < 'x'", PyObject_RichCompare(I(1), S("x"), Py_LT));
    done("hash of 1.0", PyObject_Hash(F(1)));
    done("hash of 0.5", PyObject_Hash(F(0.5)));
    done("hash of inf", PyObject_Hash(F(INFINITY)));
    done("hash of -inf", PyObject_Hash(F(-INFINITY)));
    done("hash of 1e300", PyObject_Hash(F(1e300)));
    done("hash of 2**61 - 1", PyObject_Hash(I(2305843009213693951)));
    done("hash of 2**61", PyObject_Hash(I(2305843009213693952)));
}
CASE(conversions_of_the_number_protocol) {
    got("int of a float", PyNumber_Long(F(-2.9)));
    got("int of a str", PyNumber_Long(S(" 42 ")));
    got("int of bytes", PyNumber_Long(T(PyBytes_FromString("42"))));
    got("int of a bad str", PyNumber_Long(S("4x")));
    got("int of None", PyNumber_Long(Py_None));
    got("int of nan", PyNumber_Long(F(NAN)));
    got("float of an int", PyNumber_Float(I(3)));
    got("float of a str", PyNumber_Float(S("2.5")));
    got("float of a list", PyNumber_Float(V("[]")));
    got("index of True", PyNumber_Index(Py_True));
    got("index of a float", PyNumber_Index(F(1)));
    got("base 2", PyNumber_ToBase(I(10), 2));
    got("base 8", PyNumber_ToBase(I(-10), 8));
    got("base 16", PyNumber_ToBase(I(255), 16));
    got("base 7", PyNumber_ToBase(I(255), 7));
    got("base of a float", PyNumber_ToBase(F(1), 2));
}
CASE(numbers_made_by_their_types) {
    PyObject* int_type = (PyObject*)&PyLong_Type;
    PyObject* float_type = (PyObject*)&PyFloat_Type;
    PyObject* bool_type = (PyObject*)&PyBool_Type;
    got("int()", PyObject_CallNoArgs(int_type));
    got("int('ff', 16)", PyObject_CallFunction(int_type, "si", "ff", 16));
    got("int(1, 2)", PyObject_CallFunction(int_type, "ii", 1, 2));
    got("int('x')", PyObject_CallFunction(int_type, "s", "x"));
    got("int(base=2)", PyObject_Call(int_type, V("()"), V("{s:i}", "base", 2)));
    got("float()", PyObject_CallNoArgs(float_type));
    got("float('1e3')", PyObject_CallFunction(float_type, "s", "1e3"));
    got("float(1, 2)", PyObject_CallFunction(float_type, "ii", 1, 2));
    got("bool()", PyObject_CallNoArgs(bool_type));
    got("bool([])", PyObject_CallFunction(bool_type, "[]"));
    got("bool('x')", PyObject_CallFunction(bool_type, "s", "x"));
    got("bool(1, 2)", PyObject_CallFunction(bool_type, "ii", 1, 2));
    got("a derived int", PyObject_CallFunction(T(derive("MyInt", int_type, NULL)), "i", 5));
    see("its type",
        (PyObject*)Py_TYPE(T(PyObject_CallFunction(T(derive("MyInt", int_type, NULL)), "i", 5))));
    got("a derived float", PyObject_CallFunction(T(derive("MyFloat", float_type, NULL)), "d", 1.5));
}
CASE(numbers_have_methods) {
    got("bit_length", PyObject_CallMethod(I(255), "bit_length", NULL));
    got("to_bytes", PyObject_CallMethod(I(258), "to_bytes", "is", 2, "big"));
    got("to_bytes too small", PyObject_CallMethod(I(258), "to_bytes", "is", 1, "big"));
    got("from_bytes", PyObject_CallMethod((PyObject*)&PyLong_Type, "from_bytes", "y#s", "\x01\x02",
                                          (Py_ssize_t)2, "little"));
    got("real", PyObject_GetAttrString(I(5), "real"));
    got("imag", PyObject_GetAttrString(I(5), "imag"));
    got("denominator", PyObject_GetAttrString(I(5), "denominator"));
    got("conjugate", PyObject_CallMethod(I(5), "conjugate", NULL));
    got("is_integer", PyObject_CallMethod(F(2), "is_integer", NULL));
    got("as_integer_ratio", PyObject_CallMethod(F(0.75), "as_integer_ratio", NULL));
    got("hex", PyObject_CallMethod(F(1.5), "hex", NULL));
    got("__add__", PyObject_CallMethod(I(5), "__add__", "i", 6));
    got("__add__ of a float", PyObject_CallMethod(I(5), "__add__", "d", 6.0));
    got("__radd__", PyObject_CallMethod(I(5), "__radd__", "i", 6));
    got("__index__", PyObject_CallMethod(I(5), "__index__", NULL));
    got("__bool__", PyObject_CallMethod(I(5), "__bool__", NULL));
}
