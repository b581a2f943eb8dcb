/* Types of the language that other objects are wrapped in: super, reversed, enumerate, and generic aliases; and
 * constants by their number. */
#ifndef OURO_MORE_TYPES_H
#define OURO_MORE_TYPES_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

/* super(type, object or type): attributes as the types after `type` in the order of resolution have them. Both
 * arguments must be given. */
PyAPI_DATA(PyTypeObject) PySuper_Type;
/* enumerate(iterable, start=0) and reversed(sequence): iterators. */
PyAPI_DATA(PyTypeObject) PyEnum_Type;
PyAPI_DATA(PyTypeObject) PyReversed_Type;

/* property(fget=None, fset=None, fdel=None, doc=None). */
PyAPI_DATA(PyTypeObject) PyProperty_Type;

/* A variable that functions share; it holds one object or none. Changed by the functions here alone. */
typedef struct {
    PyObject_HEAD
    PyObject* ob_ref;
} PyCellObject;
PyAPI_DATA(PyTypeObject) PyCell_Type;
#define PyCell_Check(op) Py_IS_TYPE((op), &PyCell_Type)
/* New reference, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyCell_New(PyObject* value);
/* A new reference; NULL without an exception if it is empty, with SystemError if op is no cell. */
PyAPI_FUNC(PyObject*) PyCell_Get(PyObject* op);
/* Does not steal; NULL empties it. 0, or -1 with SystemError. */
PyAPI_FUNC(int) PyCell_Set(PyObject* op, PyObject* value);
/* Unchecked and without the lock: borrowed; steals, and does not drop what was there. */
#define PyCell_GET(op) (OURO_CAST(PyCellObject*, (op))->ob_ref)
#define PyCell_SET(op, value) OURO_STORE_FIELD(&OURO_CAST(PyCellObject*, (op))->ob_ref, (value))

/* list[int]: an object that remembers the type and the arguments, one of them or a tuple, and otherwise is like the
 * type. For __class_getitem__, with METH_O | METH_CLASS. New reference, or NULL with MemoryError. */
PyAPI_DATA(PyTypeObject) Py_GenericAliasType;
PyAPI_FUNC(PyObject*) Py_GenericAlias(PyObject* origin, PyObject* arguments);

/* A constant, immortal. NULL with SystemError for any other number: an empty str, bytes and tuple are no constants
 * here. */
#define Py_CONSTANT_NONE 0
#define Py_CONSTANT_FALSE 1
#define Py_CONSTANT_TRUE 2
#define Py_CONSTANT_ELLIPSIS 3
#define Py_CONSTANT_NOT_IMPLEMENTED 4
#define Py_CONSTANT_ZERO 5
#define Py_CONSTANT_ONE 6
PyAPI_FUNC(PyObject*) Py_GetConstant(unsigned int constant);
PyAPI_FUNC(PyObject*) Py_GetConstantBorrowed(unsigned int constant);

OURO_END_C

#endif
