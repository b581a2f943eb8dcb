/* Iterators. */
#ifndef OURO_ITERATOR_H
#define OURO_ITERATOR_H

#include "ouroboros/methods.h"

OURO_BEGIN_C

/* A new iterator over op; NULL with an exception: TypeError if op is not iterable. */
PyAPI_FUNC(PyObject*) PyObject_GetIter(PyObject* op);
PyAPI_FUNC(PyObject*) PyObject_GetAIter(PyObject* op);
/* Whether op can be handed to PyIter_Next. Never fails. */
PyAPI_FUNC(int) PyIter_Check(PyObject* op);
PyAPI_FUNC(int) PyAIter_Check(PyObject* op);
/* The next item (new reference); NULL without an exception at the end, with one if that failed. */
PyAPI_FUNC(PyObject*) PyIter_Next(PyObject* iterator);
/* 1 and a new reference; 0 and NULL at the end; -1 and NULL with an exception: TypeError if it is no
 * iterator. */
PyAPI_FUNC(int) PyIter_NextItem(PyObject* iterator, PyObject** item);
/* Sends a value into an iterator: what it yields or, at its end, returns is *result (new reference). */
PyAPI_FUNC(PySendResult) PyIter_Send(PyObject* iterator, PyObject* value, PyObject** result);

/* The tp_iter of iterators: op itself. */
PyAPI_FUNC(PyObject*) PyObject_SelfIter(PyObject* op);
/* The tp_iternext of types that are no iterators though their base is one: TypeError. */
PyAPI_FUNC(PyObject*) _PyObject_NextNotImplemented(PyObject* op);

/* Asks a sequence for its items by number until that is an IndexError. New reference. */
PyAPI_DATA(PyTypeObject) PySeqIter_Type;
#define PySeqIter_Check(op) Py_IS_TYPE((op), &PySeqIter_Type)
PyAPI_FUNC(PyObject*) PySeqIter_New(PyObject* sequence);
/* Calls a callable until that gives something that equals the sentinel. New reference. */
PyAPI_DATA(PyTypeObject) PyCallIter_Type;
#define PyCallIter_Check(op) Py_IS_TYPE((op), &PyCallIter_Type)
PyAPI_FUNC(PyObject*) PyCallIter_New(PyObject* callable, PyObject* sentinel);

/* What iter() of a list, a tuple, a bytes and a str is, and reversed() of a list. */
PyAPI_DATA(PyTypeObject) PyListIter_Type;
PyAPI_DATA(PyTypeObject) PyListRevIter_Type;
PyAPI_DATA(PyTypeObject) PyTupleIter_Type;
PyAPI_DATA(PyTypeObject) PyBytesIter_Type;
PyAPI_DATA(PyTypeObject) PyUnicodeIter_Type;
PyAPI_DATA(PyTypeObject) _PyUnicodeASCIIIter_Type;

OURO_END_C

#endif
