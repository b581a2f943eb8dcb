/* PyArg_ParseTuple: each unit of a format, with what it takes, what it refuses and its words for it. */
#include "tests/same/same.h"

/* Objects of every kind, to be given to one unit after the other. */
static PyObject* samples(void) {
    return V("[iiLNsszy#dO[](i){}]", 7, -7, 300LL,
             PyLong_FromString("36893488147419103232", NULL, 10), "text", "", NULL, "by\0es",
             (Py_ssize_t)5, 2.5, Py_True, 1);
}

#define EACH_SAMPLE(unit, declaration, shown, ...)                                            \
    do {                                                                                      \
        PyObject* all = samples();                                                            \
        Py_ssize_t at;                                                                        \
        for (at = 0; at < PyList_Size(all); ++at) {                                           \
            PyObject* args = PyTuple_Pack(1, PyList_GetItem(all, at));                        \
            PyObject* text = PyObject_Repr(args);                                             \
            declaration;                                                                      \
            if (PyArg_ParseTuple(args, unit ":f", __VA_ARGS__)) {                             \
                say("%s takes %s as %lld", unit, PyUnicode_AsUTF8(text), (long long)(shown)); \
            } else {                                                                          \
                char label[256];                                                              \
                snprintf(label, sizeof label, "%s given %s", unit, PyUnicode_AsUTF8(text));   \
                raised(label);                                                                \
            }                                                                                 \
            Py_DECREF(text);                                                                  \
            Py_DECREF(args);                                                                  \
        }                                                                                     \
    } while (0)

#define INTEGER_CASE(name, unit, type)                    \
    CASE(name) {                                          \
        EACH_SAMPLE(unit, type value = 0, value, &value); \
    }

INTEGER_CASE(unit_b, "b", unsigned char)
INTEGER_CASE(unit_B, "B", unsigned char)
INTEGER_CASE(unit_h, "h", short)
INTEGER_CASE(unit_H, "H", unsigned short)
INTEGER_CASE(unit_i, "i", int)
INTEGER_CASE(unit_I, "I", unsigned int)
INTEGER_CASE(unit_l, "l", long)
INTEGER_CASE(unit_k, "k", unsigned long)
INTEGER_CASE(unit_L, "L", long long)
INTEGER_CASE(unit_K, "K", unsigned long long)
INTEGER_CASE(unit_n, "n", Py_ssize_t)
INTEGER_CASE(unit_p, "p", int)
INTEGER_CASE(unit_c, "c", char)

CASE(unit_C) {
    int value = 0;
    done("one", PyArg_ParseTuple(V("(s)", "\xe2\x82\xac"), "C:f", &value));
    done("value", value);
    done("an int", PyArg_ParseTuple(V("(i)", 7), "C:f", &value));
    done("None", PyArg_ParseTuple(V("(z)", NULL), "C:f", &value));
    done("bytes", PyArg_ParseTuple(V("(y)", "x"), "C:f", &value));
}

CASE_LEFT_OUT(unit_C_of_several, "3.13 says how long the str is") {
    int value = 0;
    done("two", PyArg_ParseTuple(V("(s)", "ab"), "C:f", &value));
    done("none", PyArg_ParseTuple(V("(s)", ""), "C:f", &value));
}

CASE(unit_f_and_d) {
    EACH_SAMPLE("f", float value = 0, value * 10, &value);
    EACH_SAMPLE("d", double value = 0, value * 10, &value);
}

CASE(unit_s) {
    EACH_SAMPLE("s", const char* value = "", strlen(value), &value);
}

CASE(unit_s_with_a_size) {
    EACH_SAMPLE("s#", const char* value = ""; Py_ssize_t size = 0, size, &value, &size);
}

CASE(unit_z) {
    EACH_SAMPLE("z", const char* value = "", value == NULL ? -1 : (long long)strlen(value), &value);
}

CASE(unit_z_with_a_size) {
    EACH_SAMPLE("z#", const char* value = "";
                Py_ssize_t size = 0, value == NULL ? -1 : size, &value, &size);
}

CASE(unit_U) {
    EACH_SAMPLE("U", PyObject* value = NULL, PyUnicode_GetLength(value), &value);
}

CASE(unit_S) {
    EACH_SAMPLE("S", PyObject* value = NULL, PyBytes_Size(value), &value);
}

CASE(units_of_a_bytearray) {
    PyObject* one = T(PyByteArray_FromStringAndSize("x", 1));
    PyObject* several = T(PyByteArray_FromStringAndSize("a\0b", 3));
    PyObject* value = NULL;
    char byte = 0;
    char* buffer = NULL;
    Py_ssize_t size = 0;
    EACH_SAMPLE("Y", PyObject* op = NULL, op != NULL, &op);
    done("Y", PyArg_ParseTuple(V("(O)", several), "Y:f", &value));
    done("it is the same", value == several);
    done("c", PyArg_ParseTuple(V("(O)", one), "c:f", &byte));
    done("byte", byte);
    done("c of several", PyArg_ParseTuple(V("(O)", several), "c:f", &byte));
    done("et", PyArg_ParseTuple(V("(O)", one), "et:f", "latin-1", &buffer));
    done("byte", buffer[0]);
    PyMem_Free(buffer);
    buffer = NULL;
    done("et with NUL", PyArg_ParseTuple(V("(O)", several), "et:f", NULL, &buffer));
    done("et#", PyArg_ParseTuple(V("(O)", several), "et#:f", NULL, &buffer, &size));
    done("size", size);
    PyMem_Free(buffer);
    buffer = NULL;
    done("es", PyArg_ParseTuple(V("(O)", one), "es:f", NULL, &buffer));
}

CASE(unit_O) {
    EACH_SAMPLE("O", PyObject* value = NULL, value == PyTuple_GetItem(args, 0), &value);
}

CASE(unit_O_of_a_type) {
    EACH_SAMPLE("O!", PyObject* value = NULL, value != NULL, &PyList_Type, &value);
    EACH_SAMPLE("O!", PyObject* value = NULL, value != NULL, &PyLong_Type, &value);
}

static int convert_even(PyObject* op, void* target) {
    const long value = PyLong_AsLong(op);
    if (value == -1 && PyErr_Occurred()) {
        return 0;
    }
    if (value % 2 != 0) {
        PyErr_Format(PyExc_ValueError, "%R is odd", op);
        return 0;
    }
    *(long*)target = value;
    return 1;
}

CASE(unit_O_by_a_converter) {
    EACH_SAMPLE("O&", long value = 0, value, convert_even, &value);
}

static int convert_owned(PyObject* op, void* target) {
    if (op == NULL) {
        say("the converter cleans up %d", *(int*)target);
        return 1;
    }
    *(int*)target = 77;
    return Py_CLEANUP_SUPPORTED;
}

CASE(a_converter_cleans_up_when_a_later_argument_fails) {
    int first = 0;
    int second = 0;
    done("good", PyArg_ParseTuple(V("(ii)", 1, 2), "O&i", convert_owned, &first, &second));
    done("bad", PyArg_ParseTuple(V("(is)", 1, "x"), "O&i", convert_owned, &first, &second));
}

CASE(unit_es) {
    PyObject* args = V("(s)", "h\xc3\xa9");
    char* buffer = NULL;
    done("utf-8", PyArg_ParseTuple(args, "es", NULL, &buffer));
    done("length", (long long)strlen(buffer));
    PyMem_Free(buffer);
    buffer = NULL;
    done("latin-1", PyArg_ParseTuple(args, "es", "latin-1", &buffer));
    done("length", (long long)strlen(buffer));
    PyMem_Free(buffer);
    buffer = NULL;
    done("ascii", PyArg_ParseTuple(args, "es", "ascii", &buffer));
    done("unknown", PyArg_ParseTuple(args, "es", "no-such-encoding", &buffer));
    done("an int", PyArg_ParseTuple(V("(i)", 1), "es", NULL, &buffer));
    done("NUL inside", PyArg_ParseTuple(V("(s#)", "a\0b", (Py_ssize_t)3), "es", NULL, &buffer));
    done("bytes", PyArg_ParseTuple(V("(y)", "x"), "es", NULL, &buffer));
    done("bytes by et", PyArg_ParseTuple(V("(y)", "x"), "et", NULL, &buffer));
    PyMem_Free(buffer);
}

CASE(unit_es_with_a_size) {
    PyObject* args = V("(s#)", "a\0b", (Py_ssize_t)3);
    char* buffer = NULL;
    char small[3];
    char* into = small;
    Py_ssize_t size = 0;
    done("allocated", PyArg_ParseTuple(args, "es#", NULL, &buffer, &size));
    done("size", size);
    PyMem_Free(buffer);
    size = (Py_ssize_t)sizeof small;
    done("too small", PyArg_ParseTuple(args, "es#", NULL, &into, &size));
}

CASE(nested_units) {
    int a = 0;
    int b = 0;
    int c = 0;
    done("good", PyArg_ParseTuple(V("(i(ii))", 1, 2, 3), "i(ii)", &a, &b, &c));
    say("%d %d %d", a, b, c);
    done("a list", PyArg_ParseTuple(V("(i[ii])", 1, 2, 3), "i(ii):f", &a, &b, &c));
    done("no sequence", PyArg_ParseTuple(V("(ii)", 1, 2), "i(ii):f", &a, &b, &c));
    done("too short", PyArg_ParseTuple(V("(i(i))", 1, 2), "i(ii):f", &a, &b, &c));
    done("a wrong item", PyArg_ParseTuple(V("(i(is))", 1, 2, "x"), "i(ii):f", &a, &b, &c));
    done("without a name", PyArg_ParseTuple(V("(i(is))", 1, 2, "x"), "i(ii)", &a, &b, &c));
    done("a str", PyArg_ParseTuple(V("(is)", 1, "xy"), "i(ii)", &a, &b, &c));
}

CASE(numbers_of_arguments) {
    int a = 0;
    int b = 0;
    done("none wanted, none given", PyArg_ParseTuple(V("()"), ""));
    done("none wanted", PyArg_ParseTuple(V("(i)", 1), ""));
    done("none wanted, named", PyArg_ParseTuple(V("(i)", 1), ":f"));
    done("one wanted", PyArg_ParseTuple(V("()"), "i", &a));
    done("one wanted, named", PyArg_ParseTuple(V("()"), "i:f", &a));
    done("one wanted, two given", PyArg_ParseTuple(V("(ii)", 1, 2), "i:f", &a));
    done("two wanted, one given", PyArg_ParseTuple(V("(i)", 1), "ii:f", &a, &b));
    done("at least one", PyArg_ParseTuple(V("()"), "i|i:f", &a, &b));
    done("at most two", PyArg_ParseTuple(V("(iii)", 1, 2, 3), "i|i:f", &a, &b));
    done("at most one", PyArg_ParseTuple(V("(ii)", 1, 2), "|i:f", &a));
    done("one of at most two", PyArg_ParseTuple(V("(i)", 5), "i|i:f", &a, &b));
    done("a", a);
}

CASE(a_text_of_ones_own) {
    int a = 0;
    int b = 0;
    done("too few", PyArg_ParseTuple(V("()"), "i;a number is needed", &a));
    done("too many", PyArg_ParseTuple(V("(ii)", 1, 2), "i;a number is needed", &a));
    done("wrong", PyArg_ParseTuple(V("(s)", "x"), "i;a number is needed", &a));
    done("wrong str", PyArg_ParseTuple(V("(ii)", 1, 2), "iU;a text is needed", &a, &b));
}

CASE(words_for_a_wrong_argument) {
    PyObject* op = NULL;
    const char* text = NULL;
    int a = 0;
    done("first of one", PyArg_ParseTuple(V("(i)", 1), "s", &text));
    done("first, named", PyArg_ParseTuple(V("(i)", 1), "s:f", &text));
    done("second, named", PyArg_ParseTuple(V("(ii)", 1, 2), "is:f", &a, &text));
    done("None", PyArg_ParseTuple(V("(z)", NULL), "s:f", &text));
    done("an instance", PyArg_ParseTuple(V("(N)", tale("t", NULL)), "U:f", &op));
    done("type", PyArg_ParseTuple(V("(O)", OBJECT_TYPE), "O!:f", &PyTuple_Type, &op));
}

CASE(what_is_not_a_tuple) {
    int a = 0;
    done("a list", PyArg_ParseTuple(V("[i]", 1), "i:f", &a));
}

CASE(one_argument_by_itself) {
    int a = 0;
    int b = 0;
    const char* text = NULL;
    done("an int", PyArg_Parse(I(5), "i", &a));
    done("a", a);
    done("a str", PyArg_Parse(S("x"), "s", &text));
    done("wrong", PyArg_Parse(S("x"), "i", &a));
    done("wrong, named", PyArg_Parse(I(1), "s:f", &text));
    done("a pair", PyArg_Parse(V("(ii)", 8, 9), "(ii)", &a, &b));
    say("%d %d", a, b);
}

CASE(unpacking_a_tuple) {
    PyObject* a = NULL;
    PyObject* b = NULL;
    done("two", PyArg_UnpackTuple(V("(ii)", 1, 2), "f", 1, 2, &a, &b));
    see("a", a);
    see("b", b);
    done("too few", PyArg_UnpackTuple(V("()"), "f", 1, 2, &a, &b));
    done("too many", PyArg_UnpackTuple(V("(iii)", 1, 2, 3), "f", 1, 2, &a, &b));
    done("exactly", PyArg_UnpackTuple(V("()"), "f", 1, 1, &a));
    done("exactly two", PyArg_UnpackTuple(V("(i)", 1), "f", 2, 2, &a, &b));
    done("without a name", PyArg_UnpackTuple(V("()"), NULL, 1, 2, &a, &b));
    done("no tuple", PyArg_UnpackTuple(V("[]"), "f", 0, 1, &a));
}

CASE(integers_from_index) {
    int a = 0;
    Py_ssize_t n = 0;
    done("True", PyArg_ParseTuple(V("(O)", Py_True), "i", &a));
    done("a", a);
    done("a float", PyArg_ParseTuple(V("(d)", 1.0), "i", &a));
    done("a float as n", PyArg_ParseTuple(V("(d)", 1.0), "n", &n));
    done("too large for n",
         PyArg_ParseTuple(V("(N)", PyLong_FromString("9223372036854775808", NULL, 10)), "n", &n));
    done("smallest n",
         PyArg_ParseTuple(V("(N)", PyLong_FromString("-9223372036854775808", NULL, 10)), "n", &n));
    done("n", n == PY_SSIZE_T_MIN);
}

CASE(limits_of_integers) {
    unsigned char b = 0;
    short h = 0;
    int i = 0;
    done("255", PyArg_ParseTuple(V("(i)", 255), "b", &b));
    done("256", PyArg_ParseTuple(V("(i)", 256), "b", &b));
    done("-1", PyArg_ParseTuple(V("(i)", -1), "b", &b));
    done("32767", PyArg_ParseTuple(V("(i)", 32767), "h", &h));
    done("32768", PyArg_ParseTuple(V("(i)", 32768), "h", &h));
    done("-32768", PyArg_ParseTuple(V("(i)", -32768), "h", &h));
    done("-32769", PyArg_ParseTuple(V("(i)", -32769), "h", &h));
    done("2147483647", PyArg_ParseTuple(V("(L)", 2147483647LL), "i", &i));
    done("2147483648", PyArg_ParseTuple(V("(L)", 2147483648LL), "i", &i));
    done("-2147483649", PyArg_ParseTuple(V("(L)", -2147483649LL), "i", &i));
}
