/* The built-in sets: set, which can change, and frozenset, which can be a key. */
#ifndef OURO_SET_H
#define OURO_SET_H

#include "ouroboros/gc.h"

OURO_BEGIN_C

/* 48 bytes; index and elements are one table of their own. Keeps insertion order. A traversal leaves
 * out the elements if there was never a container among them. */
typedef struct {
    PyObject_HEAD
    Py_ssize_t used;
    struct _ouro_set_table* table;
    Py_hash_t hash; /* of a frozenset; -1: not computed yet */
    PyObject* weakreflist;
} PySetObject;

PyAPI_DATA(PyTypeObject) PySet_Type;
PyAPI_DATA(PyTypeObject) PyFrozenSet_Type;
#define PySet_Check(op) PyObject_TypeCheck((op), &PySet_Type)
#define PySet_CheckExact(op) Py_IS_TYPE((op), &PySet_Type)
#define PyFrozenSet_Check(op) PyObject_TypeCheck((op), &PyFrozenSet_Type)
#define PyFrozenSet_CheckExact(op) Py_IS_TYPE((op), &PyFrozenSet_Type)
#define PyAnySet_Check(op) (PySet_Check(op) || PyFrozenSet_Check(op))
#define PyAnySet_CheckExact(op) (PySet_CheckExact(op) || PyFrozenSet_CheckExact(op))

/* What iter() of a set and of a frozenset returns. */
PyAPI_DATA(PyTypeObject) PySetIter_Type;

/* With the elements of an iterable; empty for NULL. New reference; NULL with TypeError for what is not iterable and
 * for an element that cannot be hashed. */
PyAPI_FUNC(PyObject*) PySet_New(PyObject* iterable);
/* So too; for a frozenset that very object. */
PyAPI_FUNC(PyObject*) PyFrozenSet_New(PyObject* iterable);

/* These three take a set or a frozenset; -1 with SystemError for anything else. */
PyAPI_FUNC(Py_ssize_t) PySet_Size(PyObject* anyset);
/* 1, 0, or -1 with an exception (TypeError for a key that cannot be hashed). */
PyAPI_FUNC(int) PySet_Contains(PyObject* anyset, PyObject* key);
/* Does not steal. 0, or -1 with an exception. A frozenset can be added to while the caller has the
 * only reference to it: SystemError otherwise. */
PyAPI_FUNC(int) PySet_Add(PyObject* anyset, PyObject* key);
/* Of what is a set or a frozenset, read whole, as others may be changing it. */
#define PySet_GET_SIZE(op) __atomic_load_n(&OURO_CAST(PySetObject*, (op))->used, __ATOMIC_RELAXED)

/* These take a set alone; SystemError for anything else.
 * Discard: 1 if the key was found and removed, 0 if it was not there, -1 with an exception.
 * Pop: some element (new reference), which is removed; NULL with KeyError if the set is empty.
 * Clear: 0. */
PyAPI_FUNC(int) PySet_Discard(PyObject* set, PyObject* key);
PyAPI_FUNC(PyObject*) PySet_Pop(PyObject* set);
PyAPI_FUNC(int) PySet_Clear(PyObject* set);

OURO_END_C

#endif
