/* Supporting cyclic garbage collection. Source: "Supporting Cyclic Garbage Collection" in the C API
 * documentation. */
#ifndef OURO_GC_H
#define OURO_GC_H

#include "ouroboros/memory.h"

OURO_BEGIN_C

/* A new container, not tracked yet, its fields not initialised. New reference; NULL with
 * MemoryError. Automatic collection may run first, so the caller must hold what it needs. */
PyAPI_FUNC(PyObject*) _PyObject_GC_New(PyTypeObject* type);
PyAPI_FUNC(PyVarObject*) _PyObject_GC_NewVar(PyTypeObject* type, Py_ssize_t nitems);
#define PyObject_GC_New(type, typeobj) ((type*)_PyObject_GC_New(typeobj))
#define PyObject_GC_NewVar(type, typeobj, n) ((type*)_PyObject_GC_NewVar((typeobj), (n)))
/* What the oldest documents call it. */
#define PyObject_GC_VarNew PyObject_GC_NewVar

/* Changes the number of items of an untracked container; returns it, perhaps moved. NULL with
 * SystemError if it is tracked, with MemoryError if there is no memory; then it is unchanged. */
PyAPI_FUNC(PyVarObject*) _PyObject_GC_Resize(PyVarObject* op, Py_ssize_t nitems);
#define PyObject_GC_Resize(type, op, n) ((type*)_PyObject_GC_Resize(_PyVarObject_CAST(op), (n)))

/* Adds op to the containers that the collector sees. All fields that tp_traverse follows must be
 * valid. Fatal error if op is tracked already or lies outside the heap. */
PyAPI_FUNC(void) PyObject_GC_Track(void* op);
/* Removes op from them; does nothing if it is not tracked. */
PyAPI_FUNC(void) PyObject_GC_UnTrack(void* op);
/* For the core's own code in CPython; here the same functions. */
#define _PyObject_GC_TRACK(op) PyObject_GC_Track(_PyObject_CAST(op))
#define _PyObject_GC_UNTRACK(op) PyObject_GC_UnTrack(_PyObject_CAST(op))
/* Frees a container's memory; the object must not be used again. Untracks it if need be. */
PyAPI_FUNC(void) PyObject_GC_Del(void* op);

PyAPI_FUNC(int) PyObject_IS_GC(PyObject* op);
PyAPI_FUNC(int) PyObject_GC_IsTracked(PyObject* op);
PyAPI_FUNC(int) PyObject_GC_IsFinalized(PyObject* op);

/* tp_finalize, if the type has one and, for a container, it has not run for this object. What it
 * raises goes to the unraisable hook. */
PyAPI_FUNC(void) PyObject_CallFinalizer(PyObject* op);
/* The same, for tp_dealloc before it changes anything: 0, or -1 if the finalizer made the object
 * reachable again; then tp_dealloc must return at once. */
PyAPI_FUNC(int) PyObject_CallFinalizerFromDealloc(PyObject* op);

/* CPython 3.14's meaning: every container's deallocation is in the trashcan anyway. */
#define Py_TRASHCAN_BEGIN(op, dealloc) {
#define Py_TRASHCAN_END }

/* A container with extra_size bytes after its type's tp_basicsize, all zero but the header; not
 * tracked. New reference; NULL with MemoryError. Unstable in CPython. */
PyAPI_FUNC(PyObject*) PyUnstable_Object_GC_NewWithExtraData(PyTypeObject* type, size_t extra_size);

typedef int (*gcvisitobjects_t)(PyObject* object, void* arg);
/* Calls callback for each tracked object until it returns 0. Collection is disabled meanwhile, and all
 * other threads are stopped: the callback must not wait for them. Objects that the callback makes may or may
 * not be visited. Unstable in CPython. */
PyAPI_FUNC(void) PyUnstable_GC_VisitObjects(gcvisitobjects_t callback, void* arg);

/* A full collection. Finalizers, clears and deallocations run on the calling thread. Returns the
 * number of unreachable objects found, collected or not; 0 at once if collection is disabled, the call
 * comes from inside a collection, or another mutator is making one; 0 if one in flight runs a deallocator that does not
 * return before all of its candidates are tested. */
PyAPI_FUNC(Py_ssize_t) PyGC_Collect(void);
/* Each returns the state before: 1 enabled, 0 disabled. */
PyAPI_FUNC(int) PyGC_Enable(void);
PyAPI_FUNC(int) PyGC_Disable(void);
PyAPI_FUNC(int) PyGC_IsEnabled(void);

OURO_END_C

/* A reference that a traversal reads once, whole: others may be replacing it. C cannot ask whether `op`
 * is a field or a value, so there it is an ordinary load, which the compiler may not repeat. */
#ifdef __cplusplus
extern "C++" {
template <class T>
static inline PyObject* _Ouro_Visited(T* const& op) {
    return (PyObject*)__atomic_load_n(&op, __ATOMIC_RELAXED);
}
static inline PyObject* _Ouro_Visited(PyObject* const& op) {
    return __atomic_load_n(&op, __ATOMIC_RELAXED);
}
}
#else
static inline PyObject* _Ouro_Visited(PyObject* op) {
    __asm__("" : "+r"(op));
    return op;
}
#define _Ouro_Visited(op) _Ouro_Visited(_PyObject_CAST(op))
#endif

/* For tp_traverse, whose arguments must be named visit and arg. */
#define Py_VISIT(op)                                  \
    do {                                              \
        PyObject* const visited_ = _Ouro_Visited(op); \
        if (visited_) {                               \
            const int result_ = visit(visited_, arg); \
            if (result_) {                            \
                return result_;                       \
            }                                         \
        }                                             \
    } while (0)

#endif
