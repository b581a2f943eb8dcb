/* memoryview: an object's memory, as an array of numbers. Source: "MemoryView objects" in the C API documentation. */
#ifndef OURO_MEMORYVIEW_H
#define OURO_MEMORYVIEW_H

#include "ouroboros/methods.h"

OURO_BEGIN_C

/* Read by the macros here alone. What the fields say does not change while the object lives, but for the second group,
 * which is changed under its lock. */
typedef struct {
    PyObject_VAR_HEAD /* ob_size: items of ob_array */
    PyObject* shared; /* what the exporter gave, together with all views that were made of it */
    Py_buffer view;   /* `obj` is borrowed */

    Py_hash_t hash;     /* -1 until it is computed */
    int released;       /* it shows nothing any more */
    Py_ssize_t exports; /* views of it that are not released: until then it is not, either */

    PyObject* weakreflist;
    Py_ssize_t ob_array[1]; /* shape, strides, suboffsets */
} PyMemoryViewObject;

PyAPI_DATA(PyTypeObject) PyMemoryView_Type;
#define PyMemoryView_Check(op) Py_IS_TYPE((op), &PyMemoryView_Type)

/* Borrowed; valid until the memoryview dies or is released. Its `obj` is whose memory it is, or NULL. Unchecked. */
#define PyMemoryView_GET_BUFFER(op) (&OURO_CAST(PyMemoryViewObject*, (op))->view)
#define PyMemoryView_GET_BASE(op) (OURO_CAST(PyMemoryViewObject*, (op))->view.obj)

/* Of an object that exports its memory; of a memoryview another one of the same memory. New reference; NULL with
 * TypeError if it exports none, ValueError if it is a memoryview that was released, or what the exporter raised. */
PyAPI_FUNC(PyObject*) PyMemoryView_FromObject(PyObject* op);
/* Of memory that is the caller's, and must live as long as anybody looks at it. PyBUF_READ or PyBUF_WRITE. */
PyAPI_FUNC(PyObject*) PyMemoryView_FromMemory(char* memory, Py_ssize_t size, int flags);
/* As a view that the caller keeps and releases, when nobody looks any more, says: `obj` is ignored. NULL with
 * ValueError if there is no memory. */
PyAPI_FUNC(PyObject*) PyMemoryView_FromBuffer(const Py_buffer* view);
/* Without gaps, in the order 'C', 'F' or 'A' (either): of op's memory, or, if that has gaps and only PyBUF_READ is
 * asked for, of a copy. NULL with BufferError if there is no memory to write to, or what _FromObject raises. */
PyAPI_FUNC(PyObject*) PyMemoryView_GetContiguous(PyObject* op, int access, char order);

OURO_END_C

#endif
