/* Works modules of others: `drive NAME` prints what it sees. The same source is compiled for CPython and for this
 * runtime. WILD_PATH: where the modules are. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(op, name, ...) PyObject_CallMethod(op, name, __VA_ARGS__)

/* `label: repr`, or the exception; takes the reference. */
static void see(const char* label, PyObject* op) {
    PyObject *type, *value, *trace;
    if (op == NULL) {
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        op = PyObject_Str(value);
        printf("%s raises %s: %s\n", label, ((PyTypeObject*)type)->tp_name, PyUnicode_AsUTF8(op));
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    } else {
        PyObject* text = PyObject_Repr(op);
        printf("%s: %s\n", label, PyUnicode_AsUTF8(text));
        Py_DECREF(text);
    }
    Py_DECREF(op);
}

static void see_number(const char* label, long number) {
    printf("%s: %ld\n", label, number);
}

/* For what cannot fail. */
static PyObject* must(PyObject* op) {
    if (op == NULL) {
        PyErr_Print();
        exit(1);
    }
    return op;
}

static PyObject* module(const char* name) {
    return must(PyImport_ImportModule(name));
}

/* What a class gives for arguments that are a tuple, which is taken. */
static PyObject* made(PyObject* owner, const char* name, PyObject* args) {
    PyObject* type = must(PyObject_GetAttrString(owner, name));
    PyObject* op = PyObject_Call(type, must(args), NULL);
    Py_DECREF(type);
    Py_DECREF(args);
    return op;
}

static void drive_speedups(void) {
    /* The module asks for the class of the package, which is Python code: a str that says what it is. */
    PyObject* package = PyImport_AddModule("markupsafe");
    PyObject_SetAttrString(package, "Markup", (PyObject*)&PyUnicode_Type);
    PyObject* m = module("_speedups");
    see("plain", CALL(m, "escape", "s", "text"));
    see("escaped", CALL(m, "escape", "s", "<a href=\"x\">'&'</a>"));
    see("wide", CALL(m, "escape", "s", "\xe2\x82\xac<\xf0\x9f\x98\x80>"));
    see("a number", CALL(m, "escape", "i", 5));
    see("none", CALL(m, "escape_silent", "O", Py_None));
    see("soft", CALL(m, "soft_str", "i", 7));
    for (int i = 0; i < 2000; ++i) {
        Py_DECREF(must(CALL(m, "escape", "s", "<\xc3\xa9>")));
    }
    Py_DECREF(m);
}

static void drive_cbor(void) {
    PyObject* m = module("_cbor");
    PyObject* op = Py_BuildValue("{s:[i,d,s,O,O],s:y,s:K}", "list", 1, 2.5, "t\xc3\xa9xt", Py_None,
                                 Py_True, "bytes", "b", "big", 0xffffffffffffffffULL);
    PyObject* bytes = must(CALL(m, "dumps", "O", op));
    see("dumped", Py_NewRef(bytes));
    see("loaded", CALL(m, "loads", "O", bytes));
    see("cut off", CALL(m, "loads", "y", "\x9f"));
    PyObject* nested = PyList_New(0);
    for (int i = 0; i < 200; ++i) {
        PyObject* outer = PyList_New(0);
        PyList_Append(outer, nested);
        PyList_Append(outer, op);
        Py_DECREF(nested);
        nested = outer;
    }
    PyObject* deep = must(CALL(m, "dumps", "O", nested));
    PyObject* again = must(CALL(m, "loads", "O", deep));
    see_number("equal", PyObject_RichCompareBool(nested, again, Py_EQ));
    PyList_Append(again, again);
    Py_DECREF(again);
    see_number("collected", PyGC_Collect() > 0);
    Py_DECREF(deep);
    Py_DECREF(nested);
    Py_DECREF(bytes);
    Py_DECREF(op);
    Py_DECREF(m);
}

static void drive_crcfunext(void) {
    PyObject* m = module("_crcfunext");
    char table[256 * 4];
    for (unsigned i = 0; i < 256; ++i) {
        unsigned c = i;
        for (int k = 0; k < 8; ++k) {
            c = c & 1 ? 0xedb88320U ^ c >> 1 : c >> 1;
        }
        memcpy(table + 4 * i, &c, 4);
    }
    see("crc", CALL(m, "_crc32r", "y#Iy#", "123456789", (Py_ssize_t)9, 0xffffffffU, table,
                    (Py_ssize_t)sizeof table));
    see("of a bytearray", CALL(m, "_crc32r", "NIy#", PyByteArray_FromStringAndSize("123456789", 9),
                               0xffffffffU, table, (Py_ssize_t)sizeof table));
    see("bad table", CALL(m, "_crc32r", "y#Iy", "1", (Py_ssize_t)1, 0U, "x"));
    see("no bytes", CALL(m, "_crc32r", "iIy", 1, 0U, "x"));
    Py_DECREF(m);
}

static void drive_base85(void) {
    PyObject* m = module("base85");
    PyObject* text = must(CALL(m, "b85encode", "y#", "\0\1\2abcdefg\xff", (Py_ssize_t)11));
    see("encoded", Py_NewRef(text));
    see("decoded", CALL(m, "b85decode", "O", text));
    see("bad", CALL(m, "b85decode", "y", "\x01\x02\x03"));
    Py_DECREF(text);
    Py_DECREF(m);
}

static void drive_bdiff(void) {
    PyObject* m = module("bdiff");
    PyObject* p = module("mpatch");
    const char* a = "one\ntwo\nthree\nfour\n";
    const char* b = "one\n2\nthree\nfour\nfive\n";
    PyObject* patch = must(CALL(m, "bdiff", "yy", a, b));
    see("patch", Py_NewRef(patch));
    see("blocks", CALL(m, "blocks", "yy", a, b));
    see("splitnewlines", CALL(m, "splitnewlines", "y", a));
    see("patched", CALL(p, "patches", "y[O]", a, patch));
    see("size", CALL(p, "patchedsize", "iO", (int)strlen(a), patch));
    see("bad patch", CALL(p, "patches", "y[y]", a, "xx"));
    see("of no str", CALL(m, "bdiff", "si", "x", 1));
    Py_DECREF(patch);
    Py_DECREF(m);
    Py_DECREF(p);
}

static void drive_xx(void) {
    PyObject* m = module("xxsubtype");
    PyObject* list = must(made(m, "spamlist", Py_BuildValue("((iii))", 1, 2, 3)));
    see("list", Py_NewRef(list));
    see("set", CALL(list, "setstate", "i", 42));
    see("state", PyObject_GetAttrString(list, "state"));
    PyList_Append(list, list);
    Py_DECREF(list);
    PyObject* dict = must(made(m, "spamdict", Py_BuildValue("()")));
    PyDict_SetItemString(dict, "self", dict);
    see("state", CALL(dict, "getstate", NULL));
    Py_DECREF(dict);
    see_number("collected", (long)PyGC_Collect());
    Py_DECREF(m);
    m = module("xxlimited");
    PyObject* op = must(CALL(m, "new", NULL));
    see("absent", PyObject_GetAttrString(op, "absent"));
    PyObject_SetAttrString(op, "self", op);
    see("demo", CALL(op, "demo", "s", "text"));
    see("sum", CALL(m, "foo", "ii", 2, 3));
    see("no sum", CALL(m, "foo", "s", "x"));
    Py_DECREF(op);
    see_number("collected", PyGC_Collect() > 0);
    see("a str", made(m, "Str", Py_BuildValue("(s)", "q")));
    Py_DECREF(m);
    m = module("xx");
    op = must(CALL(m, "new", NULL));
    PyObject_SetAttrString(op, "a", m);
    see_number("a", PyObject_HasAttrString(op, "a"));
    see("roj", CALL(m, "roj", "ii", 1, 2));
    Py_DECREF(op);
    Py_DECREF(m);
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } drives[] = {{"_speedups", drive_speedups},   {"_cbor", drive_cbor},
                  {"_crcfunext", drive_crcfunext}, {"base85", drive_base85},
                  {"bdiff", drive_bdiff},          {"xx", drive_xx}};
    Py_Initialize();
    PyObject* path = PyUnicode_FromString(getenv("WILD_PATH"));
    if (PyList_Insert(PySys_GetObject("path"), 0, path) < 0) {
        return 1;
    }
    Py_DECREF(path);
    for (size_t i = 0; i < sizeof drives / sizeof *drives; ++i) {
        if (argc > 1 && strcmp(argv[1], drives[i].name) == 0) {
            drives[i].run();
        }
    }
    return Py_FinalizeEx() < 0;
}
