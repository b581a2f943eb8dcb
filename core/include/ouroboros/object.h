/* The object header and what reads it. */
#ifndef OURO_OBJECT_H
#define OURO_OBJECT_H

#include "ouroboros/macros.h"

#include "concurrency/refcount/count_word.h"

OURO_BEGIN_C

typedef struct _typeobject PyTypeObject;

/* 16 bytes and no collector state: whether the object is tracked, finalized or marked is in tables
 * beside the heap. The count words are changed by the counting functions alone. */
typedef struct _object {
    uint32_t ob_biased; /* owner index : 16 | biased count : 16 */
    uint32_t ob_shared; /* signed count : 29 | flags : 3 */
    PyTypeObject* ob_type;
} PyObject;

typedef struct {
    PyObject ob_base;
    Py_ssize_t ob_size; /* number of items */
} PyVarObject;

OURO_STATIC_ASSERT(sizeof(PyObject) == 16, "the object header is 16 bytes");
OURO_STATIC_ASSERT(sizeof(PyVarObject) == 24, "the header of a variable-size object is 24 bytes");

#define PyObject_HEAD PyObject ob_base;
#define PyObject_VAR_HEAD PyVarObject ob_base;

/* Initialisers of statically allocated objects: immortal, outside the heap. */
#define PyObject_HEAD_INIT(type) {OURO_BIASED_IMMORTAL, 0, (type)},
#define PyVarObject_HEAD_INIT(type, size) {PyObject_HEAD_INIT(type)(size)},

#define _PyObject_CAST(op) OURO_CAST(PyObject*, (op))
#define _PyVarObject_CAST(op) OURO_CAST(PyVarObject*, (op))

/* Borrowed: the type lives as long as the object does. */
static inline PyTypeObject* Py_TYPE(PyObject* op) {
    return op->ob_type;
}

/* Stored whole, as the size is: a traversal on another thread may be reading it. */
static inline void Py_SET_TYPE(PyObject* op, PyTypeObject* type) {
    __atomic_store_n(&op->ob_type, type, __ATOMIC_RELAXED);
}

static inline int Py_IS_TYPE(PyObject* op, PyTypeObject* type) {
    return op->ob_type == type;
}

static inline Py_ssize_t Py_SIZE(PyObject* op) {
    return OURO_CAST(PyVarObject*, op)->ob_size;
}

static inline void Py_SET_SIZE(PyVarObject* op, Py_ssize_t size) {
    __atomic_store_n(&op->ob_size, size, __ATOMIC_RELAXED);
}

static inline int Py_Is(PyObject* x, PyObject* y) {
    return x == y;
}

#define Py_TYPE(op) Py_TYPE(_PyObject_CAST(op))
#define Py_SET_TYPE(op, type) Py_SET_TYPE(_PyObject_CAST(op), (type))
#define Py_IS_TYPE(op, type) Py_IS_TYPE(_PyObject_CAST(op), (type))
#define Py_SIZE(op) Py_SIZE(_PyObject_CAST(op))
#define Py_SET_SIZE(op, size) Py_SET_SIZE(_PyVarObject_CAST(op), (size))
#define Py_Is(x, y) Py_Is(_PyObject_CAST(x), _PyObject_CAST(y))

OURO_END_C

#endif
