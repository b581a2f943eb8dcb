/* Contexts: what context variables are set to. Each thread has a context that is current; it has an empty one at
 * first. Source: "Context Variables Objects" in the C API documentation.
 *
 * A function that returns an object returns a new reference, or NULL with an exception: TypeError for an argument of
 * another type, MemoryError. One that returns int returns 0, or -1 with an exception. */
#ifndef OURO_CONTEXT_H
#define OURO_CONTEXT_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

typedef struct _pycontextobject PyContext;
typedef struct _pycontextvarobject PyContextVar;
typedef struct _pycontexttokenobject PyContextToken;

/* Mappings of variables to values: Context(), and what copy_context() makes. */
PyAPI_DATA(PyTypeObject) PyContext_Type;
/* ContextVar(name, *, default). */
PyAPI_DATA(PyTypeObject) PyContextVar_Type;
/* What a variable was set to before it was set. */
PyAPI_DATA(PyTypeObject) PyContextToken_Type;
#define PyContext_CheckExact(op) Py_IS_TYPE((op), &PyContext_Type)
#define PyContextVar_CheckExact(op) Py_IS_TYPE((op), &PyContextVar_Type)
#define PyContextToken_CheckExact(op) Py_IS_TYPE((op), &PyContextToken_Type)

/* An empty one; one with what another one has now; one with what the calling thread's has. Copies take time that does
 * not depend on how many variables are set. */
PyAPI_FUNC(PyObject*) PyContext_New(void);
PyAPI_FUNC(PyObject*) PyContext_Copy(PyObject* context);
PyAPI_FUNC(PyObject*) PyContext_CopyCurrent(void);

/* Makes a context the calling thread's until it is exited. RuntimeError if it was entered, by any thread, and not
 * exited. */
PyAPI_FUNC(int) PyContext_Enter(PyObject* context);
/* Makes the context that was current when this one was entered current again. RuntimeError if this one is not the
 * calling thread's. */
PyAPI_FUNC(int) PyContext_Exit(PyObject* context);

/* A variable with that name; `value`, unless it is NULL, is what it is where it is not set. */
PyAPI_FUNC(PyObject*) PyContextVar_New(const char* name, PyObject* value);
/* *value, a new reference: what the variable is set to; where it is not set, `otherwise`; where that is NULL, the
 * variable's default; where it has none, NULL. 0 in all these cases; *value is NULL in case of an error. */
PyAPI_FUNC(int) PyContextVar_Get(PyObject* var, PyObject* otherwise, PyObject** value);
/* Sets it in the calling thread's context, and returns a token for _Reset. Takes time in proportion to the variables
 * that are set. */
PyAPI_FUNC(PyObject*) PyContextVar_Set(PyObject* var, PyObject* value);
/* Sets the variable to what it was before the _Set that returned the token. ValueError if that was of another variable
 * or in another context, RuntimeError if the token was used before. */
PyAPI_FUNC(int) PyContextVar_Reset(PyObject* var, PyObject* token);

/* What watchers are told: another context is current; op is that, or None. Borrowed. 0; or -1 with an exception, which
 * goes to sys.unraisablehook. */
typedef enum { Py_CONTEXT_SWITCHED = 1 } PyContextEvent;
typedef int (*PyContext_WatchCallback)(PyContextEvent event, PyObject* op);
/* An identifier of the callback; -1 with RuntimeError when there are eight. They are forgotten at the end of the
 * runtime. */
PyAPI_FUNC(int) PyContext_AddWatcher(PyContext_WatchCallback callback);
/* ValueError if there is none of that identifier. */
PyAPI_FUNC(int) PyContext_ClearWatcher(int watcher_id);

OURO_END_C

#endif
