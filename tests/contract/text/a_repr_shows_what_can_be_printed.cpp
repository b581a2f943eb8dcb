// repr of a str: quotes, escapes, and as it is what can be printed; its str is the text itself.
// repr of bytes. Source: "Built-in Functions", repr and ascii; "String and Bytes literals". The
// expected values are CPython's.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Repr = Things;

// UTF-8.
std::string repr(PyObject* stolen) {
    PyObject* made = Py_TYPE(stolen)->tp_repr(stolen);
    EXPECT_TRUE(made != nullptr && PyUnicode_CheckExact(made));
    std::string text = PyUnicode_AsUTF8(made);
    Py_DECREF(made);
    Py_DECREF(stolen);
    return text;
}

TEST_P(Repr, ChoosesItsQuotes) {
    EXPECT_EQ(repr(str("")), "''");
    EXPECT_EQ(repr(str("a")), "'a'");
    EXPECT_EQ(repr(str("it's")), R"("it's")");
    EXPECT_EQ(repr(str("say \"it\"")), R"('say "it"')");
    EXPECT_EQ(repr(str("\"it's\"")), R"('"it\'s"')");
}

TEST_P(Repr, EscapesWhatCannotBePrinted) {
    EXPECT_EQ(repr(str("\t\n\r\\")), R"('\t\n\r\\')");
    EXPECT_EQ(repr(str(std::string_view("\0\x1f\x7f\v", 4))), R"('\x00\x1f\x7f\x0b')");
    EXPECT_EQ(repr(str(U"\u0080\u00a0\u00ad")), R"('\x80\xa0\xad')");
    EXPECT_EQ(repr(str(U"\u2028\u200b\ufeff\xd800\ue000\u3000")),
              R"('\u2028\u200b\ufeff\ud800\ue000\u3000')");
    EXPECT_EQ(repr(str(U"\U000e0001\U0010ffff\U0001ffff")), R"('\U000e0001\U0010ffff\U0001ffff')");
}

TEST_P(Repr, LeavesWhatCanBePrinted) {
    EXPECT_EQ(repr(str(" ~")), "' ~'");
    const std::string text = "\xC2\xA1\xC3\xA9\xE2\x82\xAC\xE4\xB8\x80\xF0\x9F\x98\x80\xCC\x81";
    EXPECT_EQ(repr(str(text)), "'" + text + "'");
}

TEST_P(Repr, OfBytes) {
    EXPECT_EQ(repr(bytes("")), "b''");
    EXPECT_EQ(repr(bytes("it's")), R"(b"it's")");
    EXPECT_EQ(repr(bytes("\"it's\"")), R"(b'"it\'s"')");
    EXPECT_EQ(repr(bytes(std::string_view("\t\n\r\\\0\x1f ~\x7f\x80\xff", 11))),
              R"(b'\t\n\r\\\x00\x1f ~\x7f\x80\xff')");
    PyObject* op = bytes("a");
    EXPECT_EQ(shown(Py_TYPE(op)->tp_str(op)), R"("b'a'")");
    Py_DECREF(op);
}

TEST_P(Repr, IsNotTheText) {
    PyObject* op = str("a");
    PyObject* text = Py_TYPE(op)->tp_str(op);
    EXPECT_EQ(text, op);
    drop({op, text});
}

EVERY_WAY_OF_COUNTING(Repr);

}  // namespace
}  // namespace ouro::test
