// Strs are ordered by their code points, are equal to the text that they were made of, in whatever
// form it is given, and are names or are not. Source: "Unicode Objects and Codecs", Compare,
// CompareWithASCIIString, EqualToUTF8, RichCompare, IsIdentifier.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Comparison = Things;

TEST_P(Comparison, IsByCodePoints) {
    const char32_t* const ascending[] = {U"",       U"a",        U"ab",         U"a\x7f",
                                         U"b",      U"\u00e9",   U"\xd7ff",     U"\xd800",
                                         U"\xdfff", U"\xe000zz", U"\U00010000", U"\U0010ffff"};
    for (size_t i = 0; i < std::size(ascending); ++i) {
        for (size_t j = 0; j < std::size(ascending); ++j) {
            Kept kept;
            PyObject* a = kept.str(ascending[i]);
            PyObject* b = kept.str(ascending[j]);
            EXPECT_EQ(PyUnicode_Compare(a, b), i < j ? -1 : i > j ? 1 : 0) << i << " " << j;
            const bool results[] = {i<j, i <= j, i == j, i != j, i> j, i >= j};
            for (const int operation : {Py_LT, Py_LE, Py_EQ, Py_NE, Py_GT, Py_GE}) {
                EXPECT_EQ(PyUnicode_RichCompare(a, b, operation),
                          PyBool_FromLong(results[operation]));
            }
            EXPECT_EQ(PyObject_Hash(a) == PyObject_Hash(b), i == j);
        }
    }
}

TEST_P(Comparison, IsOfStrsAlone) {
    Kept kept;
    PyObject* text = kept.str("a");
    EXPECT_EQ(shown_number(PyUnicode_Compare(text, Py_True)),
              "TypeError: Can't compare str and bool");
    EXPECT_EQ(shown_number(PyUnicode_Compare(Py_True, text)),
              "TypeError: Can't compare bool and str");
    EXPECT_EQ(PyUnicode_RichCompare(text, Py_True, Py_EQ), Py_NotImplemented);
    EXPECT_EQ(PyUnicode_RichCompare(Py_True, text, Py_LT), Py_NotImplemented);
}

TEST_P(Comparison, WithCTextTakesLatin1) {
    Kept kept;
    const auto compare = [&](std::u32string_view text, const char* other) {
        return PyUnicode_CompareWithASCIIString(kept.str(text), other);
    };
    EXPECT_EQ(compare(U"abc", "abc"), 0);
    EXPECT_EQ(compare(U"abc", "abd"), -1);
    EXPECT_EQ(compare(U"abd", "abc"), 1);
    EXPECT_EQ(compare(U"ab", "abc"), -1);
    EXPECT_EQ(compare(U"abc", "ab"), 1);
    EXPECT_EQ(compare(U"", ""), 0);
    EXPECT_EQ(compare(U"\u00e9", "\xE9"), 0);
    EXPECT_EQ(compare(U"\u20ac", "\xE9"), 1);
    EXPECT_EQ(compare(std::u32string_view(U"a\0b", 3), "a"), 1);
}

TEST_P(Comparison, WithUtf8NeverFails) {
    Kept kept;
    PyObject* op = kept.str(U"a\u20ac");
    EXPECT_EQ(PyUnicode_EqualToUTF8(op, "a\xE2\x82\xAC"), 1);
    EXPECT_EQ(PyUnicode_EqualToUTF8(op, "a\xE2\x82"), 0);
    EXPECT_EQ(PyUnicode_EqualToUTF8(op, "a"), 0);
    EXPECT_EQ(PyUnicode_EqualToUTF8AndSize(op, "a\xE2\x82\xAC!", 4), 1);
    EXPECT_EQ(PyUnicode_EqualToUTF8AndSize(kept.str(std::string_view("a\0b", 3)), "a\0b", 3), 1);
    EXPECT_EQ(PyUnicode_EqualToUTF8(kept.str(std::string_view("a\0b", 3)), "a"), 0);
    EXPECT_EQ(PyUnicode_EqualToUTF8(kept.str(U"\xd800"), "\xED\xA0\x80"), 0) << "that is no UTF-8";
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Comparison, TellsNamesFromOtherText) {
    Kept kept;
    for (const char32_t* name : {U"a", U"_", U"_1", U"Name2", U"\u00e9t\u00e9", U"\u4e00",
                                 U"a\u0301", U"x\u0661", U"\U00010400", U"if", U"a\u00b7"}) {
        EXPECT_EQ(PyUnicode_IsIdentifier(kept.str(name)), 1);
    }
    for (const char32_t* text : {U"", U"1a", U"a b", U"a-b", U"\u0301", U"\u0661", U"\u20ac",
                                 U"a\u20ac", U"\xd800", U"\u00b7", U"a."}) {
        EXPECT_EQ(PyUnicode_IsIdentifier(kept.str(text)), 0);
    }
}

EVERY_WAY_OF_COUNTING(Comparison);

}  // namespace
}  // namespace ouro::test
