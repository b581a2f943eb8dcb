/* Exceptions as objects. Source: "Exception Objects" in the C API documentation. */
#ifndef OURO_EXCEPTION_H
#define OURO_EXCEPTION_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

/* What every instance begins with. Each field owns a reference or is NULL. */
#define PyException_HEAD                                      \
    PyObject_HEAD                                             \
    PyObject* dict;                                           \
    PyObject* args;  /* a tuple */                            \
    PyObject* notes; /* not used: notes are in the dict */    \
    PyObject* traceback;                                      \
    PyObject* context; /* what was handled when it was set */ \
    PyObject* cause;                                          \
    char suppress_context;

typedef struct {
    PyException_HEAD
} PyBaseExceptionObject;

typedef struct {
    PyException_HEAD
    PyObject* code;
} PySystemExitObject;

typedef struct {
    PyException_HEAD
    PyObject* value;
} PyStopIterationObject;

typedef struct {
    PyException_HEAD
    PyObject* msg;
    PyObject* name;
    PyObject* path;
    PyObject* name_from;
} PyImportErrorObject;

typedef struct {
    PyException_HEAD
    PyObject* obj;
    PyObject* name;
} PyAttributeErrorObject;

typedef struct {
    PyException_HEAD
    PyObject* name;
} PyNameErrorObject;

typedef struct {
    PyException_HEAD
    PyObject* myerrno;
    PyObject* strerror;
    PyObject* filename;
    PyObject* filename2;
    Py_ssize_t written; /* only of BlockingIOError; -1: not told */
} PyOSErrorObject;

typedef struct {
    PyException_HEAD
    PyObject* encoding;
    PyObject* object;
    Py_ssize_t start;
    Py_ssize_t end;
    PyObject* reason;
} PyUnicodeErrorObject;

#define PyExceptionClass_Check(op) \
    (PyType_Check(op) &&           \
     PyType_FastSubclass(OURO_CAST(PyTypeObject*, (op)), Py_TPFLAGS_BASE_EXC_SUBCLASS))
#define PyExceptionInstance_Check(op) PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_BASE_EXC_SUBCLASS)
#define PyExceptionInstance_Class(op) OURO_CAST(PyObject*, Py_TYPE(op))
/* Borrowed from the class. */
PyAPI_FUNC(const char*) PyExceptionClass_Name(PyObject* type);
#define PyExceptionClass_Name(op) PyExceptionClass_Name(_PyObject_CAST(op))

/* Each a new reference, or NULL without an exception. */
PyAPI_FUNC(PyObject*) PyException_GetTraceback(PyObject* exception);
PyAPI_FUNC(PyObject*) PyException_GetContext(PyObject* exception);
PyAPI_FUNC(PyObject*) PyException_GetCause(PyObject* exception);
/* Does not steal; None: none. 0, or -1 with TypeError for what is no traceback. */
PyAPI_FUNC(int) PyException_SetTraceback(PyObject* exception, PyObject* traceback);
/* Each steals an exception or NULL. With a cause, NULL too, the context is not printed. */
PyAPI_FUNC(void) PyException_SetContext(PyObject* exception, PyObject* context);
PyAPI_FUNC(void) PyException_SetCause(PyObject* exception, PyObject* cause);
/* A tuple (new reference). */
PyAPI_FUNC(PyObject*) PyException_GetArgs(PyObject* exception);
/* Does not steal. */
PyAPI_FUNC(void) PyException_SetArgs(PyObject* exception, PyObject* args);

/* Nothing makes a traceback: there is no Python code. */
PyAPI_DATA(PyTypeObject) PyTraceBack_Type;
#define PyTraceBack_Check(op) Py_IS_TYPE((op), &PyTraceBack_Type)

OURO_END_C

#endif
