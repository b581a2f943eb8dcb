/* The modules sys and builtins as C code uses them, and what is written to files. */
#ifndef OURO_SYSMODULE_H
#define OURO_SYSMODULE_H

#include "ouroboros/call.h"

OURO_BEGIN_C

/* An attribute of sys: borrowed; NULL, without an exception, if there is none. */
PyAPI_FUNC(PyObject*) PySys_GetObject(const char* name);
/* Sets one, or removes it (NULL). 0, or -1 with an exception. */
PyAPI_FUNC(int) PySys_SetObject(const char* name, PyObject* value);

/* To sys.stdout or sys.stderr or, where that is not possible, to the C library's: as printf formats it, and cut
 * off after 1000 bytes. An exception that is set stays so; none is set. */
PyAPI_FUNC(void) PySys_WriteStdout(const char* format, ...) __attribute__((format(printf, 1, 2)));
PyAPI_FUNC(void) PySys_WriteStderr(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* The same as PyUnicode_FromFormat formats it, of any length. */
PyAPI_FUNC(void) PySys_FormatStdout(const char* format, ...);
PyAPI_FUNC(void) PySys_FormatStderr(const char* format, ...);

/* Calls the file's method `write` with str() of an object with Py_PRINT_RAW, else its repr(). 0, or -1 with an
 * exception. */
#ifndef Py_PRINT_RAW
#define Py_PRINT_RAW 1
#endif
PyAPI_FUNC(int) PyFile_WriteObject(PyObject* op, PyObject* file, int flags);
/* Writes nothing and returns -1 if an exception is set. */
PyAPI_FUNC(int) PyFile_WriteString(const char* text, PyObject* file);

/* The same to a file of the C library. Flags as above. */
PyAPI_FUNC(int) PyObject_Print(PyObject* op, FILE* file, int flags);

/* Texts for ever. */
PyAPI_FUNC(const char*) Py_GetVersion(void);
PyAPI_FUNC(const char*) Py_GetPlatform(void);
PyAPI_FUNC(const char*) Py_GetCompiler(void);
PyAPI_FUNC(const char*) Py_GetBuildInfo(void);
PyAPI_FUNC(const char*) Py_GetCopyright(void);
/* PY_VERSION_HEX. */
PyAPI_DATA(const unsigned long) Py_Version;

/* The dictionary of the module builtins: borrowed, or a new reference; NULL with an exception. */
PyAPI_FUNC(PyObject*) PyEval_GetBuiltins(void);
PyAPI_FUNC(PyObject*) PyEval_GetFrameBuiltins(void);

OURO_END_C

#endif
