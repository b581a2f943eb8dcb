/* Counting references. The owner's path is inline: one thread-local load, one load, one store; the
 * rest is a call. Cost of an increment and a decrement by the owner: experiments/micro/counts.cpp. */
#ifndef OURO_REFCOUNT_H
#define OURO_REFCOUNT_H

#include "ouroboros/object.h"

OURO_BEGIN_C

/* The calling thread's owner index, shifted into place (count_word.h). Read by the inline functions
 * below, written by the runtime alone. Initial-exec: a call of __tls_get_addr would cost as much as
 * an atomic increment. */
extern OURO_API __thread uint32_t _Ouro_ThreadWord __attribute__((tls_model("initial-exec")));

PyAPI_FUNC(void) _Ouro_IncRefSlow(PyObject* op);
PyAPI_FUNC(void) _Ouro_DecRefSlow(PyObject* op);

#define OURO_LOAD_BIASED(op) __atomic_load_n(&(op)->ob_biased, __ATOMIC_RELAXED)

#ifdef OURO_REFCOUNT_PLAIN

/* A build for comparison: bare counts (plain_word.h). */
static inline void Py_INCREF(PyObject* op) {
    ++op->ob_biased;
}

static inline void Py_DECREF(PyObject* op) {
    if (OURO_UNLIKELY((int32_t)--op->ob_biased <= 0)) {
        _Ouro_DecRefSlow(op);
    }
}

#else

/* What is never counted, types and None among it, needs no call. */
#define OURO_IS_COUNTED(op) (OURO_OWNER_OF(OURO_LOAD_BIASED(op)) != OURO_OWNER_IMMORTAL)

/* Adds a reference; the caller must own one. */
static inline void Py_INCREF(PyObject* op) {
    int done;
#define OURO_STORE(value) __atomic_store_n(&op->ob_biased, (value), __ATOMIC_RELAXED)
    OURO_TRY_INCREF(OURO_LOAD_BIASED(op), OURO_STORE, _Ouro_ThreadWord, done);
    if (OURO_UNLIKELY(!done) && OURO_IS_COUNTED(op)) {
        _Ouro_IncRefSlow(op);
    }
}

/* Drops a reference that the caller owns. If it was the last one, the object's tp_dealloc runs:
 * arbitrary code, before this returns. */
static inline void Py_DECREF(PyObject* op) {
    int done;
    OURO_TRY_DECREF(OURO_LOAD_BIASED(op), OURO_STORE, _Ouro_ThreadWord, done);
#undef OURO_STORE
    if (OURO_UNLIKELY(!done) && OURO_IS_COUNTED(op)) {
        _Ouro_DecRefSlow(op);
    }
}

#endif

static inline void Py_XINCREF(PyObject* op) {
    if (op) {
        Py_INCREF(op);
    }
}

static inline void Py_XDECREF(PyObject* op) {
    if (op) {
        Py_DECREF(op);
    }
}

/* Returns op with one more reference (new reference). */
static inline PyObject* Py_NewRef(PyObject* op) {
    Py_INCREF(op);
    return op;
}

static inline PyObject* Py_XNewRef(PyObject* op) {
    Py_XINCREF(op);
    return op;
}

/* The true count. In free-threaded use it may be out of date before the caller sees it. */
static inline Py_ssize_t Py_REFCNT(PyObject* op) {
    const uint32_t biased = OURO_LOAD_BIASED(op);
    const uint32_t shared = __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED);
    if (OURO_IS_IMMORTAL(biased, shared)) {
        return (Py_ssize_t)UINT32_MAX;
    }
    return (Py_ssize_t)OURO_BIASED_COUNT(biased) + OURO_SHARED_COUNT(shared);
}

#define Py_INCREF(op) Py_INCREF(_PyObject_CAST(op))
#define Py_DECREF(op) Py_DECREF(_PyObject_CAST(op))
#define Py_XINCREF(op) Py_XINCREF(_PyObject_CAST(op))
#define Py_XDECREF(op) Py_XDECREF(_PyObject_CAST(op))
#define Py_NewRef(op) Py_NewRef(_PyObject_CAST(op))
#define Py_XNewRef(op) Py_XNewRef(_PyObject_CAST(op))
#define Py_REFCNT(op) Py_REFCNT(_PyObject_CAST(op))

/* Gives op exactly that many references: for code that keeps objects of its own for later use. The
 * caller must know all references that there are. Nothing happens to an immortal object. */
PyAPI_FUNC(void) _Ouro_SetRefCount(PyObject* op, Py_ssize_t count);
static inline void Py_SET_REFCNT(PyObject* op, Py_ssize_t count) {
    _Ouro_SetRefCount(op, count);
}
#define Py_SET_REFCNT(op, count) Py_SET_REFCNT(_PyObject_CAST(op), (count))

/* Whether op is never counted and never freed. Unstable in CPython. */
PyAPI_FUNC(int) PyUnstable_IsImmortal(PyObject* op);
/* Makes op immortal, if it is not yet and the caller's reference is its only one (ouroboros.h has 3.15's function, which
 * says whether it was). What an immortal container reaches is never garbage. CPython's own; authors' headers of
 * compatibility declare and call it. */
PyAPI_FUNC(void) _Py_SetImmortal(PyObject* op);
/* Whether the caller's reference is the only one and nobody may take another without one
 * (PyUnstable_EnableTryIncRef). With several threads 0 too if only another, op's owner, could tell.
 * Unstable in CPython. */
PyAPI_FUNC(int) PyUnstable_Object_IsUniquelyReferenced(PyObject* op);
/* Whether op is known to be on an interpreter's stack and nowhere else: there is none. */
#define PyUnstable_Object_IsUniqueReferencedTemporary(op) ((void)(op), 0)

/* Whether a reference to op could be taken: 1; or 0 if op is dead, dying or garbage. For who keeps
 * pointers without references: op must be alive or have been alive when the calling thread last
 * allocated an object or was at another safepoint, and PyUnstable_EnableTryIncRef must have been called for it by somebody with a reference.
 * Unstable in CPython. */
PyAPI_FUNC(int) PyUnstable_TryIncRef(PyObject* op);
PyAPI_FUNC(void) PyUnstable_EnableTryIncRef(PyObject* op);
/* Asks that references from frames be not counted. There are no frames here: always 0. Unstable in
 * CPython. */
PyAPI_FUNC(int) PyUnstable_Object_EnableDeferredRefcount(PyObject* op);

/* Function forms of the above. A NULL argument is allowed for Py_IncRef and Py_DecRef. */
PyAPI_FUNC(void) Py_IncRef(PyObject* op);
PyAPI_FUNC(void) Py_DecRef(PyObject* op);

/* Sets op, a variable that owns a reference or is NULL, to NULL and only then drops the reference,
 * so that code which runs during the deallocation finds NULL and not a dangling pointer. */
#define Py_CLEAR(op)                             \
    do {                                         \
        PyObject** address_ = (PyObject**)&(op); \
        PyObject* old_ = *address_;              \
        if (old_ != NULL) {                      \
            OURO_STORE_FIELD(address_, NULL);    \
            Py_DECREF(old_);                     \
        }                                        \
    } while (0)

/* Stores src (stolen) in dst and then drops what dst held. dst may not be NULL in Py_SETREF. */
#define Py_SETREF(dst, src)                           \
    do {                                              \
        PyObject** address_ = (PyObject**)&(dst);     \
        PyObject* old_ = *address_;                   \
        OURO_STORE_FIELD(address_, (PyObject*)(src)); \
        Py_DECREF(old_);                              \
    } while (0)

#define Py_XSETREF(dst, src)                          \
    do {                                              \
        PyObject** address_ = (PyObject**)&(dst);     \
        PyObject* old_ = *address_;                   \
        OURO_STORE_FIELD(address_, (PyObject*)(src)); \
        Py_XDECREF(old_);                             \
    } while (0)

/* A field may be read by a traversal on another thread: one whole word, released so that the
 * reader sees an initialised object. */
#define OURO_STORE_FIELD(address, value) \
    __atomic_store_n((address), (PyObject*)(value), __ATOMIC_RELEASE)

OURO_END_C

#endif
