/* bytearray, the storage of str, and small functions about numbers and names. */
#include "tests/same/same.h"

#define BYTEARRAY ((PyObject*)&PyByteArray_Type)
#define CALL(op, name, ...) PyObject_CallMethod(op, name, __VA_ARGS__)

CASE(bytearrays_are_made) {
    got("nothing", PyObject_CallNoArgs(BYTEARRAY));
    got("a size", PyObject_CallFunction(BYTEARRAY, "i", 3));
    got("bytes", PyObject_CallFunction(BYTEARRAY, "y", "it's"));
    got("ints", PyObject_CallFunction(BYTEARRAY, "([ii])", 1, 255));
    got("no byte", PyObject_CallFunction(BYTEARRAY, "([i])", 256));
    got("a str", PyObject_CallFunction(BYTEARRAY, "s", "x"));
    got("a str, encoded", PyObject_CallFunction(BYTEARRAY, "ss", "x", "ascii"));
    got("a negative size", PyObject_CallFunction(BYTEARRAY, "i", -1));
    got("from C", PyByteArray_FromStringAndSize("a\0b", 3));
    got("concatenated", PyByteArray_Concat(V("y", "a"), T(PyByteArray_FromStringAndSize("b", 1))));
    got("hash", PyLong_FromLong((long)PyObject_Hash(T(PyByteArray_FromStringAndSize("b", 1)))));
}

CASE(bytearrays_are_changed) {
    PyObject* op = T(PyByteArray_FromStringAndSize("abcdef", 6));
    done("item", PySequence_SetItem(op, 0, I('A')));
    done("no byte", PySequence_SetItem(op, 0, I(300)));
    done("too far", PySequence_SetItem(op, 6, I(1)));
    see("now", op);
    done("slice", PySequence_SetSlice(op, 1, 3, V("y", "12345")));
    see("longer", op);
    done("slice", PySequence_DelSlice(op, 2, 6));
    see("shorter", op);
    done("every other", PyObject_DelItem(op, T(PySlice_New(NULL, NULL, I(2)))));
    see("less", op);
    got("append", CALL(op, "append", "i", 33));
    got("extend", CALL(op, "extend", "(ii)", 34, 35));
    got("extend", CALL(op, "extend", "y", "xyz"));
    got("insert", CALL(op, "insert", "ii", -1, 65));
    got("pop", CALL(op, "pop", NULL));
    got("remove", CALL(op, "remove", "i", 65));
    got("remove again", CALL(op, "remove", "i", 65));
    got("reverse", CALL(op, "reverse", NULL));
    see("then", op);
    got("more", PyNumber_InPlaceAdd(op, V("y", "!!")));
    got("an int more", PyNumber_InPlaceAdd(op, I(1)));
    got("twice", PySequence_InPlaceRepeat(op, 2));
    done("resize", PyByteArray_Resize(op, 2));
    see("cut", op);
    done("size", PyByteArray_Size(op));
    got("clear", CALL(op, "clear", NULL));
    see("empty", op);
    got("pop", CALL(op, "pop", NULL));
}

CASE(bytearrays_with_views_keep_their_size) {
    PyObject* op = T(PyByteArray_FromStringAndSize("abc", 3));
    Py_buffer view;
    done("view", PyObject_GetBuffer(op, &view, PyBUF_WRITABLE));
    ((char*)view.buf)[1] = 'B';
    got("append", CALL(op, "append", "i", 1));
    done("item", PySequence_SetItem(op, 0, I('A')));
    PyBuffer_Release(&view);
    got("append", CALL(op, "append", "i", 1));
    see("at last", op);
}

CASE(bytearrays_are_read_as_bytes_are) {
    PyObject* op = T(PyByteArray_FromStringAndSize("a b,c", 5));
    got("split", CALL(op, "split", NULL));
    got("partition", CALL(op, "partition", "y", ","));
    got("find", CALL(op, "find", "y", "b"));
    got("upper", CALL(op, "upper", NULL));
    got("replace", CALL(op, "replace", "yy", "b", "xx"));
    got("hex", CALL(op, "hex", NULL));
    got("decode", CALL(op, "decode", NULL));
    got("join", CALL(op, "join", "([yO])", "1", op));
    got("item", PySequence_GetItem(op, -1));
    got("slice", PySequence_GetSlice(op, 1, 3));
    got("list", PySequence_List(op));
    done("contains", PySequence_Contains(op, I('b')));
    done("contains", PySequence_Contains(op, V("y", "b,")));
    got("equal", PyObject_RichCompare(op, V("y", "a b,c"), Py_EQ));
    got("less", PyObject_RichCompare(op, V("y", "b"), Py_LT));
    got("of a str", PyObject_RichCompare(op, S("b"), Py_EQ));
}

static void see_storage(const char* label, PyObject* op) {
    say("%s: kind %d, ascii %d, length %zd, last %lx", label, (int)PyUnicode_KIND(op),
        (int)PyUnicode_IS_ASCII(op), PyUnicode_GET_LENGTH(op),
        (unsigned long)PyUnicode_READ(PyUnicode_KIND(op), PyUnicode_DATA(op),
                                      PyUnicode_GET_LENGTH(op) - 1));
}

CASE(strs_have_storage) {
    see_storage("ASCII", S("abc"));
    see_storage("Latin-1", S("ab\xc3\xa9"));
    see_storage("wide", S("a\xe2\x82\xac"));
    see_storage("widest", S("a\xf0\x9f\x98\x80"));
}

CASE(strs_are_written) {
    const Py_UCS4 most[] = {'~', 0xFF, 0xFFFF, 0x10FFFF};
    for (int i = 0; i < 4; ++i) {
        PyObject* op = PyUnicode_New(3, most[i]);
        for (Py_ssize_t k = 0; k < 3; ++k) {
            PyUnicode_WRITE(PyUnicode_KIND(op), PyUnicode_DATA(op), k, k == 1 ? most[i] : 'a');
        }
        see("written", op);
        done("length", PyUnicode_GetLength(op));
        done("hash", PyObject_Hash(op) == PyObject_Hash(T(PyUnicode_Substring(op, 0, 3))));
        got("concatenated", PyUnicode_Concat(op, S("!")));
        Py_DECREF(op);
    }
    PyObject* op = PyUnicode_New(4, 0xFFFF);
    done("fill", PyUnicode_Fill(op, 0, 4, 'x'));
    done("copy", PyUnicode_CopyCharacters(op, 1, S("\xe2\x82\xac-"), 0, 2));
    done("write", PyUnicode_WriteChar(op, 3, 0x3b1));
    done("too far", PyUnicode_WriteChar(op, 4, 'x'));
    done("too wide", PyUnicode_WriteChar(op, 0, 0x10000));
    see("at last", op);
    Py_DECREF(op);
    got("none", PyUnicode_New(0, 127));
}

CASE(strs_are_copied_out) {
    Py_ssize_t size = 0;
    PyObject* op = S("a\xe2\x82\xac\xf0\x9f\x98\x80");
    Py_UCS4* points = PyUnicode_AsUCS4Copy(op);
    say("points: %lx %lx %lx %lx", (unsigned long)points[0], (unsigned long)points[1],
        (unsigned long)points[2], (unsigned long)points[3]);
    PyMem_Free(points);
    wchar_t* wide = PyUnicode_AsWideCharString(op, &size);
    say("wide: %zd %lx", size, (unsigned long)wide[2]);
    PyMem_Free(wide);
    done("room", PyUnicode_AsWideChar(op, NULL, 0));
}

CASE(floats_are_packed) {
    const double values[] = {0.0, 1.5, -2.25, 65504.0, 65520.0, 6e-8, 1e-300, 3.5e38};
    for (int i = 0; i < 8; ++i) {
        unsigned char two[2] = {0}, four[4] = {0};
        done("half", PyFloat_Pack2(values[i], (char*)two, 0));
        say("%02x%02x", two[0], two[1]);
        done("single", PyFloat_Pack4(values[i], (char*)four, 1));
        say("%02x%02x%02x%02x", four[0], four[1], four[2], four[3]);
        got("again", PyFloat_FromDouble(PyFloat_Unpack2((char*)two, 0)));
    }
}

CASE(names_of_attributes_and_more) {
    PyObject* op = T(PyObject_CallNoArgs(T(derive("Thing", OBJECT_TYPE, NULL))));
    PyObject_SetAttrString(op, "zebra", Py_None);
    done("has it", PySequence_Contains(T(PyObject_Dir(op)), S("zebra")));
    done("has not", PySequence_Contains(T(PyObject_Dir(op)), S("lion")));
    got("bytes", PyObject_Bytes(V("[ii]", 1, 2)));
    got("bytes of a str", PyObject_Bytes(S("x")));
    done("descriptor", PyObject_AsFileDescriptor(I(3)));
    done("no descriptor", PyObject_AsFileDescriptor(S("x")));
    done("negative", PyObject_AsFileDescriptor(I(-1)));
    got("path", PyOS_FSPath(S("a/b")));
    got("no path", PyOS_FSPath(I(1)));
    got("alias", Py_GenericAlias((PyObject*)&PyList_Type, (PyObject*)&PyLong_Type));
    got("called", PyObject_CallNoArgs(T(Py_GenericAlias((PyObject*)&PyList_Type, Py_None))));
    got("reversed",
        PySequence_List(T(PyObject_CallOneArg((PyObject*)&PyReversed_Type, V("(ii)", 1, 2)))));
    got("enumerated",
        PySequence_List(T(PyObject_CallFunction((PyObject*)&PyEnum_Type, "(s)i", "x", 5))));
    got("read", PyFloat_FromDouble(PyOS_string_to_double("1.5e3", NULL, NULL)));
    got("not read", PyFloat_FromDouble(PyOS_string_to_double("1.5x", NULL, NULL)));
    done("strtol", PyOS_strtol("-0x1F", NULL, 0));
    done("stricmp", PyOS_stricmp("aBc", "AbC"));
    const unsigned char bytes[] = {0xFE, 0xFF, 0xFF};
    got("signed", _PyLong_FromByteArray(bytes, 3, 1, 1));
    got("unsigned", _PyLong_FromByteArray(bytes, 3, 0, 0));
}
