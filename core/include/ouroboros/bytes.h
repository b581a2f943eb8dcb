/* bytes. Unless a comment says otherwise a function that returns an object returns a new reference,
 * or NULL with an exception. */
#ifndef OURO_BYTES_H
#define OURO_BYTES_H

#include <stdarg.h>

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

typedef struct {
    PyObject_VAR_HEAD
    Py_hash_t ob_shash; /* -1 until it is computed */
    char ob_sval[1];    /* ob_size bytes and a zero */
} PyBytesObject;

PyAPI_DATA(PyTypeObject) PyBytes_Type;
#define PyBytes_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_BYTES_SUBCLASS)
#define PyBytes_CheckExact(op) Py_IS_TYPE((op), &PyBytes_Type)

PyAPI_FUNC(PyObject*) PyBytes_FromString(const char* text);
/* Without bytes (NULL) they are the caller's to fill in before anybody else sees the object. */
PyAPI_FUNC(PyObject*) PyBytes_FromStringAndSize(const char* bytes, Py_ssize_t size);
/* Conversions: %% %c %d %u %ld %lu %zd %zu %i %x %s %p, %s with a precision. What follows one that
 * is none of these is copied as it is. */
PyAPI_FUNC(PyObject*) PyBytes_FromFormat(const char* format, ...);
PyAPI_FUNC(PyObject*) PyBytes_FromFormatV(const char* format, va_list arguments);
/* Of bytes, that very object; of an iterable of ints, those. TypeError for others, ValueError for
 * an int that is no byte. */
PyAPI_FUNC(PyObject*) PyBytes_FromObject(PyObject* op);

/* -1, NULL, -1 with TypeError if op is not bytes. What is borrowed ends with a zero byte, lives as
 * long as op, and is changed only by who made it. */
PyAPI_FUNC(Py_ssize_t) PyBytes_Size(PyObject* op);
PyAPI_FUNC(char*) PyBytes_AsString(PyObject* op);
/* 0. Without a place for the size a zero byte inside is a ValueError. */
PyAPI_FUNC(int) PyBytes_AsStringAndSize(PyObject* op, char** bytes, Py_ssize_t* size);

/* Unchecked: op is bytes. */
static inline char* PyBytes_AS_STRING(PyObject* op) {
    return OURO_CAST(PyBytesObject*, op)->ob_sval;
}
static inline Py_ssize_t PyBytes_GET_SIZE(PyObject* op) {
    return Py_SIZE(op);
}
#define PyBytes_AS_STRING(op) PyBytes_AS_STRING(_PyObject_CAST(op))
#define PyBytes_GET_SIZE(op) PyBytes_GET_SIZE(_PyObject_CAST(op))

/* The bytes of an iterable with those of `separator` between them. New reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyBytes_Join(PyObject* separator, PyObject* iterable);

/* What repr() shows of bytes; `smart`: in double quotes where there is a single one inside and no double one. New
 * reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyBytes_Repr(PyObject* op, int smart);
/* Bytes of which the escapes of literals are replaced. For what is no escape the handlers strict (NULL), ignore and
 * replace; ValueError. The last two arguments are not used. New reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyBytes_DecodeEscape(const char* text, Py_ssize_t size, const char* errors,
                                           Py_ssize_t unicode, const char* recode_encoding);

/* Replaces *left by *left + right, stealing what was there; *left is NULL with an exception, or
 * because it was, or because right is. */
PyAPI_FUNC(void) PyBytes_Concat(PyObject** left, PyObject* right);
/* So too, and drops the reference to right. */
PyAPI_FUNC(void) PyBytes_ConcatAndDel(PyObject** left, PyObject* right);

/* Gives bytes that nobody else has another size; *op may be another object then. 0, or -1 with an
 * exception, and *op, which is dropped, is NULL. */
PyAPI_FUNC(int) _PyBytes_Resize(PyObject** op, Py_ssize_t size);

OURO_END_C

#endif
