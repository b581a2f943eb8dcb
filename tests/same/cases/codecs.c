/* Encodings beside UTF-8, and the registry of codecs and error handlers. */
#include "tests/same/same.h"

/* Bytes, or what was raised. */
#define DECODED(label, function, text, ...) \
    got(label, function(text, (Py_ssize_t)sizeof(text) - 1, __VA_ARGS__))

CASE(utf16_is_decoded) {
    int order = 0;
    DECODED("none", PyUnicode_DecodeUTF16, "", NULL, NULL);
    DECODED("native", PyUnicode_DecodeUTF16, "a\0\xe4\0", NULL, &order);
    done("order", order);
    DECODED("mark", PyUnicode_DecodeUTF16, "\xfe\xff\0a\x20\xac", NULL, &order);
    done("order", order);
    order = 0;
    DECODED("mark", PyUnicode_DecodeUTF16, "\xff\xfe\x61\0\x3d\xd8\x00\xde", NULL, &order);
    done("order", order);
    DECODED("a mark is text", PyUnicode_DecodeUTF16, "\xff\xfe\x61\0", NULL, &order);
    order = 1;
    DECODED("big", PyUnicode_DecodeUTF16, "\0a\xd8\x3d\xde\0", NULL, &order);
    order = -1;
    DECODED("cut off", PyUnicode_DecodeUTF16, "a\0b", NULL, &order);
    DECODED("cut off", PyUnicode_DecodeUTF16, "a\0b", "replace", &order);
    DECODED("half a pair", PyUnicode_DecodeUTF16, "a\0\x3d\xd8", NULL, &order);
    DECODED("half a pair", PyUnicode_DecodeUTF16, "a\0\x3d\xd8", "replace", &order);
    DECODED("half a pair", PyUnicode_DecodeUTF16, "\x3d\xd8z\0b\0", NULL, &order);
    DECODED("half a pair", PyUnicode_DecodeUTF16, "\x3d\xd8z\0b\0", "ignore", &order);
    DECODED("half a pair", PyUnicode_DecodeUTF16, "\x3d\xd8z\0b\0", "surrogatepass", &order);
    DECODED("second half", PyUnicode_DecodeUTF16, "\0\xdez\0", NULL, &order);
    DECODED("second half", PyUnicode_DecodeUTF16, "\0\xdez\0", "backslashreplace", &order);
    DECODED("no handler", PyUnicode_DecodeUTF16, "\0\xdez\0", "nonsense", &order);
    Py_ssize_t used = -1;
    got("stateful", PyUnicode_DecodeUTF16Stateful("a\0\x3d\xd8\0", 5, NULL, &order, &used));
    done("used", (long long)used);
    got("stateful", PyUnicode_DecodeUTF16Stateful("a", 1, NULL, &order, &used));
    done("used", (long long)used);
}

CASE(utf32_is_decoded) {
    int order = 0;
    DECODED("native", PyUnicode_DecodeUTF32, "a\0\0\0\0\xf6\x01\0", NULL, &order);
    done("order", order);
    DECODED("mark", PyUnicode_DecodeUTF32, "\0\0\xfe\xff\0\0\0a", NULL, &order);
    done("order", order);
    order = -1;
    DECODED("too large", PyUnicode_DecodeUTF32, "a\0\0\0\0\0\x11\0", NULL, &order);
    DECODED("too large", PyUnicode_DecodeUTF32, "a\0\0\0\0\0\x11\0z\0\0\0", "replace", &order);
    DECODED("surrogate", PyUnicode_DecodeUTF32, "\0\xd8\0\0", NULL, &order);
    DECODED("surrogate", PyUnicode_DecodeUTF32, "\0\xd8\0\0", "surrogatepass", &order);
    DECODED("cut off", PyUnicode_DecodeUTF32, "a\0\0\0b\0", NULL, &order);
    Py_ssize_t used = -1;
    got("stateful", PyUnicode_DecodeUTF32Stateful("a\0\0\0b\0", 6, NULL, &order, &used));
    done("used", (long long)used);
}

static const char* const kNames[] = {"utf-16", "utf-16-le",      "UTF_16BE",
                                     "utf-32", "utf-32-le",      "utf-32-be",
                                     "utf-7",  "unicode_escape", "raw_unicode_escape"};

CASE(texts_are_encoded_in_other_encodings) {
    PyObject* text = S("a\xc3\xa4+-\\\n\xe2\x82\xac\xf0\x9f\x98\x80z");
    PyObject* half = T(PyUnicode_DecodeUTF8("<\xed\xa0\xbd>", 5, "surrogatepass"));
    static const char* const handlers[] = {
        "strict",           "ignore",        "replace",        "xmlcharrefreplace",
        "backslashreplace", "surrogatepass", "surrogateescape"};
    for (size_t i = 0; i < sizeof(kNames) / sizeof(*kNames); ++i) {
        PyObject* bytes = PyUnicode_AsEncodedString(text, kNames[i], NULL);
        see(kNames[i], bytes);
        if (bytes != NULL) {
            got("and back", PyUnicode_Decode(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes),
                                             kNames[i], NULL));
            Py_DECREF(bytes);
        }
        for (size_t j = 0; j < sizeof(handlers) / sizeof(*handlers); ++j) {
            got(handlers[j], PyUnicode_AsEncodedString(half, kNames[i], handlers[j]));
        }
    }
    got("utf-16", PyUnicode_AsUTF16String(text));
    got("utf-32", PyUnicode_AsUTF32String(text));
    got("escapes", PyUnicode_AsUnicodeEscapeString(text));
    got("raw escapes", PyUnicode_AsRawUnicodeEscapeString(text));
    got("no str", PyUnicode_AsUTF16String(Py_None));
    got("no such encoding", PyUnicode_AsEncodedString(text, "nonsense", NULL));
    say("default: %s", PyUnicode_GetDefaultEncoding());
}

CASE(utf7_is_decoded) {
    static const char* const texts[] = {"a+AOQ-b",   "+-",         "+AOQ",     "+2D3eAA-", "+AO!",
                                        "+AOR-",     "a\xff",      "+!x",      "+2D0-",    "+2D0!",
                                        "a+AOQ b+-", "+AGEAYgBj-", "+AGE+AGE", "",         "+"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); ++i) {
        const Py_ssize_t size = (Py_ssize_t)strlen(texts[i]);
        got(texts[i], PyUnicode_DecodeUTF7(texts[i], size, NULL));
        got("replace", PyUnicode_DecodeUTF7(texts[i], size, "replace"));
        got("ignore", PyUnicode_DecodeUTF7(texts[i], size, "ignore"));
        Py_ssize_t used = -1;
        got("stateful", PyUnicode_DecodeUTF7Stateful(texts[i], size, "ignore", &used));
        done("used", (long long)used);
    }
}

CASE(escapes_are_decoded) {
    static const char* const texts[] = {"a\\n\\t\\\\\\'\\\"\\a\\b\\f\\v\\r",
                                        "\\x41\\u20ac\\U0001F600",
                                        "\\101\\18\\0",
                                        "\\\nx",
                                        "\\x4",
                                        "\\x4g",
                                        "\\u12",
                                        "\\U00110000",
                                        "\\U0011",
                                        "a\\",
                                        "\\N",
                                        "\\N{",
                                        "\xe4\xff",
                                        "\\u\\x"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); ++i) {
        const Py_ssize_t size = (Py_ssize_t)strlen(texts[i]);
        got(texts[i], PyUnicode_DecodeUnicodeEscape(texts[i], size, NULL));
        got("replace", PyUnicode_DecodeUnicodeEscape(texts[i], size, "replace"));
        got("raw", PyUnicode_DecodeRawUnicodeEscape(texts[i], size, NULL));
        got("raw", PyUnicode_DecodeRawUnicodeEscape(texts[i], size, "backslashreplace"));
        got("bytes", PyBytes_DecodeEscape(texts[i], size, NULL, 0, NULL));
        got("bytes", PyBytes_DecodeEscape(texts[i], size, "replace", 0, NULL));
        got("bytes", PyBytes_DecodeEscape(texts[i], size, "ignore", 0, NULL));
        got("bytes", PyBytes_DecodeEscape(texts[i], size, "nonsense", 0, NULL));
    }
    PyObject* bytes = T(PyBytes_FromString("it's"));
    got("repr", PyBytes_Repr(bytes, 1));
    got("repr", PyBytes_Repr(bytes, 0));
}

CASE(bytes_are_decoded_by_a_mapping) {
    PyObject* mapping = V("{i:i,i:s,i:O,i:s,i:i,i:i}", 'a', 0x20ac, 'b', "both", 'c', Py_None, 'd',
                          "\xef\xbf\xbe", 'e', 0x110000, 'f', 0xfffe);
    DECODED("mapping", PyUnicode_DecodeCharmap, "abab", mapping, NULL);
    DECODED("none", PyUnicode_DecodeCharmap, "ac", mapping, NULL);
    DECODED("missing", PyUnicode_DecodeCharmap, "axa", mapping, "replace");
    DECODED("no meaning", PyUnicode_DecodeCharmap, "ad", mapping, "backslashreplace");
    DECODED("too large", PyUnicode_DecodeCharmap, "ae", mapping, "ignore");
    DECODED("no meaning", PyUnicode_DecodeCharmap, "afa", mapping, "ignore");
    DECODED("a text", PyUnicode_DecodeCharmap, "\0\1\0", S("xy"), NULL);
    DECODED("beyond it", PyUnicode_DecodeCharmap, "\0\2", S("xy"), NULL);
    DECODED("none given", PyUnicode_DecodeCharmap, "a\xe4", NULL, NULL);
    DECODED("no mapping", PyUnicode_DecodeCharmap, "a", I(5), NULL);
    DECODED("wrong value", PyUnicode_DecodeCharmap, "a", V("{i:d}", 'a', 1.5), NULL);
    PyObject* out =
        V("{i:i,i:y,i:O,i:i,i:d}", 'a', 0x41, 'b', "both", 'c', Py_None, 'd', 256, 'e', 1.5);
    got("mapping", PyUnicode_AsCharmapString(S("aba"), out));
    got("none", PyUnicode_AsCharmapString(S("accxa"), out));
    got("too large", PyUnicode_AsCharmapString(S("ad"), out));
    got("wrong value", PyUnicode_AsCharmapString(S("ae"), out));
    got("no str", PyUnicode_AsCharmapString(Py_None, out));
    PyObject* built = T(PyUnicode_BuildEncodingMap(S("xyz")));
    got("built", PyUnicode_AsCharmapString(S("zyx"), built));
    got("no str", PyUnicode_BuildEncodingMap(Py_None));
}

/* ---- the registry ---- */

static PyObject* encode_twice(PyObject* self, PyObject* args) {
    (void)self;
    PyObject* op;
    const char* errors = "none";
    if (!PyArg_ParseTuple(args, "O|s", &op, &errors)) {
        return NULL;
    }
    return PyObject_IsTrue(op)
               ? Py_BuildValue("(Ni)", PyUnicode_FromFormat("%S%S, %s", op, op, errors), 2)
               : Py_NewRef(op);
}
static PyObject* to_bytes(PyObject* self, PyObject* args) {
    (void)self;
    PyObject* op;
    const char* errors = NULL;
    return !PyArg_ParseTuple(args, "O|s", &op, &errors) ? NULL : Py_BuildValue("(yi)", "bytes", 1);
}
DEFINE(twice, "twice", encode_twice, METH_VARARGS);
DEFINE(bytes_of, "bytes_of", to_bytes, METH_VARARGS);

static PyObject* search_same(PyObject* self, PyObject* name) {
    (void)self;
    say("asked for %s", PyUnicode_AsUTF8(name));
    if (PyUnicode_CompareWithASCIIString(name, "same_codec") == 0) {
        return Py_BuildValue("(NNNN)", function_of(&twice), function_of(&bytes_of),
                             function_of(&twice), function_of(&twice));
    }
    return PyUnicode_CompareWithASCIIString(name, "same_wrong") == 0 ? PyLong_FromLong(3)
                                                                     : Py_NewRef(Py_None);
}
DEFINE(search, "search", search_same, METH_O);

CASE(codecs_are_registered) {
    PyObject* function = T(function_of(&search));
    done("register", PyCodec_Register(function));
    done("register", PyCodec_Register(Py_None));
    done("known", PyCodec_KnownEncoding("Same Codec"));
    done("known", PyCodec_KnownEncoding("same-codec"));
    done("known", PyCodec_KnownEncoding("same_none"));
    done("known", PyCodec_KnownEncoding("utf-8"));
    got("encode", PyCodec_Encode(I(5), "same-codec", NULL));
    got("encode", PyCodec_Encode(I(5), "same-codec", "some"));
    got("decode", PyCodec_Decode(I(5), "same-codec", NULL));
    got("decode", PyCodec_Decode(I(5), "same_none", NULL));
    got("decode", PyCodec_Decode(I(5), "same_wrong", NULL));
    got("str", PyUnicode_AsEncodedString(S("a"), "same-codec", NULL));
    got("bytes", PyUnicode_Decode("a", 1, "same-codec", NULL));
    got("encoder", PyObject_CallFunction(T(PyCodec_Encoder("same-codec")), "i", 5));
    got("decoder", PyObject_CallFunction(T(PyCodec_Decoder("same-codec")), "i", 5));
    got("reader", PyCodec_StreamReader("same-codec", I(5), NULL));
    got("writer", PyCodec_StreamWriter("same-codec", I(5), "some"));
    got("incremental", PyCodec_IncrementalEncoder("same-codec", NULL));
    got("encode", PyCodec_Encode(S("a\xc3\xa4"), "utf-8", NULL));
    got("decode", PyCodec_Decode(T(PyBytes_FromString("a\xe4")), "latin-1", NULL));
    got("decode", PyCodec_Decode(T(PyBytes_FromString("a\xe4")), "ascii", "replace"));
    got("encoder", PyObject_CallFunction(T(PyCodec_Encoder("utf-16-le")), "s", "ab"));
    got("decoder",
        PyObject_CallFunction(T(PyCodec_Decoder("utf-16-le")), "y#", "a\0b\0", (Py_ssize_t)4));
    done("unregister", PyCodec_Unregister(function));
    done("unregister", PyCodec_Unregister(Py_None));
    done("known", PyCodec_KnownEncoding("same-codec"));
}

static PyObject* answer_given(PyObject* self, PyObject* exception) {
    (void)exception;
    return Py_NewRef(self);
}
static PyMethodDef giving = {"giving", answer_given, METH_O, NULL};

CASE(error_handlers_are_registered) {
    PyObject* text = S("a\xc3\xa4\xc3\xb6z");
    PyObject* answers[] = {V("(si)", "<>", 3),       V("(yi)", "<>", 3),  V("(si)", "<>", -1),
                           V("(si)", "<>", 9),       V("(ii)", 1, 3),     V("(s)", "<>"),
                           V("(si)", "\xc3\xa4", 3), V("(ss)", "a", "b"), I(5)};
    done("none", PyCodec_RegisterError("same.answer", Py_None));
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); ++i) {
        see("answer", answers[i]);
        done("register",
             PyCodec_RegisterError("same.answer", T(PyCFunction_New(&giving, answers[i]))));
        got("ascii", PyUnicode_AsEncodedString(text, "ascii", "same.answer"));
        got("decoded", PyUnicode_DecodeASCII("ab\xffz", 4, "same.answer"));
    }
    got("lookup", PyObject_CallNoArgs(T(PyCodec_LookupError("same.answer"))));
    got("no such", PyCodec_LookupError("same.none"));
}

CASE(error_handlers_are_called) {
    static const char* const names[] = {NULL,
                                        "strict",
                                        "ignore",
                                        "replace",
                                        "xmlcharrefreplace",
                                        "backslashreplace",
                                        "surrogateescape",
                                        "surrogatepass"};
    PyObject* errors[] = {
        T(PyObject_CallFunction(
            PyExc_UnicodeEncodeError, "sNnns", "utf-8",
            PyUnicode_DecodeUTF8("a\xed\xb2\x80\xed\xb2\x81z", 8, "surrogatepass"), (Py_ssize_t)1,
            (Py_ssize_t)3, "why")),
        T(PyObject_CallFunction(PyExc_UnicodeDecodeError, "sy#nns", "utf-8", "a\xed\xa0\x80z",
                                (Py_ssize_t)5, (Py_ssize_t)1, (Py_ssize_t)4, "why")),
        T(PyObject_CallFunction(PyExc_UnicodeDecodeError, "sy#nns", "utf-16-le", "a\0\0\xd8",
                                (Py_ssize_t)4, (Py_ssize_t)2, (Py_ssize_t)4, "why")),
        T(PyObject_CallFunction(PyExc_UnicodeTranslateError, "snns", "abcd", (Py_ssize_t)1,
                                (Py_ssize_t)3, "why")),
        T(PyObject_CallFunction(PyExc_ValueError, "s", "why")),
        Py_None};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i) {
        PyObject* handler = T(PyCodec_LookupError(names[i]));
        for (size_t j = 0; j < sizeof(errors) / sizeof(*errors); ++j) {
            got(names[i] == NULL ? "NULL" : names[i], PyObject_CallOneArg(handler, errors[j]));
        }
    }
    got("strict", PyCodec_StrictErrors(errors[0]));
    got("ignore", PyCodec_IgnoreErrors(errors[1]));
    got("replace", PyCodec_ReplaceErrors(errors[3]));
    got("references", PyCodec_XMLCharRefReplaceErrors(errors[0]));
    got("backslashes", PyCodec_BackslashReplaceErrors(errors[3]));
}

CASE(texts_of_the_system_are_decoded) {
    got("text", PyUnicode_DecodeLocale("a", NULL));
    got("handler", PyUnicode_DecodeLocale("a", "replace"));
    got("zero", PyUnicode_EncodeLocale(T(PyUnicode_FromStringAndSize("a\0b", 3)), NULL));
    got("bytes", PyUnicode_EncodeLocale(S("ab"), "surrogateescape"));
    got("no str", PyUnicode_EncodeLocale(Py_None, NULL));
}
