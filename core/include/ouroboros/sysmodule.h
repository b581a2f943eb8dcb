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

/* A line of a file that is an object, by its method `readline`: of any length (0), of at most that many characters, or
 * (negative) without the newline at its end, and EOFError if there is none. New reference; NULL with an exception. */
PyAPI_FUNC(PyObject*) PyFile_GetLine(PyObject* file, int limit);
/* fopen of a path, which is a str, bytes or has __fspath__: NULL with OSError or what the path raised. And fclose. */
PyAPI_FUNC(FILE*) Py_fopen(PyObject* path, const char* mode);
PyAPI_FUNC(int) Py_fclose(FILE* file);
/* Whether a person may be at the other end. */
PyAPI_FUNC(int) Py_FdIsInteractive(FILE* file, const char* name);

/* An event that hooks are told of, with arguments by a format of Py_BuildValue, or as a tuple (NULL: none): 0, or -1 if
 * a hook returned -1, with its exception. */
typedef int (*Py_AuditHookFunction)(const char* event, PyObject* arguments, void* data);
PyAPI_FUNC(int) PySys_Audit(const char* event, const char* format, ...);
PyAPI_FUNC(int) PySys_AuditTuple(const char* event, PyObject* arguments);
/* A hook for the rest of the process, called with the arguments as a tuple. The caller need not be attached. 0; -1 if
 * there are 16 already, or no memory. */
PyAPI_FUNC(int) PySys_AddAuditHook(Py_AuditHookFunction hook, void* data);

/* Ends the runtime and the process, with that status. */
PyAPI_FUNC(void) Py_Exit(int status) __attribute__((noreturn));
/* What a signal does: as signal(). The caller need not be attached. */
typedef void (*PyOS_sighandler_t)(int);
PyAPI_FUNC(PyOS_sighandler_t) PyOS_getsig(int number);
PyAPI_FUNC(PyOS_sighandler_t) PyOS_setsig(int number, PyOS_sighandler_t handler);

/* UTF-8, which is the encoding of names and arguments here, as wide characters, and back: PyMem_RawMalloc's, and
 * PyMem_Malloc's. What is no UTF-8 becomes surrogates. NULL without memory, *size (-1); or, of what cannot be encoded, where it is. */
PyAPI_FUNC(wchar_t*) Py_DecodeLocale(const char* text, size_t* size);
PyAPI_FUNC(char*) Py_EncodeLocale(const wchar_t* text, size_t* error_place);

/* What the runtime was started with, by CPython's names of options (few of which mean anything here): new reference,
 * or NULL with ValueError for another name. _GetInt: 0; or -1 with that, or TypeError. _Set: for those that are an
 * attribute of sys, too; of all others -1 with ValueError. _Names: a frozenset. */
PyAPI_FUNC(PyObject*) PyConfig_Get(const char* name);
PyAPI_FUNC(int) PyConfig_GetInt(const char* name, int* value);
PyAPI_FUNC(int) PyConfig_Set(const char* name, PyObject* value);
PyAPI_FUNC(PyObject*) PyConfig_Names(void);

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
