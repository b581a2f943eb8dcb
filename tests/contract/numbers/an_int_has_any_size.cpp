// An int holds any integer: arithmetic, order and hash know no bounds, and what a C integer would not hold
// is computed exactly. Source: "Integer Objects"; "Built-in Types", numeric types, bitwise operations and
// hashing.

#include <climits>

#include "tests/contract/numbers.hpp"

namespace ouro::test {
namespace {

using Ints = Things;

struct OperationCase {
    const char* name;
    PyObject* (*operation)(PyObject*, PyObject*);
    const char *x, *y, *result;
};

constexpr const char* kMax = "9223372036854775807";
constexpr const char* kMin = "-9223372036854775808";
constexpr const char* kHuge = "1000000000000000000000000000000";  // 10 ** 30
constexpr const char* kLess = "-1000000000000000000000000000000";
constexpr const char* kMixed = "12345678901234567890123";

const OperationCase kOperationCases[] = {
    {"+", PyNumber_Add, kMax, "1", "9223372036854775808"},
    {"+", PyNumber_Add, kMin, "-1", "-9223372036854775809"},
    {"+", PyNumber_Add, "9223372036854775808", "-1", kMax},
    {"+", PyNumber_Add, kHuge, kLess, "0"},
    {"-", PyNumber_Subtract, kMin, "1", "-9223372036854775809"},
    {"-", PyNumber_Subtract, "5", "7", "-2"},
    {"-", PyNumber_Subtract, "18446744073709551616", "9223372036854775809", kMax},
    {"*", PyNumber_Multiply, kMax, kMax, "85070591730234615847396907784232501249"},
    {"*", PyNumber_Multiply, kMin, "-1", "9223372036854775808"},
    {"*", PyNumber_Multiply, kHuge, "0", "0"},
    {"//", PyNumber_FloorDivide, "-7", "2", "-4"},
    {"//", PyNumber_FloorDivide, kMin, "-1", "9223372036854775808"},
    {"//", PyNumber_FloorDivide, kLess, "79792266297612001", "-12532542894197"},
    {"//", PyNumber_FloorDivide, "1", kLess, "-1"},
    {"%", PyNumber_Remainder, "-7", "2", "1"},
    {"%", PyNumber_Remainder, "7", "-2", "-1"},
    {"%", PyNumber_Remainder, kLess, "79792266297612001", "12048762300458197"},
    {"%", PyNumber_Remainder, kMin, "-1", "0"},
    {"divmod", PyNumber_Divmod, "7", "-2", "(-4, -1)"},
    {"divmod", PyNumber_Divmod, kLess, kMixed, "(-81000001, 3345678900334530890123)"},
    {"/", PyNumber_TrueDivide, "7", "2", "3.5"},
    {"/", PyNumber_TrueDivide, "0", "-5", "-0.0"},
    {"/", PyNumber_TrueDivide, "9007199254740993", "1", "9007199254740992.0"},
    {"/", PyNumber_TrueDivide, "10000000000000000000000000", "300000", "3.333333333333333e+19"},
    {"<<", PyNumber_Lshift, "1", "63", "9223372036854775808"},
    {"<<", PyNumber_Lshift, "-1", "63", kMin},
    {"<<", PyNumber_Lshift, "3", "100", "3802951800684688204490109616128"},
    {"<<", PyNumber_Lshift, "0", kHuge, "0"},
    {">>", PyNumber_Rshift, "-5", "1", "-3"},
    {">>", PyNumber_Rshift, "-5", "64", "-1"},
    {">>", PyNumber_Rshift, "5", kHuge, "0"},
    {">>", PyNumber_Rshift, "-5", kHuge, "-1"},
    {">>", PyNumber_Rshift, kLess, "7", "-7812500000000000000000000000"},
    {">>", PyNumber_Rshift, kLess, "1000", "-1"},
    {"&", PyNumber_And, "-6", "11", "10"},
    {"&", PyNumber_And, kLess, kMixed, "9684577232730483326976"},
    {"|", PyNumber_Or, kLess, kMixed, "-999999997338898331495915436853"},
    {"^", PyNumber_Xor, kLess, kMixed, "-1000000007023475564226398763829"},
    {"&", PyNumber_And, kLess, "-1", kLess},
};

TEST_P(Ints, ComputeWithoutBounds) {
    for (const OperationCase& c : kOperationCases) {
        EXPECT_EQ(apply(c.operation, integer(c.x), integer(c.y)), c.result)
            << c.x << " " << c.name << " " << c.y;
    }
}

TEST_P(Ints, HaveUnaryOperations) {
    EXPECT_EQ(apply(PyNumber_Negative, integer(kMin)), "9223372036854775808");
    EXPECT_EQ(apply(PyNumber_Negative, integer("9223372036854775808")), kMin);
    EXPECT_EQ(apply(PyNumber_Negative, integer(kHuge)), kLess);
    EXPECT_EQ(apply(PyNumber_Positive, integer(kHuge)), kHuge);
    EXPECT_EQ(apply(PyNumber_Absolute, integer(kLess)), kHuge);
    EXPECT_EQ(apply(PyNumber_Absolute, integer("-7")), "7");
    EXPECT_EQ(apply(PyNumber_Absolute, integer("7")), "7");
    EXPECT_EQ(apply(PyNumber_Invert, integer("5")), "-6");
    EXPECT_EQ(apply(PyNumber_Invert, integer(kHuge)), "-1000000000000000000000000000001");
    EXPECT_EQ(apply(PyNumber_Invert, integer(kLess)), "999999999999999999999999999999");
}

std::string power(const char* x, const char* y, const char* modulus = nullptr) {
    PyObject* a = integer(x);
    PyObject* b = integer(y);
    PyObject* c = modulus == nullptr ? Py_NewRef(Py_None) : integer(modulus);
    const std::string text = take_text(PyNumber_Power(a, b, c));
    drop({a, b, c});
    return text;
}

TEST_P(Ints, AreRaisedToPowers) {
    EXPECT_EQ(power("2", "10"), "1024");
    EXPECT_EQ(power("0", "0"), "1");
    EXPECT_EQ(power("10", "30"), kHuge);
    EXPECT_EQ(power("-10", "3"), "-1000");
    EXPECT_EQ(power("-1", kHuge), "1");
    EXPECT_EQ(power("-1", "1000000000000000000000000000001"), "-1");
    EXPECT_EQ(power("1", kHuge), "1");
    EXPECT_EQ(power("0", kHuge), "0");
    EXPECT_EQ(power("2", "-1"), "0.5");
    EXPECT_EQ(power("0", "-1"), "ZeroDivisionError: 0.0 cannot be raised to a negative power");
}

TEST_P(Ints, AreRaisedToPowersModuloANumber) {
    EXPECT_EQ(power("3", "200", "1000007"), "959082");
    EXPECT_EQ(power("-3", "201", kHuge), "722527296093451016845902867997");
    EXPECT_EQ(power("3", "201", kLess), "-722527296093451016845902867997");
    EXPECT_EQ(power("3", "-1", "7"), "5");
    EXPECT_EQ(power("3", "-5", "-7"), "-4");
    EXPECT_EQ(power("2", "-1", "1"), "0");
    EXPECT_EQ(power("5", "0", "-7"), "-6");
    EXPECT_EQ(power(kHuge, "-1", "100000000000000000000000000001"),
              "10000000000000000000000000000");
    EXPECT_EQ(power("2", "3", "0"), "ValueError: pow() 3rd argument cannot be 0");
    EXPECT_EQ(power("2", "-1", "4"), "ValueError: base is not invertible for the given modulus");
}

TEST_P(Ints, CannotBeDividedByZero) {
    for (const char* x : {"7", kHuge}) {
        EXPECT_EQ(apply(PyNumber_FloorDivide, integer(x), integer("0")),
                  "ZeroDivisionError: integer division or modulo by zero");
        EXPECT_EQ(apply(PyNumber_Divmod, integer(x), integer("0")),
                  "ZeroDivisionError: integer division or modulo by zero");
        EXPECT_EQ(apply(PyNumber_Remainder, integer(x), integer("0")),
                  "ZeroDivisionError: integer modulo by zero");
        EXPECT_EQ(apply(PyNumber_TrueDivide, integer(x), integer("0")),
                  "ZeroDivisionError: division by zero");
    }
}

TEST_P(Ints, RefuseWhatHasNoResult) {
    EXPECT_EQ(apply(PyNumber_Lshift, integer("1"), integer("-1")),
              "ValueError: negative shift count");
    EXPECT_EQ(apply(PyNumber_Rshift, integer("1"), integer(kLess)),
              "ValueError: negative shift count");
    EXPECT_EQ(apply(PyNumber_Lshift, integer("1"), integer(kHuge)),
              "OverflowError: too many digits in integer");
    // As large as a number may be in words, but not in memory.
    EXPECT_EQ(apply(PyNumber_Lshift, integer("1"), integer("4611686018427387904")),
              "MemoryError: ");
    EXPECT_EQ(power("3", "4611686018427387904"), "MemoryError: ");
    EXPECT_EQ(power("3", kHuge), "MemoryError: ");
}

// The quotient is rounded once, where doubles of the operands would be rounded too.
TEST_P(Ints, DivideExactly) {
    const auto quotient = [](int x, int power_of_x, int y, int power_of_y) {
        const auto shifted = [](int value, int by) {
            PyObject* a = PyLong_FromLong(value);
            PyObject* b = PyLong_FromLong(by);
            PyObject* result = PyNumber_Lshift(a, b);
            drop({a, b});
            return result;
        };
        return apply(PyNumber_TrueDivide, shifted(x, power_of_x), shifted(y, power_of_y));
    };
    EXPECT_EQ(quotient(5, 0, 1, 1074), "2.5e-323");
    EXPECT_EQ(quotient(-5, 0, 1, 1074), "-2.5e-323");
    EXPECT_EQ(quotient(3, 0, 1, 1075), "1e-323");
    EXPECT_EQ(quotient(1, 0, 1, 1075), "0.0");
    EXPECT_EQ(quotient(3, 0, 1, 1076), "5e-324");
    EXPECT_EQ(quotient(1, 0, -1, 3000), "-0.0");
    EXPECT_EQ(quotient(1, 2000, 1, 1000), "1.0715086071862673e+301");
    EXPECT_EQ(quotient(1, 1024, 1, 0),
              "OverflowError: integer division result too large for a float");
    EXPECT_EQ(quotient(1, 5000, 3, 0),
              "OverflowError: integer division result too large for a float");
}

TEST_P(Ints, AreOrdered) {
    const char* rising[] = {kLess, "-9223372036854775809", kMin, "-1", "0",
                            kMax,  "9223372036854775808",  kHuge};
    for (size_t i = 0; i < std::size(rising); ++i) {
        for (size_t k = 0; k < std::size(rising); ++k) {
            PyObject* x = integer(rising[i]);
            PyObject* y = integer(rising[k]);
            EXPECT_EQ(PyObject_RichCompareBool(x, y, Py_LT), i < k) << rising[i] << rising[k];
            EXPECT_EQ(PyObject_RichCompareBool(x, y, Py_EQ), i == k) << rising[i] << rising[k];
            EXPECT_EQ(PyObject_RichCompareBool(x, y, Py_GE), i >= k) << rising[i] << rising[k];
            drop({x, y});
        }
    }
}

TEST_P(Ints, HashModuloAMersennePrime) {
    const std::pair<const char*, Py_hash_t> hashes[] = {
        {"0", 0},
        {"1", 1},
        {"-1", -2},
        {"-2", -2},
        {"2305843009213693951", 0},
        {"2305843009213693952", 1},
        {"-2305843009213693952", -2},
        {"4611686018427387904", 2},
        {kHuge, 465258685558744706},
        {kLess, -465258685558744706},
        {kMin, -4},
    };
    for (const auto& [digits, hash] : hashes) {
        PyObject* op = integer(digits);
        EXPECT_EQ(PyObject_Hash(op), hash) << digits;
        Py_DECREF(op);
    }
}

TEST_P(Ints, AreSharedWhereTheyAreSmall) {
    PyObject* big = integer(kHuge);
    PyObject* same = PyNumber_Add(big, PyLong_FromLong(0));
    PyObject* small = PyNumber_Subtract(big, same);
    EXPECT_EQ(small, PyLong_FromLong(0));
    PyObject* index = PyNumber_Index(big);
    EXPECT_EQ(index, big) << "an int is its own index";
    drop({big, same, small, index});
}

TEST_P(Ints, TakeOnlyInts) {
    PyObject* one = PyLong_FromLong(1);
    for (PyObject* other : {Py_None, reinterpret_cast<PyObject*>(&PyLong_Type)}) {
        PyObject* result = PyLong_Type.tp_as_number->nb_add(one, other);
        EXPECT_EQ(result, Py_NotImplemented);
        result = PyLong_Type.tp_richcompare(one, other, Py_EQ);
        EXPECT_EQ(result, Py_NotImplemented);
        result = PyLong_Type.tp_as_number->nb_power(one, one, other);
        EXPECT_EQ(result, other == Py_None ? one : Py_NotImplemented);
    }
}

TEST_P(Ints, AreTrueUnlessZero) {
    const inquiry truth = PyLong_Type.tp_as_number->nb_bool;
    for (const char* digits : {"1", "-1", kHuge, kLess}) {
        PyObject* op = integer(digits);
        EXPECT_EQ(truth(op), 1);
        Py_DECREF(op);
    }
    EXPECT_EQ(truth(PyLong_FromLong(0)), 0);
}

EVERY_WAY_OF_COUNTING(Ints);

}  // namespace
}  // namespace ouro::test
