/* Locks and critical sections. Source: "Synchronization primitives" and "Critical section API" in the C
 * API documentation.
 *
 * Whoever must wait is detached meanwhile, so that nobody waits for it: with refcount=gil others may
 * run, and every critical section that the thread is in is suspended until it is attached again. */
#ifndef OURO_LOCK_H
#define OURO_LOCK_H

#include "ouroboros/object.h"

OURO_BEGIN_C

/* A lock in one byte, unlocked when all bits are zero. Not recursive; any thread may unlock it. The
 * caller need not be attached. */
typedef struct PyMutex {
    uint8_t _bits;
} PyMutex;
PyAPI_FUNC(void) PyMutex_Lock(PyMutex* mutex);
/* Fatal error if it is not locked. */
PyAPI_FUNC(void) PyMutex_Unlock(PyMutex* mutex);
PyAPI_FUNC(int) PyMutex_IsLocked(PyMutex* mutex);

/* A critical section holds the lock of an object, or of two, as long as its thread is attached: while
 * the thread waits for another lock, is detached, or stopped, the lock is let go and taken again before
 * the thread goes on. So critical sections cannot deadlock, and what they protect may have changed
 * after any call that can run other code. Sections nest and end in reverse order. With refcount=gil
 * they do nothing. The caller must be attached. */
typedef struct PyCriticalSection {
    uintptr_t _previous; /* the section around it; bits: suspended; that one has the locks */
    PyMutex* _mutex;     /* NULL while it is waited for */
    PyMutex* _mutex2;
} PyCriticalSection;
typedef struct PyCriticalSection2 {
    PyCriticalSection _base;
} PyCriticalSection2;
PyAPI_FUNC(void) PyCriticalSection_Begin(PyCriticalSection* section, PyObject* op);
PyAPI_FUNC(void) PyCriticalSection_BeginMutex(PyCriticalSection* section, PyMutex* mutex);
/* Fatal error if it is not the section that began last. */
PyAPI_FUNC(void) PyCriticalSection_End(PyCriticalSection* section);
/* Of two objects, which may be one. */
PyAPI_FUNC(void) PyCriticalSection2_Begin(PyCriticalSection2* section, PyObject* a, PyObject* b);
PyAPI_FUNC(void) PyCriticalSection2_BeginMutex(PyCriticalSection2* section, PyMutex* a, PyMutex* b);
PyAPI_FUNC(void) PyCriticalSection2_End(PyCriticalSection2* section);

#define Py_BEGIN_CRITICAL_SECTION(op)              \
    {                                              \
        OURO_MAY_SHADOW(PyCriticalSection _py_cs;) \
        PyCriticalSection_Begin(&_py_cs, _PyObject_CAST(op));
#define Py_BEGIN_CRITICAL_SECTION_MUTEX(mutex)     \
    {                                              \
        OURO_MAY_SHADOW(PyCriticalSection _py_cs;) \
        PyCriticalSection_BeginMutex(&_py_cs, mutex);
#define Py_END_CRITICAL_SECTION()   \
    PyCriticalSection_End(&_py_cs); \
    }
#define Py_BEGIN_CRITICAL_SECTION2(a, b)             \
    {                                                \
        OURO_MAY_SHADOW(PyCriticalSection2 _py_cs2;) \
        PyCriticalSection2_Begin(&_py_cs2, _PyObject_CAST(a), _PyObject_CAST(b));
#define Py_BEGIN_CRITICAL_SECTION2_MUTEX(a, b)       \
    {                                                \
        OURO_MAY_SHADOW(PyCriticalSection2 _py_cs2;) \
        PyCriticalSection2_BeginMutex(&_py_cs2, a, b);
#define Py_END_CRITICAL_SECTION2()    \
    PyCriticalSection2_End(&_py_cs2); \
    }

/* The older locks: allocated, not recursive, unlocked by any thread. NULL when memory is out. */
typedef void* PyThread_type_lock;
#define WAIT_LOCK 1
#define NOWAIT_LOCK 0
PyAPI_FUNC(PyThread_type_lock) PyThread_allocate_lock(void);
PyAPI_FUNC(void) PyThread_free_lock(PyThread_type_lock lock);
/* 1 if it was taken; 0 if NOWAIT_LOCK was asked for and it is not free. */
PyAPI_FUNC(int) PyThread_acquire_lock(PyThread_type_lock lock, int wait);
/* Waits for so many microseconds at most, or for ever if they are negative. intr_flag is for signals,
 * which interrupt nothing here. */
typedef enum { PY_LOCK_FAILURE = 0, PY_LOCK_ACQUIRED = 1, PY_LOCK_INTR } PyLockStatus;
#define PY_TIMEOUT_T long long
PyAPI_FUNC(PyLockStatus)
    PyThread_acquire_lock_timed(PyThread_type_lock lock, PY_TIMEOUT_T microseconds, int intr_flag);
/* Fatal error if it is not locked. */
PyAPI_FUNC(void) PyThread_release_lock(PyThread_type_lock lock);

/* A thread of the system, which runs function(arg) and is nobody's to join. Returns its identity, or
 * PYTHREAD_INVALID_THREAD_ID. It has no thread state until it asks for one. */
#define PYTHREAD_INVALID_THREAD_ID ((unsigned long)-1)
PyAPI_FUNC(unsigned long) PyThread_start_new_thread(void (*function)(void*), void* arg);
PyAPI_FUNC(unsigned long) PyThread_get_thread_ident(void);
/* The system's number of the calling thread. */
#define PY_HAVE_THREAD_NATIVE_ID 1
PyAPI_FUNC(unsigned long) PyThread_get_thread_native_id(void);
/* Ends the calling thread, which is not attached. */
PyAPI_FUNC(void) PyThread_exit_thread(void) __attribute__((noreturn));
/* How large stacks of new threads are, in bytes; 0: as the system has it. _set: 0; -1 for a size that is too small. */
PyAPI_FUNC(size_t) PyThread_get_stacksize(void);
PyAPI_FUNC(int) PyThread_set_stacksize(size_t size);
/* What threads are made of, as a tuple with names; new reference, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyThread_GetInfo(void);

OURO_END_C

#endif
