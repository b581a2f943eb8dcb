/* Sequences, and what any object with items or a length can be asked. */
#ifndef OURO_SEQUENCE_H
#define OURO_SEQUENCE_H

#include "ouroboros/builtins.h"

OURO_BEGIN_C

/* How many items; -1 with an exception: TypeError if op has no length. */
PyAPI_FUNC(Py_ssize_t) PyObject_Size(PyObject* op);
PyAPI_FUNC(Py_ssize_t) PyObject_Length(PyObject* op);
/* The length, or what __length_hint__ estimates, or else the default; -1 with an exception. */
PyAPI_FUNC(Py_ssize_t) PyObject_LengthHint(PyObject* op, Py_ssize_t default_value);
/* op[key] as a new reference; NULL with an exception. A class is asked for __class_getitem__. */
PyAPI_FUNC(PyObject*) PyObject_GetItem(PyObject* op, PyObject* key);
/* op[key] = value, not stolen; del op[key]. 0, or -1 with an exception. */
PyAPI_FUNC(int) PyObject_SetItem(PyObject* op, PyObject* key, PyObject* value);
PyAPI_FUNC(int) PyObject_DelItem(PyObject* op, PyObject* key);
PyAPI_FUNC(int) PyObject_DelItemString(PyObject* op, const char* key);

/* Whether op has items by number and is no dict. Never fails. */
PyAPI_FUNC(int) PySequence_Check(PyObject* op);
/* -1 with an exception. */
PyAPI_FUNC(Py_ssize_t) PySequence_Size(PyObject* op);
PyAPI_FUNC(Py_ssize_t) PySequence_Length(PyObject* op);
/* a + b, op * count; those in place may change and return the first operand. New references; NULL with an
 * exception. */
PyAPI_FUNC(PyObject*) PySequence_Concat(PyObject* a, PyObject* b);
PyAPI_FUNC(PyObject*) PySequence_Repeat(PyObject* op, Py_ssize_t count);
PyAPI_FUNC(PyObject*) PySequence_InPlaceConcat(PyObject* a, PyObject* b);
PyAPI_FUNC(PyObject*) PySequence_InPlaceRepeat(PyObject* op, Py_ssize_t count);
/* A negative index counts from the end. New references; NULL with an exception. */
PyAPI_FUNC(PyObject*) PySequence_GetItem(PyObject* op, Py_ssize_t index);
PyAPI_FUNC(PyObject*) PySequence_GetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high);
/* The item is not stolen. 0, or -1 with an exception. */
PyAPI_FUNC(int) PySequence_SetItem(PyObject* op, Py_ssize_t index, PyObject* item);
PyAPI_FUNC(int) PySequence_DelItem(PyObject* op, Py_ssize_t index);
PyAPI_FUNC(int) PySequence_SetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high, PyObject* items);
PyAPI_FUNC(int) PySequence_DelSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high);
/* How many items equal the value; whether one does (1 or 0); the first that does, ValueError if none. -1 with
 * an exception. */
PyAPI_FUNC(Py_ssize_t) PySequence_Count(PyObject* op, PyObject* value);
PyAPI_FUNC(int) PySequence_Contains(PyObject* op, PyObject* value);
PyAPI_FUNC(int) PySequence_In(PyObject* op, PyObject* value);
PyAPI_FUNC(Py_ssize_t) PySequence_Index(PyObject* op, PyObject* value);
/* A new list of what an iterable gives; a tuple, which is op itself if that is exactly a tuple. NULL with an
 * exception: TypeError if op is not iterable. */
PyAPI_FUNC(PyObject*) PySequence_List(PyObject* op);
PyAPI_FUNC(PyObject*) PySequence_Tuple(PyObject* op);
/* op itself if it is a list or a tuple, else a list of what it gives. New reference; NULL with an exception:
 * TypeError with that message if op is not iterable. */
PyAPI_FUNC(PyObject*) PySequence_Fast(PyObject* op, const char* message);
/* Of what PySequence_Fast returned; items are borrowed. */
#define PySequence_Fast_GET_SIZE(op) (PyList_Check(op) ? PyList_GET_SIZE(op) : PyTuple_GET_SIZE(op))
#define PySequence_Fast_GET_ITEM(op, i) \
    (PyList_Check(op) ? PyList_GET_ITEM(op, i) : PyTuple_GET_ITEM(op, i))
#define PySequence_Fast_ITEMS(op)                               \
    (PyList_Check(op) ? OURO_CAST(PyListObject*, (op))->ob_item \
                      : OURO_CAST(PyTupleObject*, (op))->ob_item)
/* Without a check that op is a sequence with sq_item; a negative index is not adjusted. */
#define PySequence_ITEM(op, i) (Py_TYPE(op)->tp_as_sequence->sq_item(_PyObject_CAST(op), (i)))

OURO_END_C

#endif
