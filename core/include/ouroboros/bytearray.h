/* bytearray: bytes that can be changed. Source: "Byte Array Objects" in the C API documentation. */
#ifndef OURO_BYTEARRAY_H
#define OURO_BYTEARRAY_H

#include "ouroboros/methods.h"

OURO_BEGIN_C

/* A C type derived from bytearray begins with this. The fields are changed by the functions here alone, under the
 * object's lock. */
typedef struct {
    PyObject_VAR_HEAD    /* ob_size: bytes, without the zero behind them */
    Py_ssize_t ob_alloc; /* room for so many */
    char* ob_bytes;      /* PyMem_ memory, or NULL: none yet */
    char* ob_start;      /* the first byte in it */
    Py_ssize_t
        ob_exports; /* views that are not released: as long as there are any the size stays */
} PyByteArrayObject;

PyAPI_DATA(PyTypeObject) PyByteArray_Type;
PyAPI_DATA(PyTypeObject) PyByteArrayIter_Type;
#define PyByteArray_Check(op) PyObject_TypeCheck((op), &PyByteArray_Type)
#define PyByteArray_CheckExact(op) Py_IS_TYPE((op), &PyByteArray_Type)

/* Of what bytearray(op) takes: a buffer, an iterable of ints, a size. New reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyByteArray_FromObject(PyObject* op);
/* A copy; without bytes (NULL) what is in it is the caller's to write. New reference; NULL with SystemError for a
 * negative size, MemoryError. */
PyAPI_FUNC(PyObject*) PyByteArray_FromStringAndSize(const char* bytes, Py_ssize_t size);
/* Of two objects with a buffer. New reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyByteArray_Concat(PyObject* a, PyObject* b);
/* op is a bytearray. The bytes are borrowed: until it is resized, or dies; a zero follows them. */
PyAPI_FUNC(Py_ssize_t) PyByteArray_Size(PyObject* op);
PyAPI_FUNC(char*) PyByteArray_AsString(PyObject* op);
/* Bytes that are new are not set. 0; or -1 with BufferError while there are views of it, ValueError for a negative
 * size, MemoryError. */
PyAPI_FUNC(int) PyByteArray_Resize(PyObject* op, Py_ssize_t size);

/* What an empty one shows. */
PyAPI_DATA(char) _PyByteArray_empty_string[];
static inline char* PyByteArray_AS_STRING(PyObject* op) {
    return Py_SIZE(op) == 0 ? _PyByteArray_empty_string
                            : OURO_CAST(PyByteArrayObject*, op)->ob_start;
}
#define PyByteArray_AS_STRING(op) PyByteArray_AS_STRING(_PyObject_CAST(op))
#define PyByteArray_GET_SIZE(op) Py_SIZE(op)

OURO_END_C

#endif
