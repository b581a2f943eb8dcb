// An int becomes the C integer of its value where the type holds it, and is an OverflowError where not; what
// has __index__ is taken where that is documented, and everything else is a TypeError.
// Source: "Integer Objects".

#include <climits>

#include "tests/contract/numbers.hpp"

namespace ouro::test {
namespace {

using Conversions = Things;

// Has an __index__ that gives `index`, or raises if that is NULL.
struct Indexed {
    PyObject ob_base;
    PyObject* index;
};
PyObject* give_index(PyObject* op) {
    PyObject* index = reinterpret_cast<Indexed*>(op)->index;
    if (index == nullptr) {
        PyErr_SetString(PyExc_RuntimeError, "no index today");
    }
    return Py_XNewRef(index);
}
PyNumberMethods indexed_as_number = {.nb_index = give_index};
PyTypeObject IndexedType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Indexed",
    .tp_basicsize = sizeof(Indexed),
    .tp_as_number = &indexed_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

// `index` is borrowed and outlives the object.
PyObject* new_indexed(PyObject* index) {
    EXPECT_EQ(PyType_Ready(&IndexedType), 0);
    PyObject* op = PyType_GenericAlloc(&IndexedType, 0);
    reinterpret_cast<Indexed*>(op)->index = index;
    return op;
}

// The result as text: the number, or the exception.
template <class Value>
std::string converted(Value (*convert)(PyObject*), PyObject* op) {
    const Value value = convert(op);
    if (PyErr_Occurred() != nullptr) {
        EXPECT_EQ(value, static_cast<Value>(-1));
        return take_text(nullptr);
    }
    if constexpr (std::is_floating_point_v<Value>) {
        return take_text(PyFloat_FromDouble(value));
    } else {
        return std::to_string(value);
    }
}

struct Row {
    const char* digits;
    // Each the text of a result; nullptr: the digits.
    const char *as_long, *as_int, *as_long_long, *as_ssize, *as_unsigned_long, *as_size,
        *as_unsigned_long_long, *mask;
};

constexpr const char* kLong = "OverflowError: Python int too large to convert to C long";
constexpr const char* kInt = "OverflowError: Python int too large to convert to C int";
constexpr const char* kLongLong = "OverflowError: int too big to convert";
constexpr const char* kSsize = "OverflowError: Python int too large to convert to C ssize_t";
constexpr const char* kUnsigned =
    "OverflowError: Python int too large to convert to C unsigned long";
constexpr const char* kSize = "OverflowError: Python int too large to convert to C size_t";
constexpr const char* kNegative = "OverflowError: can't convert negative value to unsigned int";
constexpr const char* kNegativeSize = "OverflowError: can't convert negative value to size_t";
constexpr const char* kNegativeLongLong = "OverflowError: can't convert negative int to unsigned";

const Row kRows[] = {
    {"0"},
    {"2147483647"},
    {"2147483648", nullptr, kInt},
    {"-1", nullptr, nullptr, nullptr, nullptr, kNegative, kNegativeSize, kNegativeLongLong,
     "18446744073709551615"},
    {"-2147483649", nullptr, kInt, nullptr, nullptr, kNegative, kNegativeSize, kNegativeLongLong,
     "18446744071562067967"},
    {"9223372036854775807", nullptr, kInt},
    {"-9223372036854775808", nullptr, kInt, nullptr, nullptr, kNegative, kNegativeSize,
     kNegativeLongLong, "9223372036854775808"},
    {"9223372036854775808", kLong, kInt, kLongLong, kSsize},
    {"-9223372036854775809", kLong, kInt, kLongLong, kSsize, kNegative, kNegativeSize,
     kNegativeLongLong, "9223372036854775807"},
    {"18446744073709551615", kLong, kInt, kLongLong, kSsize},
    {"18446744073709551616", kLong, kInt, kLongLong, kSsize, kUnsigned, kSize, kLongLong, "0"},
    {"-1180591620717411303425", kLong, kInt, kLongLong, kSsize, kNegative, kNegativeSize,
     kNegativeLongLong, "18446744073709551615"},
};

TEST_P(Conversions, GiveTheValueOrOverflow) {
    for (const Row& row : kRows) {
        SCOPED_TRACE(row.digits);
        PyObject* op = integer(row.digits);
        const auto expect = [&](const std::string& text, const char* expected) {
            EXPECT_EQ(text, expected == nullptr ? row.digits : expected);
        };
        expect(converted(PyLong_AsLong, op), row.as_long);
        expect(converted(PyLong_AsInt, op), row.as_int);
        expect(converted(PyLong_AsLongLong, op), row.as_long_long);
        expect(converted(PyLong_AsSsize_t, op), row.as_ssize);
        expect(converted(PyLong_AsUnsignedLong, op), row.as_unsigned_long);
        expect(converted(PyLong_AsSize_t, op), row.as_size);
        expect(converted(PyLong_AsUnsignedLongLong, op), row.as_unsigned_long_long);
        expect(converted(PyLong_AsUnsignedLongMask, op), row.mask);
        expect(converted(PyLong_AsUnsignedLongLongMask, op), row.mask);
        Py_DECREF(op);
    }
}

TEST_P(Conversions, SayWhichWayTheyOverflow) {
    const std::pair<const char*, int> cases[] = {{"7", 0},
                                                 {"-1", 0},
                                                 {"-9223372036854775808", 0},
                                                 {"9223372036854775808", 1},
                                                 {"-9223372036854775809", -1}};
    for (const auto& [digits, expected] : cases) {
        PyObject* op = integer(digits);
        int overflow = 7;
        const long value = PyLong_AsLongAndOverflow(op, &overflow);
        EXPECT_EQ(overflow, expected);
        EXPECT_EQ(std::to_string(value), expected == 0 ? digits : "-1");
        overflow = 7;
        EXPECT_EQ(PyLong_AsLongLongAndOverflow(op, &overflow), value);
        EXPECT_EQ(overflow, expected);
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        Py_DECREF(op);
    }
    int overflow = 7;
    EXPECT_EQ(PyLong_AsLongAndOverflow(Py_None, &overflow), -1);
    EXPECT_EQ(overflow, 0);
    expect_raised(PyExc_TypeError, "'NoneType' object cannot be interpreted as an integer");
}

TEST_P(Conversions, AskForAnIndexOrForAnInt) {
    PyObject* seven = PyLong_FromLong(7);
    PyObject* op = new_indexed(seven);
    EXPECT_EQ(converted(PyLong_AsLong, op), "7");
    EXPECT_EQ(converted(PyLong_AsInt, op), "7");
    EXPECT_EQ(converted(PyLong_AsLongLong, op), "7");
    EXPECT_EQ(converted(PyLong_AsUnsignedLongMask, op), "7");
    EXPECT_EQ(converted(PyLong_AsUnsignedLongLongMask, op), "7");
    for (const std::string& text :
         {converted(PyLong_AsSsize_t, op), converted(PyLong_AsUnsignedLong, op),
          converted(PyLong_AsSize_t, op), converted(PyLong_AsUnsignedLongLong, op),
          converted(PyLong_AsDouble, op)}) {
        EXPECT_EQ(text, "TypeError: an integer is required");
    }
    EXPECT_EQ(PyLong_AsVoidPtr(op), nullptr);
    expect_raised(PyExc_TypeError, "an integer is required");
    Py_DECREF(op);
    PyObject* real = PyFloat_FromDouble(1.5);
    for (const std::string& text :
         {converted(PyLong_AsLong, real), converted(PyLong_AsInt, real),
          converted(PyLong_AsLongLong, real), converted(PyLong_AsUnsignedLongMask, real)}) {
        EXPECT_EQ(text, "TypeError: 'float' object cannot be interpreted as an integer");
    }
    Py_DECREF(real);
}

TEST_P(Conversions, TakeAnIndexOnlyIfItIsAnInt) {
    PyObject* text = PyUnicode_FromString("x");
    PyObject* op = new_indexed(text);
    EXPECT_EQ(converted(PyLong_AsLong, op), "TypeError: __index__ returned non-int (type str)");
    EXPECT_EQ(take_text(PyNumber_Index(op)), "TypeError: __index__ returned non-int (type str)");
    drop({op, text});
    op = new_indexed(nullptr);
    EXPECT_EQ(converted(PyLong_AsLong, op), "RuntimeError: no index today");
    EXPECT_EQ(PyNumber_AsSsize_t(op, nullptr), -1);
    expect_raised(PyExc_RuntimeError);
    Py_DECREF(op);
}

TEST_P(Conversions, OfNoObjectAreASystemError) {
    const auto expect_bad_call = [](const std::string& text) {
        EXPECT_EQ(text.find("SystemError: "), 0u) << text;
    };
    expect_bad_call(converted(PyLong_AsLong, nullptr));
    expect_bad_call(converted(PyLong_AsInt, nullptr));
    expect_bad_call(converted(PyLong_AsLongLong, nullptr));
    expect_bad_call(converted(PyLong_AsSsize_t, nullptr));
    expect_bad_call(converted(PyLong_AsUnsignedLong, nullptr));
    expect_bad_call(converted(PyLong_AsSize_t, nullptr));
    expect_bad_call(converted(PyLong_AsUnsignedLongLong, nullptr));
    expect_bad_call(converted(PyLong_AsUnsignedLongMask, nullptr));
    expect_bad_call(converted(PyLong_AsUnsignedLongLongMask, nullptr));
    expect_bad_call(converted(PyLong_AsDouble, nullptr));
}

TEST_P(Conversions, ComeBack) {
    EXPECT_EQ(take_text(PyLong_FromUnsignedLong(ULONG_MAX)), "18446744073709551615");
    EXPECT_EQ(take_text(PyLong_FromUnsignedLong(LONG_MAX)), "9223372036854775807");
    EXPECT_EQ(take_text(PyLong_FromUnsignedLongLong(ULLONG_MAX)), "18446744073709551615");
    EXPECT_EQ(take_text(PyLong_FromLongLong(LLONG_MIN)), "-9223372036854775808");
    EXPECT_EQ(take_text(PyLong_FromSize_t(SIZE_MAX)), "18446744073709551615");
    EXPECT_EQ(take_text(PyLong_FromSsize_t(PY_SSIZE_T_MIN)), "-9223372036854775808");
    EXPECT_EQ(PyLong_FromUnsignedLong(256), PyLong_FromLong(256));
}

TEST_P(Conversions, CarryPointers) {
    int here = 0;
    for (void* p : {static_cast<void*>(&here), static_cast<void*>(nullptr),
                    reinterpret_cast<void*>(UINTPTR_MAX)}) {
        PyObject* op = PyLong_FromVoidPtr(p);
        EXPECT_EQ(PyLong_AsVoidPtr(op), p);
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        Py_DECREF(op);
    }
    PyObject* negative = PyLong_FromLong(-1);
    EXPECT_EQ(PyLong_AsVoidPtr(negative), reinterpret_cast<void*>(UINTPTR_MAX));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    for (const auto& [digits, message] :
         {std::pair("18446744073709551616", "Python int too large to convert to C unsigned long"),
          std::pair("-9223372036854775809", "Python int too large to convert to C long")}) {
        PyObject* op = integer(digits);
        EXPECT_EQ(PyLong_AsVoidPtr(op), nullptr);
        expect_raised(PyExc_OverflowError, message);
        Py_DECREF(op);
    }
}

TEST_P(Conversions, ToADoubleRoundToTheNearestEven) {
    const std::pair<const char*, const char*> cases[] = {
        {"9007199254740993", "9007199254740992.0"},
        {"9007199254740995", "9007199254740996.0"},
        {"-9223372036854775809", "-9.223372036854776e+18"},
        {"18446744073709551615", "1.8446744073709552e+19"},
        {"36893488147419107328", "3.6893488147419103e+19"},
        {"36893488147419107329", "3.689348814741911e+19"},
        {"100000000000000000000000", "1e+23"},
    };
    for (const auto& [digits, text] : cases) {
        PyObject* op = integer(digits);
        EXPECT_EQ(converted(PyLong_AsDouble, op), text) << digits;
        EXPECT_EQ(converted(PyFloat_AsDouble, op), text) << digits;
        Py_DECREF(op);
    }
    // 2 ** 1024 - 2 ** 970 is halfway between the greatest double and what would come next.
    PyObject* one = PyLong_FromLong(1);
    PyObject* by[] = {PyLong_FromLong(1024), PyLong_FromLong(970)};
    PyObject* beyond = PyNumber_Lshift(one, by[0]);
    PyObject* gap = PyNumber_Lshift(one, by[1]);
    PyObject* halfway = PyNumber_Subtract(beyond, gap);
    PyObject* below = PyNumber_Subtract(halfway, one);
    EXPECT_EQ(converted(PyLong_AsDouble, halfway),
              "OverflowError: int too large to convert to float");
    EXPECT_EQ(converted(PyLong_AsDouble, below), "1.7976931348623157e+308");
    drop({by[0], by[1], beyond, gap, halfway, below});
}

TEST_P(Conversions, FromADoubleTakeTheWholePart) {
    const std::pair<double, const char*> cases[] = {
        {2.9, "2"},
        {-2.9, "-2"},
        {-0.0, "0"},
        {1e18, "1000000000000000000"},
        {9223372036854775807.0, "9223372036854775808"},
        {-9223372036854775808.0, "-9223372036854775808"},
        {-1e23, "-99999999999999991611392"},
        {HUGE_VAL, "OverflowError: cannot convert float infinity to integer"},
        {-HUGE_VAL, "OverflowError: cannot convert float infinity to integer"},
        {NAN, "ValueError: cannot convert float NaN to integer"},
    };
    for (const auto& [value, text] : cases) {
        EXPECT_EQ(take_text(PyLong_FromDouble(value)), text) << value;
    }
}

TEST_P(Conversions, ToASizeClipOrRaise) {
    PyObject* large = integer("9223372036854775808");
    PyObject* negative = integer("-9223372036854775809");
    PyObject* op = new_indexed(large);
    EXPECT_EQ(PyNumber_AsSsize_t(op, nullptr), PY_SSIZE_T_MAX);
    EXPECT_EQ(PyNumber_AsSsize_t(negative, nullptr), PY_SSIZE_T_MIN);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyNumber_AsSsize_t(op, PyExc_IndexError), -1);
    expect_raised(PyExc_IndexError, "cannot fit 'contract.Indexed' into an index-sized integer");
    EXPECT_EQ(PyNumber_AsSsize_t(Py_True, PyExc_IndexError), 1);
    EXPECT_EQ(PyNumber_AsSsize_t(Py_None, nullptr), -1);
    expect_raised(PyExc_TypeError, "'NoneType' object cannot be interpreted as an integer");
    drop({op, large, negative});
}

EVERY_WAY_OF_COUNTING(Conversions);

}  // namespace
}  // namespace ouro::test
