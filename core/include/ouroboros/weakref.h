/* Weak references. An object can be weakly referenced if its type's tp_weaklistoffset says where in
 * it the list of its weak references hangs: one pointer, NULL at first, cleared by the type's
 * tp_dealloc through PyObject_ClearWeakRefs. */
#ifndef OURO_WEAKREF_H
#define OURO_WEAKREF_H

#include "ouroboros/gc.h"

OURO_BEGIN_C

typedef struct _PyWeakReference {
    PyObject_HEAD
    PyObject* wr_object;   /* borrowed; NULL once it is dead */
    PyObject* wr_callback; /* or NULL */
    Py_hash_t hash;        /* of the object, once asked for; -1 before */
    struct _PyWeakReference* wr_prev;
    struct _PyWeakReference* wr_next;
} PyWeakReference;

PyAPI_DATA(PyTypeObject) _PyWeakref_RefType;
PyAPI_DATA(PyTypeObject) _PyWeakref_ProxyType;
PyAPI_DATA(PyTypeObject) _PyWeakref_CallableProxyType;

#define PyWeakref_CheckRef(op) PyObject_TypeCheck((op), &_PyWeakref_RefType)
#define PyWeakref_CheckRefExact(op) Py_IS_TYPE((op), &_PyWeakref_RefType)
#define PyWeakref_CheckProxy(op) \
    (Py_IS_TYPE((op), &_PyWeakref_ProxyType) || Py_IS_TYPE((op), &_PyWeakref_CallableProxyType))
#define PyWeakref_Check(op) (PyWeakref_CheckRef(op) || PyWeakref_CheckProxy(op))

/* New reference; one without a callback may be one that exists. `callback` is called with the weak
 * reference when the object dies, unless the weak reference is garbage too or was made, during the
 * collection that found the object to be garbage, by a finalizer. NULL or None for none. TypeError if the object's type does not
 * allow weak references. */
PyAPI_FUNC(PyObject*) PyWeakref_NewRef(PyObject* op, PyObject* callback);
PyAPI_FUNC(PyObject*) PyWeakref_NewProxy(PyObject* op, PyObject* callback);
/* 1 and a new reference in *object; 0 and NULL if it is dead; -1 with TypeError and NULL if `ref` is
 * no weak reference. */
PyAPI_FUNC(int) PyWeakref_GetRef(PyObject* ref, PyObject** object);
/* Borrowed; None if it is dead. SystemError if `ref` is no weak reference. */
PyAPI_FUNC(PyObject*) PyWeakref_GetObject(PyObject* ref);
PyAPI_FUNC(int) PyWeakref_IsDead(PyObject* ref);
#define PyWeakref_GET_OBJECT(ref) PyWeakref_GetObject(_PyObject_CAST(ref))
/* For tp_dealloc, before anything else of the object is taken apart: kills all weak references to op
 * and calls their callbacks. */
PyAPI_FUNC(void) PyObject_ClearWeakRefs(PyObject* op);
/* The same, and no callback is called. Unstable in CPython. */
PyAPI_FUNC(void) PyUnstable_Object_ClearWeakRefsNoCallbacks(PyObject* op);

static inline int PyType_SUPPORTS_WEAKREFS(PyTypeObject* type) {
    return type->tp_weaklistoffset > 0;
}

OURO_END_C

#endif
