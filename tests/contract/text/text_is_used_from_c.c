/* An extension's C code with text: what it makes, reads and builds with the documented names alone,
 * macros on pointers of its own types included. Source: "Unicode Objects and Codecs", "Bytes
 * Objects". Passes by returning 0. */
#include "ouroboros.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

/* The words of a text, each with its first letter as an upper-case one, as a list. */
static PyObject* title_words(PyObject* text) {
    Py_ssize_t i;
    PyObject* words = PyUnicode_Split(text, NULL, -1);
    if (words == NULL) {
        return NULL;
    }
    for (i = 0; i < PyList_GET_SIZE(words); ++i) {
        PyObject* word = PyList_GET_ITEM(words, i);
        Py_UCS4 first = PyUnicode_READ_CHAR(word, 0);
        PyObject* rest = PyUnicode_Substring(word, 1, PyUnicode_GET_LENGTH(word));
        PyObject* titled;
        if (first >= 'a' && first <= 'z') {
            first = first - 'a' + 'A';
        }
        titled = rest == NULL ? NULL : PyUnicode_FromFormat("%c%U", (int)first, rest);
        Py_XDECREF(rest);
        if (titled == NULL || PyList_SetItem(words, i, titled) < 0) {
            Py_DECREF(words);
            return NULL;
        }
    }
    return words;
}

/* The sum of the bytes of an object's UTF-8, or -1. */
static long checksum(PyObject* text) {
    PyObject* utf8 = PyUnicode_AsUTF8String(text);
    long sum = 0;
    char* p;
    Py_ssize_t size, i;
    if (utf8 == NULL || PyBytes_AsStringAndSize(utf8, &p, &size) < 0) {
        Py_XDECREF(utf8);
        return -1;
    }
    for (i = 0; i < size; ++i) {
        sum += (unsigned char)p[i];
    }
    Py_DECREF(utf8);
    return sum;
}

int main(void) {
    PyObject *text, *words, *space, *joined, *report;
    PyBytesObject* raw;
    PyUnicodeObject* object;
    Py_Initialize();

    text = PyUnicode_FromString("the \xC3\xA9t\xC3\xA9 of 1936");
    words = title_words(text);
    CHECK(words != NULL && PyList_Size(words) == 4);
    space = PyUnicode_InternFromString(" ");
    joined = PyUnicode_Join(space, words);
    CHECK(joined != NULL && PyUnicode_EqualToUTF8(joined, "The \xC3\xA9t\xC3\xA9 Of 1936"));
    CHECK(PyUnicode_GetLength(joined) == 15);
    CHECK(checksum(space) == 32);
    CHECK(checksum(Py_None) == -1 && PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();

    report = PyUnicode_FromFormat("%zd words, %5.1f%%", PyList_GET_SIZE(words), 0.5);
    CHECK(report == NULL && PyErr_ExceptionMatches(PyExc_SystemError));
    PyErr_Clear();
    report = PyUnicode_FromFormat("%zd words in %R, %s", PyList_GET_SIZE(words), space, "done");
    CHECK(report != NULL && strcmp(PyUnicode_AsUTF8(report), "4 words in ' ', done") == 0);
    PyUnicode_AppendAndDel(&report, PyUnicode_FromString("!"));
    CHECK(report != NULL && PyUnicode_CompareWithASCIIString(report, "4 words in ' ', done!") == 0);

    raw = (PyBytesObject*)PyBytes_FromStringAndSize(NULL, 4);
    CHECK(raw != NULL && PyBytes_Check(raw) && PyBytes_CheckExact(raw));
    memcpy(PyBytes_AS_STRING(raw), "\x01\x02\x03\x04", 4);
    CHECK(PyBytes_GET_SIZE(raw) == 4 && raw->ob_sval[3] == 4 && raw->ob_sval[4] == 0);

    object = (PyUnicodeObject*)text;
    CHECK(PyUnicode_Check(object) && PyUnicode_CheckExact(object));
    CHECK(PyUnicode_GET_LENGTH(object) == 15 && PyUnicode_READ_CHAR(object, 4) == 0xE9);
    CHECK(PyUnicode_MAX_CHAR_VALUE(object) == 0xFF);

    Py_DECREF(raw);
    Py_DECREF(report);
    Py_DECREF(joined);
    Py_DECREF(space);
    Py_DECREF(words);
    Py_DECREF(text);
    CHECK(PyErr_Occurred() == NULL);
    return Py_FinalizeEx();
}
