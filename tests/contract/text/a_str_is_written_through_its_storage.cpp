// A str that C code makes and fills: by code points, or through the array of them; and the array that any str has.
// Source: "Unicode Objects and Codecs": PyUnicode_New, PyUnicode_KIND, PyUnicode_DATA, PyUnicode_READ, PyUnicode_WRITE,
// PyUnicode_WriteChar, PyUnicode_Fill, PyUnicode_CopyCharacters, PyUnicode_Resize; "PyUnicodeWriter".

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Storage = Things;

std::string text_of(PyObject* op) {
    const char* text = PyUnicode_AsUTF8(op);
    return text == nullptr ? taken_error() : text;
}

TEST_P(Storage, HasTheWidthOfTheGreatestCodePoint) {
    Kept kept;
    const struct {
        std::u32string_view text;
        int kind;
        int ascii;
    } cases[] = {{U"abc", PyUnicode_1BYTE_KIND, 1},
                 {U"ab\u00e9", PyUnicode_1BYTE_KIND, 0},
                 {U"ab\u20ac", PyUnicode_2BYTE_KIND, 0},
                 {U"ab\U0001F600", PyUnicode_4BYTE_KIND, 0}};
    for (const auto& [text, kind, ascii] : cases) {
        PyObject* op = kept.str(text);
        EXPECT_EQ(PyUnicode_READY(op), 0);
        EXPECT_EQ(PyUnicode_KIND(op), kind);
        EXPECT_EQ(PyUnicode_IS_ASCII(op), ascii);
        for (size_t i = 0; i < text.size(); ++i) {
            EXPECT_EQ(PyUnicode_READ(kind, PyUnicode_DATA(op), static_cast<Py_ssize_t>(i)),
                      text[i]);
        }
    }
}

TEST_P(Storage, IsTheTextOfANewStr) {
    for (const Py_UCS4 most : {0x7EU, 0xFFU, 0xFFFFU, 0x10FFFFU}) {
        Kept kept;
        PyObject* op = kept(PyUnicode_New(2, most));
        PyUnicode_WRITE(PyUnicode_KIND(op), PyUnicode_DATA(op), 0, 'a');
        PyUnicode_WRITE(PyUnicode_KIND(op), PyUnicode_DATA(op), 1, most);
        const char32_t points[] = {'a', static_cast<char32_t>(most)};
        PyObject* same = kept.str(std::u32string_view(points, 2));
        EXPECT_EQ(PyUnicode_Equal(op, same), 1);
        EXPECT_EQ(text_of(op), text_of(same));
        EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(same));
    }
    EXPECT_EQ(shown(PyUnicode_New(0, 0x10FFFF)), "''");
    EXPECT_EQ(PyUnicode_New(-1, 127), nullptr);
    EXPECT_EQ(take_error().type, "SystemError");
    EXPECT_EQ(PyUnicode_New(1, 0x110000), nullptr);
    EXPECT_EQ(take_error().type, "SystemError");
}

TEST_P(Storage, IsWrittenWhileNobodyElseHasIt) {
    Kept kept;
    PyObject* op = PyUnicode_New(4, 0xFFFF);
    EXPECT_EQ(PyUnicode_Fill(op, 0, 9, 'x'), 4);
    EXPECT_EQ(text_of(op), "xxxx");
    EXPECT_EQ(PyUnicode_CopyCharacters(op, 1, kept.str(U"\u20ac-+"), 0, 2), 2);
    EXPECT_EQ(PyUnicode_WriteChar(op, 3, 0x3B1), 0);
    EXPECT_EQ(text_of(op), "x\u20ac-\u03b1") << "after its UTF-8 was asked for";
    EXPECT_EQ(shown_number(PyUnicode_WriteChar(op, 4, 'x')),
              "IndexError: string index out of range");
    EXPECT_EQ(shown_number(PyUnicode_WriteChar(op, 0, 0x10000)),
              "ValueError: character out of range");
    Py_INCREF(op);
    EXPECT_EQ(shown_number(PyUnicode_WriteChar(op, 0, 'x')),
              "SystemError: Cannot modify a string currently used");
    Py_DECREF(op);
    EXPECT_EQ(PyUnicode_Resize(&op, 2), 0);
    EXPECT_EQ(text_of(op), "x\u20ac");
    Py_DECREF(op);
}

TEST_P(Storage, IsResizedWhateverWidthItsTextNeeds) {
    PyObject* op = PyUnicode_New(3, 0xFFFF);
    EXPECT_EQ(PyUnicode_Fill(op, 0, 3, 'a'), 3);
    EXPECT_EQ(text_of(op), "aaa");
    EXPECT_EQ(PyUnicode_Resize(&op, 2), 0);
    EXPECT_EQ(text_of(op), "aa");
    EXPECT_EQ(PyUnicode_Resize(&op, 0), 0);
    EXPECT_EQ(shown(op), "''");
}

TEST_P(Storage, IsCopiedOut) {
    Kept kept;
    PyObject* op = kept.str(U"a\u20ac\U0001F600");
    Py_UCS4 points[4] = {9, 9, 9, 9};
    EXPECT_EQ(PyUnicode_AsUCS4(op, points, 4, 1), points);
    EXPECT_THAT(points, testing::ElementsAre('a', 0x20AC, 0x1F600, 0));
    EXPECT_EQ(PyUnicode_AsUCS4(op, points, 3, 1), nullptr);
    EXPECT_EQ(take_error().type, "SystemError");
    Py_UCS4* copy = PyUnicode_AsUCS4Copy(op);
    EXPECT_EQ(copy[2], 0x1F600U);
    PyMem_Free(copy);
    Py_ssize_t size = 0;
    wchar_t* wide = PyUnicode_AsWideCharString(op, &size);
    EXPECT_EQ(std::wstring(wide, static_cast<size_t>(size)), L"a\u20ac\U0001F600");
    PyMem_Free(wide);
    EXPECT_EQ(PyUnicode_AsWideChar(op, nullptr, 0), 4);
}

TEST_P(Storage, IsPutTogetherOfParts) {
    Kept kept;
    PyUnicodeWriter* writer = PyUnicodeWriter_Create(0);
    ASSERT_NE(writer, nullptr);
    EXPECT_EQ(PyUnicodeWriter_WriteChar(writer, 0x20AC), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteUTF8(writer, "abc", 2), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteASCII(writer, "!", -1), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteStr(writer, Py_None), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteRepr(writer, kept.str("q")), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteSubstring(writer, kept.str("12345"), 1, 3), 0);
    EXPECT_EQ(PyUnicodeWriter_Format(writer, "<%d>", 7), 0);
    EXPECT_EQ(shown(PyUnicodeWriter_Finish(writer)), R"("\u20acab!None'q'23<7>")");
    writer = PyUnicodeWriter_Create(10);
    EXPECT_EQ(PyUnicodeWriter_WriteChar(writer, 0x110000), -1);
    EXPECT_EQ(take_error().type, "ValueError");
    PyUnicodeWriter_Discard(writer);
    PyUnicodeWriter_Discard(nullptr);
}

TEST_P(Storage, IsPutTogetherByTheOlderWriter) {
    Kept kept;
    _PyUnicodeWriter writer;
    _PyUnicodeWriter_Init(&writer);
    EXPECT_EQ(_PyUnicodeWriter_WriteASCIIString(&writer, "ab", 2), 0);
    EXPECT_EQ(_PyUnicodeWriter_WriteLatin1String(&writer, "\xe9", 1), 0);
    EXPECT_EQ(_PyUnicodeWriter_WriteChar(&writer, 0x20AC), 0);
    EXPECT_EQ(_PyUnicodeWriter_WriteStr(&writer, kept.str("cd")), 0);
    EXPECT_EQ(_PyUnicodeWriter_WriteSubstring(&writer, kept.str("12345"), 1, 3), 0);
    EXPECT_EQ(shown(_PyUnicodeWriter_Finish(&writer)), R"('ab\xe9\u20accd23')");
    _PyUnicodeWriter_Init(&writer);
    EXPECT_EQ(shown(_PyUnicodeWriter_Finish(&writer)), "''");
    _PyUnicodeWriter_Init(&writer);
    EXPECT_EQ(_PyUnicodeWriter_WriteChar(&writer, 'x'), 0);
    _PyUnicodeWriter_Dealloc(&writer);
}

EVERY_WAY_OF_COUNTING(Storage);

}  // namespace
}  // namespace ouro::test
