// int and str: the value comes back, equal values are equal and ordered, another type is a
// TypeError. Source: "Integer Objects" and "Unicode Objects and Codecs".

#include <climits>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Values = Things;

TEST_P(Values, AnIntIsWhatItWasMadeFrom) {
    for (const long value :
         {0L, 1L, -1L, -5L, -6L, 256L, 257L, 1'000'000'007L, LONG_MAX, LONG_MIN}) {
        PyObject* op = PyLong_FromLong(value);
        PyObject* same = PyLong_FromSsize_t(value);
        EXPECT_TRUE(PyLong_Check(op));
        EXPECT_EQ(PyLong_AsLong(op), value);
        EXPECT_EQ(PyErr_Occurred(), nullptr) << value;
        EXPECT_EQ(PyObject_RichCompareBool(op, same, Py_EQ), 1) << value;
        EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(same)) << value;
        EXPECT_NE(PyObject_Hash(op), -1) << value;
        drop({op, same});
    }
}

TEST_P(Values, SmallIntsAreSharedAndImmortal) {
    for (long value = -5; value <= 256; ++value) {
        PyObject* op = PyLong_FromLong(value);
        ASSERT_EQ(op, PyLong_FromLong(value));
        const Py_ssize_t count = Py_REFCNT(op);
        for (int i = 0; i < 3; ++i) {
            Py_DECREF(op);
        }
        ASSERT_EQ(Py_REFCNT(op), count);
        ASSERT_EQ(PyLong_AsLong(op), value);
    }
}

TEST_P(Values, BoolsAreInts) {
    EXPECT_EQ(PyBool_FromLong(7), Py_True);
    EXPECT_EQ(PyBool_FromLong(0), Py_False);
    EXPECT_TRUE(PyLong_Check(Py_True));
    EXPECT_EQ(PyLong_AsLong(Py_True), 1);
    EXPECT_EQ(PyLong_AsLong(Py_False), 0);
    EXPECT_TRUE(PyType_IsSubtype(&PyBool_Type, &PyLong_Type));
}

TEST_P(Values, AStrIsWhatItWasMadeFrom) {
    const std::string texts[] = {"",
                                 "a",
                                 "ouroboros",
                                 "\xC3\xA9\xE2\x82\xAC",
                                 std::string("a\0b", 3),
                                 std::string(100'000, 'x')};
    for (const std::string& text : texts) {
        const auto length = static_cast<Py_ssize_t>(text.size());
        PyObject* op = PyUnicode_FromStringAndSize(text.data(), length);
        Py_ssize_t size = -1;
        const char* utf8 = PyUnicode_AsUTF8AndSize(op, &size);
        ASSERT_EQ(size, length);
        EXPECT_EQ(std::string(utf8, text.size()), text);
        EXPECT_EQ(utf8[size], '\0');
        EXPECT_EQ(PyUnicode_AsUTF8(op), utf8);
        PyObject* same = PyUnicode_FromStringAndSize(text.data(), length);
        EXPECT_EQ(PyObject_RichCompareBool(op, same, Py_EQ), 1);
        EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(same));
        drop({op, same});
    }
}

TEST_P(Values, AreOrdered) {
    PyObject* pairs[][2] = {{PyLong_FromLong(-7), PyLong_FromLong(300)},
                            {PyUnicode_FromString("ab"), PyUnicode_FromString("abc")}};
    for (auto& [low, high] : pairs) {
        EXPECT_EQ(PyObject_RichCompareBool(low, high, Py_LT), 1);
        EXPECT_EQ(PyObject_RichCompareBool(low, high, Py_LE), 1);
        EXPECT_EQ(PyObject_RichCompareBool(low, high, Py_EQ), 0);
        EXPECT_EQ(PyObject_RichCompareBool(low, high, Py_NE), 1);
        EXPECT_EQ(PyObject_RichCompareBool(low, high, Py_GT), 0);
        EXPECT_EQ(PyObject_RichCompareBool(low, high, Py_GE), 0);
        EXPECT_EQ(PyObject_RichCompareBool(high, low, Py_GT), 1);
        drop({low, high});
    }
}

TEST_P(Values, OfDifferentTypesAreUnequalAndWithoutOrder) {
    PyObject* text = PyUnicode_FromString("1");
    PyObject* number = PyLong_FromLong(1);
    EXPECT_EQ(PyObject_RichCompareBool(text, number, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(text, number, Py_NE), 1);
    EXPECT_EQ(PyObject_RichCompareBool(text, number, Py_LT), -1);
    expect_raised(PyExc_TypeError);
    drop({text, number});
}

TEST_P(Values, OfAnotherTypeAreATypeError) {
    PyObject* text = PyUnicode_FromString("1");
    EXPECT_EQ(PyLong_AsLong(text), -1);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(PyUnicode_AsUTF8(Py_True), nullptr);
    expect_raised(PyExc_TypeError);
    Py_ssize_t size = 3;
    EXPECT_EQ(PyUnicode_AsUTF8AndSize(Py_None, &size), nullptr);
    expect_raised(PyExc_TypeError);
    Py_DECREF(text);
}

TEST_P(Values, ANegativeSizeIsASystemErrorAndAnAbsurdOneAMemoryError) {
    EXPECT_EQ(PyUnicode_FromStringAndSize("", -1), nullptr);
    expect_raised(PyExc_SystemError);
    for (const Py_ssize_t size : {PY_SSIZE_T_MAX / 2, PY_SSIZE_T_MAX - 100, PY_SSIZE_T_MAX}) {
        EXPECT_EQ(PyUnicode_FromStringAndSize("", size), nullptr);
        expect_raised(PyExc_MemoryError);
    }
}

EVERY_RUNTIME(Values);

}  // namespace
}  // namespace ouro::test
