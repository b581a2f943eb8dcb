/* Threads: thread states, attaching and detaching. Source: "Thread states and the global interpreter
 * lock" in the C API documentation.
 *
 * A thread may use objects only while a thread state is attached to it. With refcount=gil at most
 * one thread is attached at a time, the one that holds the global lock; with biased and atomic any
 * number are. A thread that is about to block detaches, so that nobody waits for it.
 *
 * Misuse is a fatal error that names the function, the thread and the rule. */
#ifndef OURO_THREAD_H
#define OURO_THREAD_H

#include "ouroboros/object.h"

OURO_BEGIN_C

typedef struct _ts PyThreadState;
/* There is one interpreter. */
typedef struct _is PyInterpreterState;

/* The interpreter. _Get: the caller must be attached. */
PyAPI_FUNC(PyInterpreterState*) PyInterpreterState_Get(void);
PyAPI_FUNC(PyInterpreterState*) PyInterpreterState_Main(void);

/* A new thread state, attached to no thread. The caller need not be attached. NULL when memory, or
 * the number of thread states (65,533), is exhausted; no exception is set. */
PyAPI_FUNC(PyThreadState*) PyThreadState_New(PyInterpreterState* interpreter);
/* Drops what the state holds (its exception). The caller must be attached: to this state, or to
 * another while nobody is attached to this one. */
PyAPI_FUNC(void) PyThreadState_Clear(PyThreadState* state);
/* Frees a cleared state that is attached to no thread. Objects that it owned become the property of
 * the next state that is made. */
PyAPI_FUNC(void) PyThreadState_Delete(PyThreadState* state);
/* Detaches the calling thread and frees the cleared state that was attached to it. */
PyAPI_FUNC(void) PyThreadState_DeleteCurrent(void);

/* The calling thread's state. Fatal error if it is not attached; _GetUnchecked: NULL. */
PyAPI_FUNC(PyThreadState*) PyThreadState_Get(void);
PyAPI_FUNC(PyThreadState*) PyThreadState_GetUnchecked(void);
/* Detaches the calling thread, if it is attached, and attaches `state`, if it is not NULL; waits as
 * PyEval_RestoreThread. Returns the state that was attached, or NULL. */
PyAPI_FUNC(PyThreadState*) PyThreadState_Swap(PyThreadState* state);
PyAPI_FUNC(PyInterpreterState*) PyThreadState_GetInterpreter(PyThreadState* state);
/* A number that no other state of this process has or had. */
PyAPI_FUNC(uint64_t) PyThreadState_GetID(PyThreadState* state);

/* Detaches the calling thread; returns its state, to be attached again by PyEval_RestoreThread. */
PyAPI_FUNC(PyThreadState*) PyEval_SaveThread(void);
/* Attaches the state to the calling thread, which must not be attached. Waits while the world is
 * stopped and, with refcount=gil, for the lock; for ever once another thread has begun to finalize
 * the runtime (lifecycle.h), as every other wait in this header does. errno is kept. */
PyAPI_FUNC(void) PyEval_RestoreThread(PyThreadState* state);
/* The same two for a state that the caller names. */
PyAPI_FUNC(void) PyEval_AcquireThread(PyThreadState* state);
PyAPI_FUNC(void) PyEval_ReleaseThread(PyThreadState* state);

/* Around code that may block and does not touch objects. */
#define Py_BEGIN_ALLOW_THREADS                 \
    {                                          \
        OURO_MAY_SHADOW(PyThreadState* _save;) \
        _save = PyEval_SaveThread();
#define Py_BLOCK_THREADS PyEval_RestoreThread(_save);
#define Py_UNBLOCK_THREADS _save = PyEval_SaveThread();
#define Py_END_ALLOW_THREADS     \
    PyEval_RestoreThread(_save); \
    }

typedef enum { PyGILState_LOCKED, PyGILState_UNLOCKED } PyGILState_STATE;
/* Attaches the calling thread if it is not attached, with a state that is made for it if it has
 * none. Calls nest; each is matched by a _Release with what it returned, by the same thread. The
 * last one frees the state if _Ensure made it. */
PyAPI_FUNC(PyGILState_STATE) PyGILState_Ensure(void);
PyAPI_FUNC(void) PyGILState_Release(PyGILState_STATE before);
/* The state that _Ensure uses for the calling thread: the first one that was attached to it and still
 * exists; NULL if there is none. */
PyAPI_FUNC(PyThreadState*) PyGILState_GetThisThreadState(void);
/* 1 if the calling thread is attached. */
PyAPI_FUNC(int) PyGILState_Check(void);

/* A safepoint: stops here if the world is to be stopped, yields the lock (gil) if it was held for
 * 5 ms and somebody waits, drops the references that other threads left to this one, collects if that
 * is due, and runs pending calls, the latter on the thread that initialised the runtime. 0; or -1,
 * with an exception, if a pending call returned -1: the rest stay pending. */
PyAPI_FUNC(int) Py_MakePendingCalls(void);
/* Asks that `function` be called with `arg`, soon, by the thread that initialised the runtime at one
 * of its safepoints that runs pending calls: Py_MakePendingCalls. Any thread, attached or not. 0, or
 * -1 if 32 are pending already. */
PyAPI_FUNC(int) Py_AddPendingCall(int (*function)(void*), void* arg);

/* Dictionaries for what C code keeps, of the calling thread and of all: borrowed, and dropped with the thread state and
 * at the end of the runtime. NULL, without an exception, if the thread is not attached, or without memory. */
PyAPI_FUNC(PyObject*) PyThreadState_GetDict(void);
PyAPI_FUNC(PyObject*) PyInterpreterState_GetDict(PyInterpreterState* interpreter);
/* 0: there is one interpreter. */
PyAPI_FUNC(int64_t) PyInterpreterState_GetID(PyInterpreterState* interpreter);
/* Nothing is traced. */
#define PyThreadState_EnterTracing(state) ((void)(state))
#define PyThreadState_LeaveTracing(state) ((void)(state))
/* What once began threads. */
#define PyEval_InitThreads() ((void)0)
#define PyEval_ThreadsInitialized() 1
#define PyThread_init_thread() ((void)0)

OURO_END_C

#endif
