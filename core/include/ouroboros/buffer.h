/* Memory of objects that others may look at: the buffer protocol. The structs, and what may be asked for, are
 * in methods.h. */
#ifndef OURO_BUFFER_H
#define OURO_BUFFER_H

#include "ouroboros/methods.h"

OURO_BEGIN_C

/* Whether the type of op exports memory: 1 or 0. */
PyAPI_FUNC(int) PyObject_CheckBuffer(PyObject* op);

/* Fills in a view of op's memory, by what `flags` (PyBUF_*) ask for: 0; or -1 with TypeError if the type
 * exports none, SystemError if the flags are PyBUF_READ or PyBUF_WRITE, or what the exporter raised (BufferError
 * if it cannot serve the request). Each view that was filled in is released once, by PyBuffer_Release. */
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject* op, Py_buffer* view, int flags);

/* Tells the exporter and drops the view's reference to it, view->obj, which is NULL then: nothing happens the
 * second time, nor to a view of no object. */
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer* view);

/* What bf_getbuffer of an exporter of plain bytes does: one dimension of `size` bytes ("B"). The view has a new
 * reference to op, which may be NULL. 0; or -1 with BufferError if `readonly` is 1 and writing is asked for, or
 * if there is no view, or SystemError if the flags are PyBUF_READ or PyBUF_WRITE. */
PyAPI_FUNC(int) PyBuffer_FillInfo(Py_buffer* view, PyObject* op, void* memory, Py_ssize_t size,
                                  int readonly, int flags);

/* Whether the items lie without a gap in the order of C ('C': the last index is the fastest), of Fortran ('F':
 * the first one is), or in either ('A'). 0 for any other letter, and for a view with suboffsets. */
PyAPI_FUNC(int) PyBuffer_IsContiguous(const Py_buffer* view, char order);

/* Where the item with these indices, one a dimension, is. Nothing is checked. Pre: the view has strides. */
PyAPI_FUNC(void*) PyBuffer_GetPointer(const Py_buffer* view, const Py_ssize_t* indices);

/* The strides of items without a gap in the order of C, or, if it is 'F', of Fortran. */
PyAPI_FUNC(void) PyBuffer_FillContiguousStrides(int ndim, Py_ssize_t* shape, Py_ssize_t* strides,
                                                int itemsize, char order);

/* How many bytes an item of a format (of the module struct, without its first letter for the order, one letter) has;
 * NULL is "B". -1 with ValueError for another. */
PyAPI_FUNC(Py_ssize_t) PyBuffer_SizeFromFormat(const char* format);

/* Copies between a view and `size` bytes without gaps, in the order 'C' or 'F' ('A': 'F' if the view is
 * Fortran's alone). 0; or -1 with ValueError if the size is not the view's (ToContiguous), MemoryError. FromContiguous copies no more than fits. */
PyAPI_FUNC(int)
    PyBuffer_ToContiguous(void* memory, const Py_buffer* view, Py_ssize_t size, char order);
PyAPI_FUNC(int)
    PyBuffer_FromContiguous(const Py_buffer* view, const void* memory, Py_ssize_t size, char order);
/* Copies the memory of one object into another's. 0, or -1 with an exception: BufferError if `to` is too small. */
PyAPI_FUNC(int) PyObject_CopyData(PyObject* to, PyObject* from);

/* The older way, without a release: what is borrowed lives as long as op does and nobody changes it. 0, or -1 with
 * TypeError. */
PyAPI_FUNC(int) PyObject_AsCharBuffer(PyObject* op, const char** memory, Py_ssize_t* size);
PyAPI_FUNC(int) PyObject_AsReadBuffer(PyObject* op, const void** memory, Py_ssize_t* size);
PyAPI_FUNC(int) PyObject_AsWriteBuffer(PyObject* op, void** memory, Py_ssize_t* size);
PyAPI_FUNC(int) PyObject_CheckReadBuffer(PyObject* op);

OURO_END_C

#endif
