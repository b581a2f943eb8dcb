/* str and bytes: making, reading, comparing, formatting, decoding, and their methods. */
#include "tests/same/same.h"

CASE(strs_are_made) {
    got("from UTF-8", PyUnicode_FromString("h\xc3\xa9llo"));
    got("with a size", PyUnicode_FromStringAndSize("a\0b", 3));
    got("bad UTF-8", PyUnicode_FromString("a\xff"));
    got("cut UTF-8", PyUnicode_FromString("a\xe2\x82"));
    got("an ordinal", PyUnicode_FromOrdinal(0x1f600));
    got("no ordinal", PyUnicode_FromOrdinal(0x110000));
    got("from an object", PyUnicode_FromObject(S("x")));
    got("from an int", PyUnicode_FromObject(I(1)));
    got("negative size", PyUnicode_FromStringAndSize("x", -1));
    got("str()", PyObject_CallNoArgs((PyObject*)&PyUnicode_Type));
    got("str(5)", PyObject_CallFunction((PyObject*)&PyUnicode_Type, "i", 5));
    got("str(b'x', 'ascii')",
        PyObject_CallFunction((PyObject*)&PyUnicode_Type, "ys", "x", "ascii"));
    got("str(5, 'ascii')", PyObject_CallFunction((PyObject*)&PyUnicode_Type, "is", 5, "ascii"));
    got("derived",
        PyObject_CallFunction(T(derive("Text", (PyObject*)&PyUnicode_Type, NULL)), "s", "x"));
}

CASE(strs_are_shown) {
    see("quote", S("it's"));
    see("both quotes", S("it's \"so\""));
    see("control", S("\n\t\r\x01\x7f\\"));
    see("latin", S("\xc3\xa9\xc2\xa0\xc2\xad"));
    see("wide", S("\xe2\x82\xac \xe2\x80\xa8 \xf0\x9f\x98\x80"));
    see("unassigned", S("\xcd\xb8"));
    got("ascii", PyObject_ASCII(S("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")));
}

CASE(strs_are_read) {
    PyObject* s = S("h\xc3\xa9\xe2\x82\xac!");
    Py_ssize_t size = 0;
    done("length", PyUnicode_GetLength(s));
    done("length of bytes", PyUnicode_GetLength(V("y", "x")));
    done("character", PyUnicode_ReadChar(s, 2));
    done("character too far", PyUnicode_ReadChar(s, 4));
    got("substring", PyUnicode_Substring(s, 1, 3));
    got("substring too far", PyUnicode_Substring(s, 3, 99));
    got("substring negative", PyUnicode_Substring(s, -1, 2));
    done("UTF-8", (long long)strlen(PyUnicode_AsUTF8AndSize(s, &size)));
    done("size", size);
    done("UTF-8 of an int", PyUnicode_AsUTF8(I(1)) == NULL);
    got("item", PySequence_GetItem(s, -1));
    got("subscript", PyObject_GetItem(s, T(PySlice_New(NULL, NULL, I(-1)))));
    got("subscript too far", PyObject_GetItem(s, I(10)));
    got("subscript by a str", PyObject_GetItem(s, S("x")));
    done("assign", PyObject_SetItem(s, I(0), S("x")));
}

CASE(strs_are_joined_and_cut) {
    PyObject* left = PyUnicode_FromString("left");
    got("concat", PyUnicode_Concat(S("a"), S("\xe2\x82\xac")));
    got("concat of an int", PyUnicode_Concat(S("a"), I(1)));
    got("concat to an int", PyUnicode_Concat(I(1), S("a")));
    PyUnicode_Append(&left, S(" right"));
    see("append", left);
    PyUnicode_Append(&left, I(1));
    see("append of an int", left);
    got("join", PyUnicode_Join(S(", "), V("[sss]", "a", "b", "c")));
    got("join of one", PyUnicode_Join(S(", "), V("[s]", "a")));
    got("join of an int", PyUnicode_Join(S(", "), V("[si]", "a", 1)));
    got("join of no sequence", PyUnicode_Join(S(", "), I(1)));
    got("split", PyUnicode_Split(S("a b  c"), NULL, -1));
    got("split by", PyUnicode_Split(S("a,b,,c"), S(","), 2));
    got("split by nothing", PyUnicode_Split(S("a"), S(""), -1));
    got("lines", PyUnicode_Splitlines(S("a\nb\r\nc"), 0));
    got("lines with ends", PyUnicode_Splitlines(S("a\nb\r\nc"), 1));
    got("replace", PyUnicode_Replace(S("aaa"), S("a"), S("bb"), 2));
}

CASE(strs_are_searched_and_compared) {
    PyObject* s = S("abcabc");
    done("find", PyUnicode_Find(s, S("c"), 0, 6, 1));
    done("find backwards", PyUnicode_Find(s, S("c"), 0, 6, -1));
    done("find missing", PyUnicode_Find(s, S("x"), 0, 6, 1));
    done("count", PyUnicode_Count(s, S("bc"), 0, 6));
    done("head", PyUnicode_Tailmatch(s, S("abc"), 0, 6, -1));
    done("tail", PyUnicode_Tailmatch(s, S("bc"), 0, 6, 1));
    done("contains", PyUnicode_Contains(s, S("ca")));
    done("contains an int", PyUnicode_Contains(s, I(1)));
    done("in by protocol", PySequence_Contains(s, I(1)));
    done("compare", PyUnicode_Compare(S("a"), S("b")));
    done("compare longer", PyUnicode_Compare(S("ab"), S("a")));
    done("compare with an int", PyUnicode_Compare(S("a"), I(1)));
    done("with ASCII", PyUnicode_CompareWithASCIIString(S("abc"), "abc"));
    got("less", PyUnicode_RichCompare(S("a"), S("\xe2\x82\xac"), Py_LT));
    got("with an int", PyUnicode_RichCompare(S("a"), I(1), Py_EQ));
    got("order with bytes", PyObject_RichCompare(S("a"), V("y", "a"), Py_LT));
    done("identifier", PyUnicode_IsIdentifier(S("a_1")));
    done("no identifier", PyUnicode_IsIdentifier(S("1a")));
}

CASE(strs_from_formats_of_numbers) {
    got("d", PyUnicode_FromFormat("%d %i %u", -5, 6, 7u));
    got("ld", PyUnicode_FromFormat("%ld %lu", -5000000000L, 5000000000UL));
    got("lld", PyUnicode_FromFormat("%lld %llu", -5000000000LL, 18446744073709551615ULL));
    got("zd", PyUnicode_FromFormat("%zd %zu", (Py_ssize_t)-1, (size_t)2));
    got("x", PyUnicode_FromFormat("%x", 255));
    got("width", PyUnicode_FromFormat("[%5d] [%05d]", 42, 42));
    got("c", PyUnicode_FromFormat("%c%c", 'x', 0x20ac));
    got("percent", PyUnicode_FromFormat("100%%"));
}

CASE(strs_from_formats_of_texts) {
    got("s", PyUnicode_FromFormat("<%s>", "text"));
    got("s cut", PyUnicode_FromFormat("<%.2s>", "text"));
    got("s width", PyUnicode_FromFormat("<%6s>", "text"));
    got("s not UTF-8", PyUnicode_FromFormat("<%s>", "a\xff"));
    got("U", PyUnicode_FromFormat("<%U>", S("x")));
    got("V", PyUnicode_FromFormat("<%V> <%V>", S("x"), "no", NULL, "yes"));
    got("S and R", PyUnicode_FromFormat("%S %R", S("x"), S("x")));
    got("A", PyUnicode_FromFormat("%A", S("\xe2\x82\xac")));
    got("S cut", PyUnicode_FromFormat("%.1S|%4R", S("xyz"), I(5)));
    got("S that raises", PyUnicode_FromFormat("%S", T(PyUnicode_FromObject(S("y")))));
    got("not ASCII", PyUnicode_FromFormat("\xc3\xa9"));
}

CASE(strs_are_encoded) {
    PyObject* s = S("h\xc3\xa9\xe2\x82\xac");
    got("utf-8", PyUnicode_AsUTF8String(s));
    got("ascii", PyUnicode_AsASCIIString(s));
    got("latin-1", PyUnicode_AsLatin1String(s));
    got("replace", PyUnicode_AsEncodedString(s, "ascii", "replace"));
    got("ignore", PyUnicode_AsEncodedString(s, "ascii", "ignore"));
    got("backslashreplace", PyUnicode_AsEncodedString(s, "ascii", "backslashreplace"));
    got("xmlcharrefreplace", PyUnicode_AsEncodedString(s, "ascii", "xmlcharrefreplace"));
    got("unknown encoding", PyUnicode_AsEncodedString(s, "no-such", NULL));
    got("unknown errors", PyUnicode_AsEncodedString(s, "ascii", "no-such"));
    got("of an int", PyUnicode_AsUTF8String(I(1)));
    got("method", PyObject_CallMethod(s, "encode", NULL));
}

CASE(bytes_are_decoded) {
    got("utf-8", PyUnicode_DecodeUTF8("\xc3\xa9", 2, NULL));
    got("bad", PyUnicode_DecodeUTF8("a\xff"
                                    "b",
                                    3, NULL));
    got("replace", PyUnicode_DecodeUTF8("a\xff"
                                        "b",
                                        3, "replace"));
    got("ignore", PyUnicode_DecodeUTF8("a\xff"
                                       "b",
                                       3, "ignore"));
    got("surrogateescape", PyObject_ASCII(T(PyUnicode_DecodeUTF8("a\xff", 2, "surrogateescape"))));
    got("a continuation that is none", PyUnicode_DecodeUTF8("\xe2\x28\xa1", 3, NULL));
    got("the end is missing", PyUnicode_DecodeUTF8("a\xe2\x82", 3, NULL));
    got("ascii", PyUnicode_DecodeASCII("a\x80", 2, NULL));
    got("latin-1", PyUnicode_DecodeLatin1("a\xe9", 2, NULL));
    got("by name", PyUnicode_Decode("a\xe9", 2, "latin-1", NULL));
    got("by an unknown name", PyUnicode_Decode("a", 1, "no-such", NULL));
}

CASE(strs_are_interned) {
    PyObject* a = PyUnicode_InternFromString("an interned text");
    PyObject* b = PyUnicode_FromString("an interned text");
    PyUnicode_InternInPlace(&b);
    done("the same", a == b);
    Py_DECREF(a);
    Py_DECREF(b);
}

CASE(strs_have_methods) {
    PyObject* s = S("  Hello, World  ");
    got("strip", PyObject_CallMethod(s, "strip", NULL));
    got("lstrip", PyObject_CallMethod(s, "lstrip", "s", " H"));
    got("split", PyObject_CallMethod(s, "split", NULL));
    got("split by", PyObject_CallMethod(s, "split", "si", "o", 1));
    got("rsplit", PyObject_CallMethod(s, "rsplit", "si", "o", 1));
    got("upper", PyObject_CallMethod(s, "upper", NULL));
    got("lower", PyObject_CallMethod(s, "lower", NULL));
    got("title", PyObject_CallMethod(S("the end"), "title", NULL));
    got("capitalize", PyObject_CallMethod(S("the END"), "capitalize", NULL));
    got("startswith", PyObject_CallMethod(s, "startswith", "s", "  H"));
    got("startswith one of", PyObject_CallMethod(s, "startswith", "((ss))", "x", "  "));
    got("startswith an int", PyObject_CallMethod(s, "startswith", "i", 1));
    got("endswith", PyObject_CallMethod(s, "endswith", "s", "x"));
    got("find", PyObject_CallMethod(s, "find", "s", "World"));
    got("index missing", PyObject_CallMethod(s, "index", "s", "x"));
    got("count", PyObject_CallMethod(s, "count", "s", "l"));
    got("replace", PyObject_CallMethod(s, "replace", "ss", "l", "L"));
    got("join", PyObject_CallMethod(S("-"), "join", "([ss])", "a", "b"));
    got("partition", PyObject_CallMethod(s, "partition", "s", ","));
    got("zfill", PyObject_CallMethod(S("-5"), "zfill", "i", 5));
    got("center", PyObject_CallMethod(S("x"), "center", "is", 5, "*"));
    got("isdigit", PyObject_CallMethod(S("12"), "isdigit", NULL));
    got("isalpha", PyObject_CallMethod(S("ab"), "isalpha", NULL));
    got("isspace", PyObject_CallMethod(S(" \n"), "isspace", NULL));
    got("isidentifier", PyObject_CallMethod(S("a b"), "isidentifier", NULL));
    got("splitlines", PyObject_CallMethod(S("a\nb"), "splitlines", NULL));
    got("join of ints", PyObject_CallMethod(S("-"), "join", "([i])", 1));
}

CASE(code_points_are_worth_numbers) {
    const Py_UCS4 points[] = {'7',     'x',    0xB2,   0xBD,    0x2153,   0x0667, 0x2468,
                              0x1F101, 0x4E94, 0x5146, 0x1D7D9, 0x10FFFF, 0xF33};
    for (size_t i = 0; i < sizeof points / sizeof *points; ++i) {
        say("U+%X: %d, %d, %d", (unsigned)points[i], Py_UNICODE_TODECIMAL(points[i]),
            Py_UNICODE_TODIGIT(points[i]), Py_UNICODE_ISNUMERIC(points[i]));
        see("number", F(Py_UNICODE_TONUMERIC(points[i])));
    }
}

CASE(bytes_are_made_and_read) {
    PyObject* b = T(PyBytes_FromStringAndSize("a\0b", 3));
    char* data = NULL;
    Py_ssize_t size = 0;
    see("bytes", b);
    done("size", PyBytes_Size(b));
    done("size of a str", PyBytes_Size(S("x")));
    done("data", PyBytes_AsStringAndSize(b, &data, &size));
    done("size", size);
    done("data with NUL", PyBytes_AsStringAndSize(b, &data, NULL));
    done("data of a str", PyBytes_AsStringAndSize(S("x"), &data, NULL));
    got("from a list", PyBytes_FromObject(V("[ii]", 65, 66)));
    got("from too large", PyBytes_FromObject(V("[i]", 256)));
    got("from a str", PyBytes_FromObject(S("x")));
    got("from an int", PyBytes_FromObject(I(3)));
    got("format", PyBytes_FromFormat("%d %s %c %%", 5, "x", 'y'));
    got("negative size", PyBytes_FromStringAndSize("x", -1));
    got("item", PySequence_GetItem(b, 0));
    got("subscript", PyObject_GetItem(b, T(PySlice_New(NULL, NULL, I(-1)))));
    got("subscript too far", PyObject_GetItem(b, I(5)));
    done("contains", PySequence_Contains(b, I(0)));
    done("contains too large", PySequence_Contains(b, I(256)));
    see("quotes", T(PyBytes_FromString("it's \"\\\xff\n")));
}

CASE(bytes_are_joined_and_compared) {
    PyObject* left = PyBytes_FromString("left");
    PyBytes_Concat(&left, V("y", " right"));
    see("concat", left);
    PyBytes_Concat(&left, S("x"));
    see("concat of a str", left);
    got("plus", PyNumber_Add(V("y", "a"), V("y", "b")));
    got("times", PyNumber_Multiply(V("y", "a"), I(3)));
    got("less", PyObject_RichCompare(V("y", "a"), V("y", "b"), Py_LT));
    got("with a str", PyObject_RichCompare(V("y", "a"), S("a"), Py_EQ));
    got("bytes()", PyObject_CallNoArgs((PyObject*)&PyBytes_Type));
    got("bytes(3)", PyObject_CallFunction((PyObject*)&PyBytes_Type, "i", 3));
    got("bytes('x')", PyObject_CallFunction((PyObject*)&PyBytes_Type, "s", "x"));
    got("bytes('x', 'ascii')", PyObject_CallFunction((PyObject*)&PyBytes_Type, "ss", "x", "ascii"));
    got("decode", PyObject_CallMethod(V("y", "abc"), "decode", NULL));
    got("join", PyObject_CallMethod(V("y", "-"), "join", "([yy])", "a", "b"));
    got("hex", PyObject_CallMethod(V("y", "ab"), "hex", NULL));
    got("split", PyObject_CallMethod(V("y", "a b"), "split", NULL));
    got("find", PyObject_CallMethod(V("y", "abc"), "find", "y", "c"));
}

CASE(an_impossible_width_is_refused) {
    const char* const methods[] = {"center", "ljust", "rjust", "zfill"};
    size_t i;
    for (i = 0; i < sizeof methods / sizeof *methods; ++i) {
        got(methods[i], PyObject_CallMethod(S("ab"), methods[i], "n", PY_SSIZE_T_MAX));
    }
    got("str", PyObject_Format(S("a"), S("9223372036854775807")));
    got("int", PyObject_Format(I(3), S("9223372036854775807d")));
    got("float", PyObject_Format(F(0.5), S("^9223372036854775807")));
}
