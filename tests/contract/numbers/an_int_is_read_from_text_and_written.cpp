// Text becomes an int in any base from 2 to 36, or as a literal says, and an int becomes text; what is no
// literal is a ValueError that shows it. Source: "Integer Objects", PyLong_FromString; "Number Protocol",
// PyNumber_ToBase; "Built-in Functions", int(); "Integer string conversion length limitation".

#include <cstring>

#include "tests/contract/numbers.hpp"

namespace ouro::test {
namespace {

using Texts = Things;

struct LiteralCase {
    const char* text;
    int base;
    const char* result;  // nullptr: an invalid literal
    long end;            // where reading ended
};

const LiteralCase kLiteralCases[] = {
    {"12", 10, "12", 2},
    {" \t12\n ", 10, "12", 6},
    {"+5", 10, "5", 2},
    {"-0", 10, "0", 2},
    {"1_000_000", 10, "1000000", 9},
    {"-9223372036854775808", 10, "-9223372036854775808", 20},
    {"-9223372036854775809", 10, "-9223372036854775809", 20},
    {"340282366920938463463374607431768211456", 10, "340282366920938463463374607431768211456", 39},
    {"0x1f", 0, "31", 4},
    {"0X1F", 16, "31", 4},
    {"1f", 16, "31", 2},
    {"0x_f", 16, "15", 4},
    {"0b_1", 0, "1", 4},
    {"0o17", 0, "15", 4},
    {"0b1", 16, "177", 3},
    {"zz", 36, "1295", 2},
    {"000", 0, "0", 3},
    {"0_0", 0, "0", 3},
    {"-0x123456789abcdef0123456789abcdef", 16, "-1512366075204170929049582354406559215", 34},
    {"11111111111111111111111111111111111111111111111111111111111111111", 2, "36893488147419103231",
     65},
    {"1234567012345670123456701234567", 8, "1616895878810725189668911479", 31},
    {"zyxwvutsrqponmlkjihg", 36, "13356582298403861631865099979860", 20},
    {"12x", 10, nullptr, 2},
    {"12 3", 10, nullptr, 3},
    {"1__2", 10, nullptr, 1},
    {"1__2", 16, nullptr, 1},
    {"1_", 10, nullptr, 1},
    {"_1", 10, nullptr, 0},
    {"", 10, nullptr, 0},
    {"-", 10, nullptr, 1},
    {"--5", 10, nullptr, 1},
    {"0x", 16, nullptr, 2},
    {"0x_", 16, nullptr, 3},
    {"0x__1", 16, nullptr, 3},
    {"12", 2, nullptr, 1},
};

TEST_P(Texts, AreReadInEveryBase) {
    for (const LiteralCase& c : kLiteralCases) {
        SCOPED_TRACE(c.text);
        char* end = nullptr;
        PyObject* op = PyLong_FromString(c.text, &end, c.base);
        EXPECT_EQ(end - c.text, c.end);
        const std::string expected = c.result != nullptr
                                         ? c.result
                                         : "ValueError: invalid literal for int() with base " +
                                               std::to_string(c.base) + ": '" + c.text + "'";
        EXPECT_EQ(take_text(op), expected);
    }
}

// Where the text says the base, the message says it too; but a literal that begins with a zero has none.
TEST_P(Texts, NameTheBaseThatWasUsed) {
    const std::pair<const char*, const char*> cases[] = {
        {"0b12", "ValueError: invalid literal for int() with base 2: '0b12'"},
        {"0o78", "ValueError: invalid literal for int() with base 8: '0o78'"},
        {"x", "ValueError: invalid literal for int() with base 10: 'x'"},
        {"012", "ValueError: invalid literal for int() with base 0: '012'"},
        {"01x", "ValueError: invalid literal for int() with base 0: '01x'"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(take_text(PyLong_FromString(text, nullptr, 0)), expected);
    }
    // A str is read with the base that was asked for, and the message says that one.
    PyObject* text = PyUnicode_FromString("0b12");
    EXPECT_EQ(take_text(PyLong_FromUnicodeObject(text, 0)),
              "ValueError: invalid literal for int() with base 0: '0b12'");
    Py_DECREF(text);
}

TEST_P(Texts, NeedABase) {
    for (const int base : {-1, 1, 37}) {
        char text[] = "1";
        char* end = text;
        EXPECT_EQ(take_text(PyLong_FromString(text, &end, base)),
                  "ValueError: int() arg 2 must be >= 2 and <= 36");
        EXPECT_EQ(end, text) << "nothing was read";
    }
}

TEST_P(Texts, MayHaveDigitsOfAnyScript) {
    PyObject* text = PyUnicode_FromString("\xE3\x80\x80-\xD9\xA1\xEF\xBC\x92_3\xC2\xA0");
    EXPECT_EQ(take_text(PyNumber_Long(text)), "-123");
    Py_DECREF(text);
    text = PyUnicode_FromString("1\xC3\xA9");
    EXPECT_EQ(PyNumber_Long(text), nullptr);
    expect_raised(PyExc_ValueError, "invalid literal for int() with base 10: '1\xC3\xA9'");
    Py_DECREF(text);
}

TEST_P(Texts, EndWhereTheStrEnds) {
    PyObject* text = PyUnicode_FromStringAndSize("12\0"
                                                 "3",
                                                 4);
    EXPECT_EQ(PyNumber_Long(text), nullptr);
    expect_raised(PyExc_ValueError);
    Py_DECREF(text);
}

TEST_P(Texts, OfTooManyDecimalDigitsAreRefused) {
    const std::string most(4300, '7');
    const std::string more(4301, '7');
    EXPECT_EQ(take_text(integer(most)), most);
    EXPECT_EQ(take_text(integer("-" + most)), "-" + most);
    EXPECT_EQ(
        take_text(integer(more)),
        "ValueError: Exceeds the limit (4300 digits) for integer string conversion: value has "
        "4301 digits; use sys.set_int_max_str_digits() to increase the limit");
    for (const size_t digits : {3572u, 4000u, 100'000u}) {
        PyObject* large = integer(std::string(digits, 'f'), 16);  // 4302 decimal digits and more
        EXPECT_EQ(take_text(Py_NewRef(large)),
                  "ValueError: Exceeds the limit (4300 digits) for integer string conversion; use "
                  "sys.set_int_max_str_digits() to increase the limit");
        EXPECT_EQ(take_text(PyNumber_ToBase(large, 16)), "0x" + std::string(digits, 'f'));
        Py_DECREF(large);
    }
}

std::string in_base(const char* digits, int base) {
    PyObject* op = integer(digits);
    const std::string text = take_text(PyNumber_ToBase(op, base));
    Py_DECREF(op);
    return text;
}

TEST_P(Texts, AreWrittenInTheBasesOfLiterals) {
    EXPECT_EQ(in_base("10", 2), "0b1010");
    EXPECT_EQ(in_base("-10", 8), "-0o12");
    EXPECT_EQ(in_base("255", 16), "0xff");
    EXPECT_EQ(in_base("-9223372036854775808", 16), "-0x8000000000000000");
    EXPECT_EQ(in_base("-9223372036854775808", 10), "-9223372036854775808");
    EXPECT_EQ(in_base("7", 10), "7");
    EXPECT_EQ(in_base("0", 2), "0b0");
    EXPECT_EQ(in_base("0", 10), "0");
    EXPECT_EQ(in_base("-1000000000000000000000000000000", 16), "-0xc9f2c9cd04674edea40000000");
    EXPECT_EQ(in_base("1000000000000000000000000000000", 8),
              "0o1447626234640431647336510000000000");
    EXPECT_EQ(in_base("-100000000000000000000", 2),
              "-0b1010110101111000111010111100010110101100011000100000000000000000000");
    EXPECT_EQ(in_base("5", 3), "SystemError: PyNumber_ToBase: base must be 2, 8, 10 or 16");
    EXPECT_EQ(take_text(PyNumber_ToBase(Py_None, 10)),
              "TypeError: 'NoneType' object cannot be interpreted as an integer");
}

TEST_P(Texts, OfBoolsAreNames) {
    EXPECT_EQ(take_text(Py_NewRef(Py_True)), "True");
    EXPECT_EQ(take_text(Py_NewRef(Py_False)), "False");
    EXPECT_EQ(take_text(PyNumber_ToBase(Py_True, 2)), "0b1");
}

PyObject* str(const char* text) {
    return PyUnicode_FromString(text);
}

TEST_P(Texts, AreTakenByInt) {
    PyObject* base = PyDict_New();
    PyDict_SetItemString(base, "base", PyLong_FromLong(16));
    PyObject* unknown = PyDict_New();
    PyDict_SetItemString(unknown, "x", PyLong_FromLong(16));
    EXPECT_EQ(made_by(&PyLong_Type, {}), "0");
    EXPECT_EQ(made_by(&PyLong_Type, {str("12")}), "12");
    EXPECT_EQ(made_by(&PyLong_Type, {str("ff"), PyLong_FromLong(16)}), "255");
    EXPECT_EQ(made_by(&PyLong_Type, {str("ff")}, base), "255");
    EXPECT_EQ(made_by(&PyLong_Type, {PyFloat_FromDouble(-1.5)}), "-1");
    EXPECT_EQ(made_by(&PyLong_Type, {Py_NewRef(Py_True)}), "1");
    EXPECT_EQ(made_by(&PyLong_Type, {}, base), "TypeError: int() missing string argument");
    EXPECT_EQ(made_by(&PyLong_Type, {}, unknown),
              "TypeError: int() got an unexpected keyword argument 'x'");
    EXPECT_EQ(made_by(&PyLong_Type, {PyLong_FromLong(1), PyLong_FromLong(10)}),
              "TypeError: int() can't convert non-string with explicit base");
    EXPECT_EQ(made_by(&PyLong_Type, {str("1"), PyLong_FromLong(10), Py_NewRef(Py_None)}),
              "TypeError: int() takes at most 2 arguments (3 given)");
    for (const long wrong : {-1L, 1L, 37L, 1L << 40}) {
        EXPECT_EQ(made_by(&PyLong_Type, {str("1"), PyLong_FromLong(wrong)}),
                  "ValueError: int() base must be >= 2 and <= 36, or 0");
    }
    EXPECT_EQ(made_by(&PyLong_Type, {str("1"), Py_NewRef(Py_None)}),
              "TypeError: 'NoneType' object cannot be interpreted as an integer");
    EXPECT_EQ(made_by(&PyLong_Type, {Py_NewRef(Py_None)}),
              "TypeError: int() argument must be a string, a bytes-like object or a real number, "
              "not 'NoneType'");
    drop({base, unknown});
}

TEST_P(Texts, AreTakenByBoolForWhetherTheyAre) {
    PyObject* named = PyDict_New();
    PyDict_SetItemString(named, "x", Py_True);
    EXPECT_EQ(made_by(&PyBool_Type, {}), "False");
    EXPECT_EQ(made_by(&PyBool_Type, {PyLong_FromLong(7)}), "True");
    EXPECT_EQ(made_by(&PyBool_Type, {PyFloat_FromDouble(-0.0)}), "False");
    EXPECT_EQ(made_by(&PyBool_Type, {Py_NewRef(Py_None)}), "False");
    EXPECT_EQ(made_by(&PyBool_Type, {PyLong_FromLong(7), PyLong_FromLong(7)}),
              "TypeError: bool expected at most 1 argument, got 2");
    EXPECT_EQ(made_by(&PyBool_Type, {}, named), "TypeError: bool() takes no keyword arguments");
    Py_DECREF(named);
}

EVERY_WAY_OF_COUNTING(Texts);

}  // namespace
}  // namespace ouro::test
