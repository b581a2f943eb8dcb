// A program registers functions that find codecs, and error handlers by a name; the encodings and handlers of the runtime
// are found without. All are forgotten at the end of the runtime. UTF-16, UTF-32, UTF-7, escapes and mappings of bytes.
// Source: "Codec registry and support functions"; "Unicode Objects and CodecRegistry", Built-in CodecRegistry.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using namespace std::string_view_literals;

// What is registered stays until the runtime ends.
class CodecRegistry : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_NO_FATAL_FAILURE(start_runtime(settings_for(GetParam(), "verify=on")));
    }
    void TearDown() override { stop_runtime(); }
};

PyObject* code(PyObject*, PyObject* args) {
    return Py_BuildValue("(Oi)", PyTuple_GET_ITEM(args, 0), 1);
}
PyMethodDef code_definition = {"code", code, METH_VARARGS, nullptr};

PyObject* find_codec(PyObject*, PyObject* name) {
    if (PyUnicode_CompareWithASCIIString(name, "contract_codec") != 0) {
        return Py_NewRef(Py_None);
    }
    PyObject* function = PyCFunction_New(&code_definition, nullptr);
    return Py_BuildValue("(NOOO)", function, function, function, function);
}
PyMethodDef find_definition = {"find", find_codec, METH_O, nullptr};

TEST_P(CodecRegistry, AreFoundByFunctions) {
    Kept kept;
    PyObject* find = kept(PyCFunction_New(&find_definition, nullptr));
    PyObject* text = kept.str("text");
    EXPECT_EQ(PyCodec_KnownEncoding("contract codec"), 0);
    ASSERT_EQ(PyCodec_Register(find), 0);
    EXPECT_EQ(PyCodec_KnownEncoding("Contract-Codec"), 1);
    EXPECT_EQ(kept(PyCodec_Encode(text, "contract-codec", nullptr)), text);
    EXPECT_EQ(kept(PyCodec_Decode(text, "contract-codec", "strict")), text);
    EXPECT_EQ(PyUnicode_AsEncodedString(text, "contract-codec", nullptr), nullptr);
    EXPECT_EQ(take_error().type, "TypeError");
    for (PyObject* part : {PyCodec_Encoder("contract-codec"), PyCodec_Decoder("contract-codec")}) {
        EXPECT_TRUE(PyCallable_Check(kept(part)));
    }
    EXPECT_TRUE(PyTuple_Check(kept(PyCodec_StreamReader("contract-codec", text, nullptr))));
    EXPECT_TRUE(PyTuple_Check(kept(PyCodec_StreamWriter("contract-codec", text, nullptr))));
    EXPECT_EQ(PyCodec_IncrementalEncoder("contract-codec", nullptr), nullptr);
    EXPECT_EQ(take_error().type, "AttributeError");
    EXPECT_EQ(PyCodec_IncrementalDecoder("utf-8", nullptr), nullptr);
    EXPECT_EQ(take_error().type, "LookupError");
    ASSERT_EQ(PyCodec_Unregister(find), 0);
    EXPECT_EQ(PyCodec_KnownEncoding("contract-codec"), 0);
    EXPECT_EQ(shown(PyCodec_Encode(text, "utf-16-be", nullptr)), R"(b'\x00t\x00e\x00x\x00t')");
}

PyObject* stand_in(PyObject*, PyObject* exception) {
    Py_ssize_t end = 0;
    return PyUnicodeEncodeError_GetEnd(exception, &end) < 0 ? nullptr
                                                            : Py_BuildValue("(sn)", "<>", end);
}
PyMethodDef stand_in_definition = {"stand_in", stand_in, METH_O, nullptr};

TEST_P(CodecRegistry, AskErrorHandlers) {
    Kept kept;
    PyObject* handler = kept(PyCFunction_New(&stand_in_definition, nullptr));
    ASSERT_EQ(PyCodec_RegisterError("contract.stand_in", handler), 0);
    EXPECT_EQ(kept(PyCodec_LookupError("contract.stand_in")), handler);
    EXPECT_EQ(shown(PyUnicode_AsEncodedString(kept.str("a\xC3\xA4\xC3\xB6z"), "ascii",
                                              "contract.stand_in")),
              "b'a<>z'");
    EXPECT_EQ(PyCodec_LookupError("namereplace"), nullptr);
    EXPECT_EQ(take_error().type, "LookupError");
    EXPECT_EQ(PyCodec_RegisterError("contract.none", Py_None), -1);
    EXPECT_EQ(take_error().type, "TypeError");
    PyObject* error = kept(PyUnicodeDecodeError_Create("ascii", "\xE4", 1, 0, 1, "why"));
    EXPECT_EQ(PyCodec_StrictErrors(error), nullptr);
    EXPECT_EQ(take_error().type, "UnicodeDecodeError");
    EXPECT_EQ(shown(Py_NewRef(PyTuple_GetItem(kept(PyCodec_ReplaceErrors(error)), 0))),
              R"('\ufffd')");
    EXPECT_EQ(PyLong_AsLong(PyTuple_GetItem(kept(PyCodec_IgnoreErrors(error)), 1)), 1);
    EXPECT_EQ(shown(Py_NewRef(PyTuple_GetItem(kept(PyCodec_BackslashReplaceErrors(error)), 0))),
              R"('\\xe4')");
    EXPECT_EQ(PyCodec_XMLCharRefReplaceErrors(error), nullptr);
    EXPECT_EQ(take_error().type, "TypeError");
}

TEST_P(CodecRegistry, OfWideUnitsKeepTheirOrder) {
    Kept kept;
    int order = 0;
    EXPECT_EQ(shown(PyUnicode_DecodeUTF16("\xFE\xFF\0a", 4, nullptr, &order)), "'a'");
    EXPECT_EQ(order, 1);
    Py_ssize_t used = 0;
    order = -1;
    EXPECT_EQ(shown(PyUnicode_DecodeUTF16Stateful("a\0\x3D\xD8", 4, nullptr, &order, &used)),
              "'a'");
    EXPECT_EQ(used, 2);
    EXPECT_EQ(shown(PyUnicode_DecodeUTF32Stateful("a\0\0\0b", 5, nullptr, &order, &used)), "'a'");
    EXPECT_EQ(used, 4);
    order = 0;
    EXPECT_EQ(shown(PyUnicode_DecodeUTF32("\0\0\xFE\xFF\0\0\0a", 8, nullptr, &order)), "'a'");
    EXPECT_EQ(order, 1);
    EXPECT_EQ(PyUnicode_DecodeUTF16("a", 1, nullptr, nullptr), nullptr);
    EXPECT_EQ(take_error().type, "UnicodeDecodeError");
    EXPECT_EQ(PyBytes_GET_SIZE(kept(PyUnicode_AsUTF16String(kept.str("\xF0\x9F\x98\x80")))), 6);
    EXPECT_EQ(PyBytes_GET_SIZE(kept(PyUnicode_AsUTF32String(kept.str("\xF0\x9F\x98\x80")))), 8);
}

TEST_P(CodecRegistry, OfCharactersThatStandForOthers) {
    Kept kept;
    Py_ssize_t used = 0;
    EXPECT_EQ(shown(PyUnicode_DecodeUTF7("+AOQ-", 5, nullptr)), R"('\xe4')");
    EXPECT_EQ(shown(PyUnicode_DecodeUTF7Stateful("a+AO", 4, nullptr, &used)), "'a'");
    EXPECT_EQ(used, 1);
    EXPECT_EQ(shown(PyUnicode_DecodeUnicodeEscape(R"(\x41\n)", 6, nullptr)), R"('A\n')");
    EXPECT_EQ(shown(PyUnicode_DecodeRawUnicodeEscape(R"(\u0041\n)", 8, nullptr)), R"('A\\n')");
    EXPECT_EQ(shown(PyUnicode_AsUnicodeEscapeString(kept.str("\xC3\xA4\n"))), R"(b'\\xe4\\n')");
    EXPECT_EQ(shown(PyUnicode_AsRawUnicodeEscapeString(kept.str("\xE2\x82\xAC"))), R"(b'\\u20ac')");
    EXPECT_EQ(shown(PyBytes_DecodeEscape(R"(\x41\102)", 8, nullptr, 0, nullptr)), "b'AB'");
    EXPECT_EQ(shown(PyBytes_Repr(kept.bytes("it's"), 0)), R"("b'it\\'s'")");
    PyObject* table = kept.str("xyz");
    EXPECT_EQ(shown(PyUnicode_DecodeCharmap("\2\0", 2, table, nullptr)), "'zx'");
    PyObject* map = kept(PyUnicode_BuildEncodingMap(table));
    EXPECT_EQ(shown(PyUnicode_AsCharmapString(kept.str("zx"), map)), R"(b'\x02\x00')");
    EXPECT_EQ(PyUnicode_AsCharmapString(kept.str("a"), map), nullptr);
    EXPECT_EQ(take_error().type, "UnicodeEncodeError");
}

TEST_P(CodecRegistry, OfTheSystemAreUtf8) {
    Kept kept;
    EXPECT_EQ(PyUnicode_GetDefaultEncoding(), "utf-8"sv);
    EXPECT_EQ(shown(PyUnicode_DecodeLocale("\xC3\xA4", nullptr)), R"('\xe4')");
    EXPECT_EQ(shown(PyUnicode_DecodeLocaleAndSize("ab", 1, "surrogateescape")), "'a'");
    EXPECT_EQ(PyUnicode_DecodeLocale("a", "replace"), nullptr);
    EXPECT_EQ(take_error().type, "ValueError");
    EXPECT_EQ(shown(PyUnicode_EncodeLocale(kept.str("a"), nullptr)), "b'a'");
    PyUnicodeWriter* writer = PyUnicodeWriter_Create(0);
    Py_ssize_t used = 0;
    EXPECT_EQ(PyUnicodeWriter_DecodeUTF8Stateful(writer, "a\xC3", 2, nullptr, &used), 0);
    EXPECT_EQ(used, 1);
    EXPECT_EQ(shown(PyUnicodeWriter_Finish(writer)), "'a'");
}

EVERY_WAY_OF_COUNTING(CodecRegistry);

}  // namespace
}  // namespace ouro::test
