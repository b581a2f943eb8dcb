/* The calling thread's error indicator. */
#ifndef OURO_ERRORS_H
#define OURO_ERRORS_H

#include "ouroboros/object.h"

OURO_BEGIN_C

PyAPI_DATA(PyObject*) PyExc_BaseException;
PyAPI_DATA(PyObject*) PyExc_Exception;
PyAPI_DATA(PyObject*) PyExc_ArithmeticError;
PyAPI_DATA(PyObject*) PyExc_LookupError;
PyAPI_DATA(PyObject*) PyExc_TypeError;
PyAPI_DATA(PyObject*) PyExc_ValueError;
PyAPI_DATA(PyObject*) PyExc_IndexError;
PyAPI_DATA(PyObject*) PyExc_KeyError;
PyAPI_DATA(PyObject*) PyExc_OverflowError;
PyAPI_DATA(PyObject*) PyExc_RuntimeError;
PyAPI_DATA(PyObject*) PyExc_SystemError;
PyAPI_DATA(PyObject*) PyExc_MemoryError;

/* Sets the indicator to an exception class (borrowed) and a message in UTF-8 (copied). */
PyAPI_FUNC(void) PyErr_SetString(PyObject* type, const char* message);
/* Formats with printf's conversions; returns NULL always. */
PyAPI_FUNC(PyObject*) PyErr_Format(PyObject* type, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/* The class of the exception that is set (borrowed), or NULL. */
PyAPI_FUNC(PyObject*) PyErr_Occurred(void);
/* Whether the exception that is set is of that class or of one derived from it. */
PyAPI_FUNC(int) PyErr_ExceptionMatches(PyObject* type);
PyAPI_FUNC(void) PyErr_Clear(void);
/* Sets MemoryError; returns NULL always. Allocates nothing. */
PyAPI_FUNC(PyObject*) PyErr_NoMemory(void);
/* Prints the exception that is set, if any, on stderr and clears it. */
PyAPI_FUNC(void) PyErr_Print(void);
/* Reports the exception that is set, where nobody could handle it, on stderr, and clears it. `op` is
 * where it happened. */
PyAPI_FUNC(void) PyErr_WriteUnraisable(PyObject* op);

/* Prints the message and aborts. */
PyAPI_FUNC(void) Py_FatalError(const char* message) __attribute__((noreturn));

OURO_END_C

#endif
