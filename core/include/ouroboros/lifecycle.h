/* Starting and ending the runtime. */
#ifndef OURO_LIFECYCLE_H
#define OURO_LIFECYCLE_H

#include "ouroboros/macros.h"

OURO_BEGIN_C

/* Starts the runtime with the settings made so far (ouroboros.h) and attaches the calling thread.
 * Does nothing if it runs already. A bad setting in the environment is a fatal error that names
 * it. */
PyAPI_FUNC(void) Py_Initialize(void);
PyAPI_FUNC(int) Py_IsInitialized(void);
/* 1 while Py_FinalizeEx runs. */
PyAPI_FUNC(int) Py_IsFinalizing(void);
/* Ends the runtime; on any attached thread, but not inside a collection, as in a finalizer (fatal error). From then
 * on no other thread runs any of it: one that is attached goes no further than to its next safepoint or lock, one
 * that is detached, or waits, never returns from attaching; a collection that another one is in the middle of is
 * brought to its end here. Waits until those that are attached are at such a place. Then a last full collection.
 * Objects that are still referenced stay as they are, and the runtime can be initialised again; with another refcount
 * policy only if no object is left. Thread states of others stay theirs, and good for nothing but to be deleted, by
 * others. Returns 0; at once if the runtime is not initialised, or from what the end itself runs. */
PyAPI_FUNC(int) Py_FinalizeEx(void);
PyAPI_FUNC(void) Py_Finalize(void);

/* Around a fork of the process, on the thread that forks, which is attached: before it (a fatal error if it is not
 * attached, or was called already), then one of the other two. A program that does not call them has the same from
 * handlers of pthread_atfork, attached or not; called alone, the other two do nothing. Before the fork all other threads
 * are stopped. The child has none of them: what they were in the middle of is given up or goes on there, collections
 * too; their thread states stay, detached, and their locks inside the runtime are free, but not a PyMutex that one of
 * them held. The calling thread is the main one. A fork while another thread ends the runtime is not prepared: its
 * child may only exec. */
PyAPI_FUNC(void) PyOS_BeforeFork(void);
PyAPI_FUNC(void) PyOS_AfterFork_Parent(void);
PyAPI_FUNC(void) PyOS_AfterFork_Child(void);
#define PyOS_AfterFork() PyOS_AfterFork_Child()

/* Has `function` called when the runtime ends, last ones first, after all modules are gone: it may use no object. 0, or
 * -1 if 32 are to be called already. Before or after Py_Initialize; forgotten when the runtime has ended. */
PyAPI_FUNC(int) Py_AtExit(void (*function)(void));

OURO_END_C

#endif
