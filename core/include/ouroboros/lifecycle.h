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
/* A last full collection. Objects that are still referenced stay as they are, and the runtime can be
 * initialised again; with another refcount policy only if no object is left. Returns 0. */
PyAPI_FUNC(int) Py_FinalizeEx(void);
PyAPI_FUNC(void) Py_Finalize(void);

OURO_END_C

#endif
