// A str has a length, an index and parts in code points, whatever its bytes are: ASCII, longer
// sequences, lone surrogates. Source: "Unicode Objects and Codecs", GetLength, ReadChar, Substring,
// FromOrdinal, FromKindAndData; the slots that the language's operators use.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using CodePoints = Things;

const std::u32string kTexts[] = {U"",
                                 U"ascii",
                                 U"\u00e9t\u00e9",
                                 U"a\u20ac\U0001f600z",
                                 U"\U0010ffff\u0800\u07ff\u0080",
                                 std::u32string(U"a\0b", 3),
                                 U"x\xd800\xdfffy"};

PyMappingMethods* mapping_of(PyObject* op) {
    return Py_TYPE(op)->tp_as_mapping;
}

TEST_P(CodePoints, AreCountedAndRead) {
    for (const std::u32string& text : kTexts) {
        Kept kept;
        PyObject* op = kept.str(text);
        const auto length = static_cast<Py_ssize_t>(text.size());
        EXPECT_EQ(PyUnicode_GetLength(op), length);
        EXPECT_EQ(PyUnicode_GET_LENGTH(op), length);
        EXPECT_EQ(sequence_of(op)->sq_length(op), length);
        EXPECT_EQ(mapping_of(op)->mp_length(op), length);
        for (Py_ssize_t i = 0; i < length; ++i) {
            const Py_UCS4 c = text[static_cast<size_t>(i)];
            EXPECT_EQ(PyUnicode_ReadChar(op, i), c);
            EXPECT_EQ(PyUnicode_READ_CHAR(op, i), c);
            PyObject* one = PyUnicode_FromOrdinal(static_cast<int>(c));
            for (PyObject* item :
                 {sequence_of(op)->sq_item(op, i),
                  mapping_of(op)->mp_subscript(op, kept(PyLong_FromSsize_t(i))),
                  mapping_of(op)->mp_subscript(op, kept(PyLong_FromSsize_t(i - length)))}) {
                EXPECT_EQ(PyUnicode_Compare(item, one), 0) << i;
                Py_DECREF(item);
            }
            Py_DECREF(one);
        }
    }
}

TEST_P(CodePoints, OutsideTheTextAreAnIndexError) {
    for (const char* text : {"abc", "a\xE2\x82\xAC"
                                    "c"}) {
        Kept kept;
        PyObject* op = kept.str(text);
        const std::string error = "IndexError: string index out of range";
        for (const Py_ssize_t index :
             {Py_ssize_t{3}, Py_ssize_t{-1}, PY_SSIZE_T_MAX, PY_SSIZE_T_MIN}) {
            EXPECT_EQ(PyUnicode_ReadChar(op, index), static_cast<Py_UCS4>(-1));
            EXPECT_EQ(taken_error(), error);
            EXPECT_EQ(shown(sequence_of(op)->sq_item(op, index)), error);
        }
        EXPECT_EQ(shown(mapping_of(op)->mp_subscript(op, kept(PyLong_FromLong(3)))), error);
        EXPECT_EQ(shown(mapping_of(op)->mp_subscript(op, kept(PyLong_FromLong(-4)))), error);
        EXPECT_EQ(shown(mapping_of(op)->mp_subscript(op, op)),
                  "TypeError: string indices must be integers, not 'str'");
    }
}

TEST_P(CodePoints, OfWhatIsNoStrAreATypeError) {
    const std::string error = "TypeError: bad argument type for built-in operation";
    EXPECT_EQ(shown_number(PyUnicode_GetLength(Py_True)), error);
    EXPECT_EQ(PyUnicode_ReadChar(Py_True, 0), static_cast<Py_UCS4>(-1));
    EXPECT_EQ(taken_error(), error);
    EXPECT_EQ(shown(PyUnicode_Substring(Py_True, 0, 1)), error);
}

TEST_P(CodePoints, OfARangeAreAStr) {
    for (const std::u32string& text : kTexts) {
        Kept kept;
        PyObject* op = kept.str(text);
        const size_t length = text.size();
        for (size_t start = 0; start <= length + 1; ++start) {
            for (size_t end = 0; end <= length + 1; ++end) {
                const std::u32string part = start < end && start < length
                                                ? text.substr(start, end - start)
                                                : std::u32string();
                PyObject* found = PyUnicode_Substring(op, static_cast<Py_ssize_t>(start),
                                                      static_cast<Py_ssize_t>(end));
                EXPECT_EQ(PyUnicode_Compare(found, kept.str(part)), 0) << start << " " << end;
                EXPECT_EQ(PyUnicode_GET_LENGTH(found), static_cast<Py_ssize_t>(part.size()));
                Py_DECREF(found);
            }
        }
    }
    Kept kept;
    PyObject* op = kept.str("abc");
    EXPECT_EQ(kept(PyUnicode_Substring(op, 0, 7)), op) << "all of it is the str itself";
    for (const auto& [start, end] : {std::pair{-1, 2}, std::pair{0, -1}}) {
        EXPECT_EQ(shown(PyUnicode_Substring(op, start, end)),
                  "IndexError: string index out of range");
    }
}

TEST_P(CodePoints, AreMadeFromTheirNumbers) {
    EXPECT_EQ(shown(PyUnicode_FromOrdinal(0)), R"('\x00')");
    EXPECT_EQ(shown(PyUnicode_FromOrdinal('a')), "'a'");
    EXPECT_EQ(shown(PyUnicode_FromOrdinal(0xD800)), R"('\ud800')");
    EXPECT_EQ(shown(PyUnicode_FromOrdinal(0x10FFFF)), R"('\U0010ffff')");
    for (const int wrong : {-1, 0x110000}) {
        EXPECT_EQ(shown(PyUnicode_FromOrdinal(wrong)),
                  "ValueError: chr() arg not in range(0x110000)");
    }
}

TEST_P(CodePoints, AreReadInUnitsOfThreeWidths) {
    const Py_UCS1 one[] = {'a', 0, 0xE9, 0xFF};
    const Py_UCS2 two[] = {'a', 0xD83D, 0xDE00, 0xFFFF};
    const Py_UCS4 four[] = {'a', 0x20AC, 0x1F600};
    EXPECT_EQ(shown(PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, one, 4)), R"('a\x00\xe9\xff')");
    EXPECT_EQ(shown(PyUnicode_FromKindAndData(PyUnicode_2BYTE_KIND, two, 4)),
              R"('a\ud83d\ude00\uffff')")
        << "a pair of surrogates is two code points";
    EXPECT_EQ(shown(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, four, 3)),
              R"('a\u20ac\U0001f600')");
    EXPECT_EQ(shown(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, nullptr, 0)), "''");
    EXPECT_EQ(shown(PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, one, -1)),
              "ValueError: size must be positive");
    EXPECT_EQ(shown(PyUnicode_FromKindAndData(3, one, 1)), "SystemError: invalid kind");
    const Py_UCS4 wrong = 0x110000;
    EXPECT_EQ(shown(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, &wrong, 1)),
              "SystemError: invalid maximum character passed to PyUnicode_New");
}

TEST_P(CodePoints, AreReadFromWideText) {
    EXPECT_EQ(shown(PyUnicode_FromWideChar(L"a\u20acb", -1)), R"('a\u20acb')");
    EXPECT_EQ(shown(PyUnicode_FromWideChar(L"a\u20acb", 2)), R"('a\u20ac')");
    EXPECT_EQ(shown(PyUnicode_FromWideChar(nullptr, 0)), "''");
    EXPECT_EQ(shown(PyUnicode_FromWideChar(nullptr, 1)),
              "SystemError: bad argument to internal function");
    const wchar_t wrong = 0x110000;
    EXPECT_EQ(shown(PyUnicode_FromWideChar(&wrong, 1)),
              "ValueError: character U+110000 is not in range [U+0000; U+10ffff]");
}

TEST_P(CodePoints, HaveABound) {
    const std::pair<const char32_t*, Py_UCS4> bounds[] = {
        {U"", 0x7F},          {U"a\x7f", 0x7F},    {U"a\x80", 0xFF},           {U"\xff", 0xFF},
        {U"a\u0100", 0xFFFF}, {U"\uffff", 0xFFFF}, {U"a\U00010000", 0x10FFFF},
    };
    for (const auto& [text, bound] : bounds) {
        PyObject* op = str(text);
        EXPECT_EQ(PyUnicode_MAX_CHAR_VALUE(op), bound);
        Py_DECREF(op);
    }
}

TEST_P(CodePoints, AreRepeated) {
    Kept kept;
    PyObject* op = kept.str(U"a\u20ac\xd800");
    const auto repeat = [](PyObject* text, Py_ssize_t times) {
        return sequence_of(text)->sq_repeat(text, times);
    };
    EXPECT_EQ(kept(repeat(op, 1)), op);
    EXPECT_EQ(shown(repeat(op, 0)), "''");
    EXPECT_EQ(shown(repeat(op, -3)), "''");
    PyObject* thrice = kept(repeat(op, 3));
    EXPECT_EQ(PyUnicode_GET_LENGTH(thrice), 9);
    EXPECT_EQ(PyUnicode_AsUTF8(thrice), nullptr);
    PyErr_Clear();
    EXPECT_EQ(shown(Py_NewRef(thrice)), R"('a\u20ac\ud800a\u20ac\ud800a\u20ac\ud800')");
    EXPECT_EQ(shown(repeat(op, PY_SSIZE_T_MAX)), "OverflowError: repeated string is too long");
    EXPECT_EQ(shown(repeat(kept.str(""), PY_SSIZE_T_MAX)), "''");
}

EVERY_WAY_OF_COUNTING(CodePoints);

}  // namespace
}  // namespace ouro::test
