/* Slices, and Ellipsis. */
#ifndef OURO_SLICE_H
#define OURO_SLICE_H

#include "ouroboros/object.h"
#include "ouroboros/refcount.h"

OURO_BEGIN_C

PyAPI_DATA(PyTypeObject) PyEllipsis_Type;
PyAPI_DATA(PyObject) _Py_EllipsisObject;
#define Py_Ellipsis (&_Py_EllipsisObject)

typedef struct {
    PyObject_HEAD
    PyObject *start, *stop, *step; /* never NULL */
} PySliceObject;

PyAPI_DATA(PyTypeObject) PySlice_Type;
#define PySlice_Check(op) Py_IS_TYPE((op), &PySlice_Type)
/* NULL: None. Steals nothing. New reference. */
PyAPI_FUNC(PyObject*) PySlice_New(PyObject* start, PyObject* stop, PyObject* step);
/* The bounds as integers, as they are for a sequence of any length: what is missing is the end that the
 * direction names, what is too large is cut. 0, or -1 with an exception: ValueError for a step of zero. */
PyAPI_FUNC(int)
    PySlice_Unpack(PyObject* slice, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step);
/* Moves bounds from PySlice_Unpack into a sequence of that length; returns how many items the slice has. */
PyAPI_FUNC(Py_ssize_t)
    PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step);
/* Both. 0, or -1 with an exception. */
PyAPI_FUNC(int) PySlice_GetIndicesEx(PyObject* slice, Py_ssize_t length, Py_ssize_t* start,
                                     Py_ssize_t* stop, Py_ssize_t* step, Py_ssize_t* slice_length);
#define PySlice_GetIndicesEx(slice, length, start, stop, step, slice_length) \
    (PySlice_Unpack((slice), (start), (stop), (step)) < 0                    \
         ? ((*(slice_length) = 0), -1)                                       \
         : ((*(slice_length) = PySlice_AdjustIndices((length), (start), (stop), *(step))), 0))
/* The oldest form: ints alone, and a bound beyond the end is an error (-1, perhaps without an exception). */
PyAPI_FUNC(int) PySlice_GetIndices(PyObject* slice, Py_ssize_t length, Py_ssize_t* start,
                                   Py_ssize_t* stop, Py_ssize_t* step);

/* A converter for the format O& of PyArg_Parse*: a bound of a slice, cut to what a Py_ssize_t holds, in *result; of None
 * nothing. 1, or 0 with an exception. Not documented, but used by well-known modules. */
PyAPI_FUNC(int) _PyEval_SliceIndex(PyObject* op, Py_ssize_t* result);

OURO_END_C

#endif
