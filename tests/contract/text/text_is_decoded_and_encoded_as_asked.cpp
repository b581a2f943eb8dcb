// Bytes become a str and back in UTF-8, ASCII and Latin-1; what an encoding has no place for is an
// error that says where and why, or is treated as the handler says. Source: "Unicode Objects and
// Codecs", built-in codecs; "codecs", error handlers. The expected values are CPython's.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Codecs = Things;

std::string decoded(std::string_view content, const char* encoding, const char* errors = nullptr) {
    return shown(PyUnicode_Decode(content.data(), static_cast<Py_ssize_t>(content.size()), encoding,
                                  errors));
}

std::string encoded(std::u32string_view text, const char* encoding, const char* errors = nullptr) {
    PyObject* op = str(text);
    const std::string result = shown(PyUnicode_AsEncodedString(op, encoding, errors));
    Py_DECREF(op);
    return result;
}

TEST_P(Codecs, SayWhereBytesAreNotUtf8) {
    const std::pair<std::string, std::string> faults[] = {
        {"\xFF", "byte 0xff in position 0: invalid start byte"},
        {"ok\x80", "byte 0x80 in position 2: invalid start byte"},
        {"\xC0\xAF", "byte 0xc0 in position 0: invalid start byte"},
        {"\xC1\x81", "byte 0xc1 in position 0: invalid start byte"},
        {"\xF5\x80", "byte 0xf5 in position 0: invalid start byte"},
        {"\xC3", "byte 0xc3 in position 0: unexpected end of data"},
        {"a\xE2\x82", "bytes in position 1-2: unexpected end of data"},
        {"\xF0\x9F\x98", "bytes in position 0-2: unexpected end of data"},
        {"\xED", "byte 0xed in position 0: unexpected end of data"},
        {"\xE2\x28\xA1", "byte 0xe2 in position 0: invalid continuation byte"},
        {"\xE2\x82\x28", "bytes in position 0-1: invalid continuation byte"},
        {"\xF0\x9F\x28", "bytes in position 0-1: invalid continuation byte"},
        {"\xE0\x80\x80", "byte 0xe0 in position 0: invalid continuation byte"},
        {"\xE0\x9F", "byte 0xe0 in position 0: invalid continuation byte"},
        {"\xED\xA0\x80", "byte 0xed in position 0: invalid continuation byte"},
        {"\xF0\x80\x80\x80", "byte 0xf0 in position 0: invalid continuation byte"},
        {"\xF4\x90\x80\x80", "byte 0xf4 in position 0: invalid continuation byte"},
        {"far behind eight ASCII bytes \xFF", "byte 0xff in position 29: invalid start byte"},
    };
    for (const auto& [content, fault] : faults) {
        const std::string error = "UnicodeDecodeError: 'utf-8' codec can't decode " + fault;
        const auto size = static_cast<Py_ssize_t>(content.size());
        EXPECT_EQ(shown(PyUnicode_FromStringAndSize(content.data(), size)), error);
        EXPECT_EQ(shown(PyUnicode_FromString(content.c_str())), error);
        EXPECT_EQ(shown(PyUnicode_DecodeUTF8(content.data(), size, "strict")), error);
        EXPECT_EQ(decoded(content, nullptr), error);
    }
    EXPECT_EQ(
        decoded("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80\xE0\xA0\x80\xC2\x80",
                "utf-8"),
        R"('\U00010000\U0010ffff\ud7ff\ue000\u0800\x80')")
        << "the bounds of each form";
}

TEST_P(Codecs, RefuseOrdinalsThatTheyHaveNotGot) {
    EXPECT_EQ(decoded("a\xFF", "ascii"),
              "UnicodeDecodeError: 'ascii' codec can't decode byte 0xff in position 1: ordinal not "
              "in range(128)");
    EXPECT_EQ(decoded("a\xE9\xFF", "latin-1"), R"('a\xe9\xff')");
    EXPECT_EQ(encoded(U"a\xd800", "utf-8"),
              R"(UnicodeEncodeError: 'utf-8' codec can't encode character '\ud800' in position 1: )"
              "surrogates not allowed");
    EXPECT_EQ(
        encoded(U"\xd800\xdc00z", nullptr),
        "UnicodeEncodeError: 'utf-8' codec can't encode characters in position 0-1: surrogates "
        "not allowed");
    EXPECT_EQ(encoded(U"\u00e9", "ascii"),
              R"(UnicodeEncodeError: 'ascii' codec can't encode character '\xe9' in position 0: )"
              "ordinal not in range(128)");
    EXPECT_EQ(
        encoded(U"a\u20ac\u20ac\u00e9", "latin-1"),
        "UnicodeEncodeError: 'latin-1' codec can't encode characters in position 1-2: ordinal "
        "not in range(256)");
    EXPECT_EQ(encoded(U"\U0001f600", "latin-1"),
              R"(UnicodeEncodeError: 'latin-1' codec can't encode character '\U0001f600' in )"
              "position 0: ordinal not in range(256)");
    EXPECT_EQ(encoded(U"a\u00e9\u00ff", "latin-1"), R"(b'a\xe9\xff')");
    EXPECT_EQ(encoded(U"a\u20ac", "utf-8"), R"(b'a\xe2\x82\xac')");
}

TEST_P(Codecs, HaveTheFunctionsNamedAfterThem) {
    Kept kept;
    PyObject* op = kept.str(U"\u00e9");
    EXPECT_EQ(shown(PyUnicode_AsUTF8String(op)), R"(b'\xc3\xa9')");
    EXPECT_EQ(shown(PyUnicode_AsLatin1String(op)), R"(b'\xe9')");
    EXPECT_THAT(shown(PyUnicode_AsASCIIString(op)), testing::HasSubstr("'ascii' codec"));
    EXPECT_EQ(shown(PyUnicode_DecodeASCII("ab", 2, nullptr)), "'ab'");
    EXPECT_EQ(shown(PyUnicode_DecodeASCII("\x80", 1, "replace")), R"('\ufffd')");
    EXPECT_EQ(shown(PyUnicode_DecodeLatin1("\xE9", 1, nullptr)), R"('\xe9')");
    EXPECT_EQ(shown(PyUnicode_DecodeUTF8("", 0, nullptr)), "''");
    const std::string error = "TypeError: bad argument type for built-in operation";
    EXPECT_EQ(shown(PyUnicode_AsUTF8String(Py_None)), error);
    EXPECT_EQ(shown(PyUnicode_AsASCIIString(Py_None)), error);
    EXPECT_EQ(shown(PyUnicode_AsLatin1String(Py_None)), error);
    EXPECT_EQ(shown(PyUnicode_AsEncodedString(Py_None, nullptr, nullptr)), error);
    EXPECT_EQ(shown(PyUnicode_EncodeFSDefault(Py_None)), error);
}

TEST_P(Codecs, AreFoundByTheirNames) {
    for (const char* name : {"utf-8", "UTF-8", "utf8", "Utf_8", "u8", "utf", "cp65001"}) {
        EXPECT_EQ(decoded("\xC3\xA9", name), R"('\xe9')") << name;
    }
    for (const char* name : {"ascii", "US-ASCII", "646"}) {
        EXPECT_THAT(decoded("\xE9", name), testing::HasSubstr("'ascii' codec")) << name;
    }
    for (const char* name : {"latin-1", "Latin1", "latin", "L1", "iso-8859-1", "ISO8859-1",
                             "iso8859", "8859", "cp819", "iso 8859 1"}) {
        EXPECT_EQ(decoded("\xE9", name), R"('\xe9')") << name;
    }
    for (const char* name : {"", "utf-16x", "utf8x", "utf-"}) {
        EXPECT_EQ(decoded("a", name), std::string("LookupError: unknown encoding: ") + name);
        EXPECT_EQ(encoded(U"a", name), std::string("LookupError: unknown encoding: ") + name);
    }
}

TEST_P(Codecs, DecodeWhatIsWrongAsTheHandlerSays) {
    const std::string wrong = "\xE2\x82x\xFF";
    EXPECT_EQ(decoded(wrong, "utf-8", "ignore"), "'x'");
    EXPECT_EQ(decoded(wrong, "utf-8", "replace"), R"('\ufffdx\ufffd')");
    EXPECT_EQ(decoded(wrong, "utf-8", "backslashreplace"), R"('\\xe2\\x82x\\xff')");
    EXPECT_EQ(decoded(wrong, "utf-8", "surrogateescape"), R"('\udce2\udc82x\udcff')");
    EXPECT_EQ(decoded("\xED\xA0\x80x", "utf-8", "surrogatepass"), R"('\ud800x')");
    EXPECT_EQ(
        decoded("\xED\xA0\x80x\xFF", "utf-8", "surrogatepass"),
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 4: invalid start "
        "byte");
    EXPECT_EQ(decoded("\xED\xA0", "utf-8", "surrogatepass"),
              "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xed in position 0: invalid "
              "continuation byte");
    EXPECT_EQ(
        decoded("\xED\xA0\x80", "ascii", "surrogatepass"),
        "UnicodeDecodeError: 'ascii' codec can't decode byte 0xed in position 0: ordinal not in "
        "range(128)");
    EXPECT_EQ(decoded("\xFF"
                      "a\xFF",
                      "ascii", "replace"),
              R"('\ufffda\ufffd')");
    EXPECT_EQ(decoded("\xFF", "ascii", "surrogateescape"), R"('\udcff')");
    EXPECT_EQ(decoded("\xFF", "ascii", "xmlcharrefreplace"),
              "TypeError: don't know how to handle UnicodeDecodeError in error callback");
    EXPECT_EQ(decoded("\xFF", "ascii", "foo"), "LookupError: unknown error handler name 'foo'");
    EXPECT_EQ(decoded("a", "ascii", "foo"), "'a'") << "asked for only where something is wrong";
}

TEST_P(Codecs, EncodeWhatIsWrongAsTheHandlerSays) {
    EXPECT_EQ(encoded(U"a\u00e9\u20acb", "ascii", "ignore"), "b'ab'");
    EXPECT_EQ(encoded(U"\u00e9\u20ac", "ascii", "replace"), "b'\?\?'");
    EXPECT_EQ(encoded(U"a\xd800", "utf-8", "replace"), "b'a?'");
    EXPECT_EQ(encoded(U"a\u20ac\U0001f600\u00e9\xd800", "ascii", "backslashreplace"),
              R"(b'a\\u20ac\\U0001f600\\xe9\\ud800')");
    EXPECT_EQ(encoded(U"\u00e9\xd800\xd801x", "utf-8", "backslashreplace"),
              R"(b'\xc3\xa9\\ud800\\ud801x')");
    EXPECT_EQ(encoded(U"a\u20ac\U0010ffff", "ascii", "xmlcharrefreplace"), "b'a&#8364;&#1114111;'");
    EXPECT_EQ(encoded(U"\xdc80x\xdcff", "utf-8", "surrogateescape"), R"(b'\x80x\xff')");
    EXPECT_EQ(encoded(U"\xdcff\xd800", "utf-8", "surrogateescape"),
              R"(UnicodeEncodeError: 'utf-8' codec can't encode character '\ud800' in position 1: )"
              "surrogates not allowed");
    EXPECT_EQ(
        encoded(U"\u00e9\xdc80\u20ac", "ascii", "surrogateescape"),
        "UnicodeEncodeError: 'ascii' codec can't encode characters in position 0-2: ordinal not "
        "in range(128)");
    EXPECT_EQ(encoded(U"\xd800\u20ac", "utf-8", "surrogatepass"), R"(b'\xed\xa0\x80\xe2\x82\xac')");
    EXPECT_EQ(encoded(U"\xd800", "ascii", "surrogatepass"),
              R"(UnicodeEncodeError: 'ascii' codec can't encode character '\ud800' in position 0: )"
              "ordinal not in range(128)");
    EXPECT_EQ(encoded(U"\u00e9", "ascii", "foo"), "LookupError: unknown error handler name 'foo'");
    EXPECT_EQ(encoded(U"a", "ascii", "foo"), "b'a'");
}

TEST_P(Codecs, LeaveWhatIsCutOffForLater) {
    const auto stateful = [](std::string_view content, Py_ssize_t* consumed) {
        return shown(PyUnicode_DecodeUTF8Stateful(
            content.data(), static_cast<Py_ssize_t>(content.size()), nullptr, consumed));
    };
    Py_ssize_t consumed = -1;
    EXPECT_EQ(stateful("ab", &consumed), "'ab'");
    EXPECT_EQ(consumed, 2);
    EXPECT_EQ(stateful("a\xE2\x82", &consumed), "'a'");
    EXPECT_EQ(consumed, 1);
    EXPECT_THAT(stateful("\xFF\xE2\x82", &consumed), testing::StartsWith("UnicodeDecodeError"));
    EXPECT_THAT(stateful("a\xE2\x82", nullptr), testing::StartsWith("UnicodeDecodeError"));
}

TEST_P(Codecs, CarryAnyFileName) {
    const std::string name = "a\xC3\xA9\xFF\xED\xA0\x80z";
    PyObject* op = PyUnicode_DecodeFSDefault(name.c_str());
    EXPECT_EQ(shown(PyUnicode_EncodeFSDefault(op)), R"(b'a\xc3\xa9\xff\xed\xa0\x80z')");
    EXPECT_EQ(shown(op), R"('a\xe9\udcff\udced\udca0\udc80z')");
    EXPECT_EQ(shown(PyUnicode_DecodeFSDefaultAndSize("a\0b", 3)), R"('a\x00b')");
}

TEST_P(Codecs, DecodeBytesObjectsAlone) {
    Kept kept;
    const auto from = [](PyObject* op, const char* encoding) {
        return shown(PyUnicode_FromEncodedObject(op, encoding, nullptr));
    };
    EXPECT_EQ(from(kept.bytes("\xC3\xA9"), "utf-8"), R"('\xe9')");
    EXPECT_EQ(from(kept.bytes("\xC3\xA9"), nullptr), R"('\xe9')");
    EXPECT_EQ(from(kept.bytes(""), "ascii"), "''");
    EXPECT_EQ(from(kept.str("a"), nullptr), "TypeError: decoding str is not supported");
    EXPECT_EQ(from(Py_True, nullptr),
              "TypeError: decoding to str: need a bytes-like object, bool found");
    EXPECT_EQ(from(nullptr, nullptr), "SystemError: bad argument to internal function");
}

// A str with surrogates has no UTF-8 for others, and says so whenever it is asked.
TEST_P(Codecs, GiveNoUtf8OfSurrogates) {
    Kept kept;
    PyObject* op = kept.str(U"ab\xdc00");
    for (int i = 0; i < 2; ++i) {
        Py_ssize_t size = 7;
        EXPECT_EQ(PyUnicode_AsUTF8AndSize(op, &size), nullptr);
        EXPECT_EQ(size, -1);
        EXPECT_EQ(taken_error(),
                  R"(UnicodeEncodeError: 'utf-8' codec can't encode character '\udc00' in )"
                  "position 2: surrogates not allowed");
        EXPECT_EQ(PyUnicode_AsUTF8(op), nullptr);
        PyErr_Clear();
    }
    Py_ssize_t size = 7;
    EXPECT_EQ(PyUnicode_AsUTF8AndSize(Py_None, &size), nullptr);
    EXPECT_EQ(size, -1);
    EXPECT_EQ(taken_error(), "TypeError: bad argument type for built-in operation");
}

TEST_P(Codecs, RefuseSizesThatCannotBe) {
    EXPECT_EQ(shown(PyUnicode_FromStringAndSize("", -1)),
              "SystemError: Negative size passed to PyUnicode_FromStringAndSize");
    EXPECT_EQ(shown(PyUnicode_FromStringAndSize(nullptr, 1)),
              "SystemError: NULL string with positive size with NULL passed to "
              "PyUnicode_FromStringAndSize");
    EXPECT_EQ(shown(PyUnicode_FromStringAndSize(nullptr, 0)), "''");
}

EVERY_WAY_OF_COUNTING(Codecs);

}  // namespace
}  // namespace ouro::test
