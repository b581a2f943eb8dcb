/* Exception classes and the calling thread's error indicator. */
#ifndef OURO_ERRORS_H
#define OURO_ERRORS_H

#include <stdarg.h>

#include "ouroboros/object.h"

OURO_BEGIN_C

/* The standard classes and their bases. */
#define OURO_EXCEPTIONS(X)                     \
    X(Exception, BaseException)                \
    X(GeneratorExit, BaseException)            \
    X(KeyboardInterrupt, BaseException)        \
    X(SystemExit, BaseException)               \
    X(ArithmeticError, Exception)              \
    X(FloatingPointError, ArithmeticError)     \
    X(OverflowError, ArithmeticError)          \
    X(ZeroDivisionError, ArithmeticError)      \
    X(AssertionError, Exception)               \
    X(AttributeError, Exception)               \
    X(BufferError, Exception)                  \
    X(EOFError, Exception)                     \
    X(ImportError, Exception)                  \
    X(ModuleNotFoundError, ImportError)        \
    X(LookupError, Exception)                  \
    X(IndexError, LookupError)                 \
    X(KeyError, LookupError)                   \
    X(MemoryError, Exception)                  \
    X(NameError, Exception)                    \
    X(UnboundLocalError, NameError)            \
    X(OSError, Exception)                      \
    X(BlockingIOError, OSError)                \
    X(ChildProcessError, OSError)              \
    X(ConnectionError, OSError)                \
    X(BrokenPipeError, ConnectionError)        \
    X(ConnectionAbortedError, ConnectionError) \
    X(ConnectionRefusedError, ConnectionError) \
    X(ConnectionResetError, ConnectionError)   \
    X(FileExistsError, OSError)                \
    X(FileNotFoundError, OSError)              \
    X(InterruptedError, OSError)               \
    X(IsADirectoryError, OSError)              \
    X(NotADirectoryError, OSError)             \
    X(PermissionError, OSError)                \
    X(ProcessLookupError, OSError)             \
    X(TimeoutError, OSError)                   \
    X(ReferenceError, Exception)               \
    X(RuntimeError, Exception)                 \
    X(NotImplementedError, RuntimeError)       \
    X(RecursionError, RuntimeError)            \
    X(StopAsyncIteration, Exception)           \
    X(StopIteration, Exception)                \
    X(SyntaxError, Exception)                  \
    X(IndentationError, SyntaxError)           \
    X(TabError, IndentationError)              \
    X(SystemError, Exception)                  \
    X(TypeError, Exception)                    \
    X(ValueError, Exception)                   \
    X(UnicodeError, ValueError)                \
    X(UnicodeDecodeError, UnicodeError)        \
    X(UnicodeEncodeError, UnicodeError)        \
    X(UnicodeTranslateError, UnicodeError)     \
    X(Warning, Exception)                      \
    X(BytesWarning, Warning)                   \
    X(DeprecationWarning, Warning)             \
    X(EncodingWarning, Warning)                \
    X(FutureWarning, Warning)                  \
    X(ImportWarning, Warning)                  \
    X(PendingDeprecationWarning, Warning)      \
    X(ResourceWarning, Warning)                \
    X(RuntimeWarning, Warning)                 \
    X(SyntaxWarning, Warning)                  \
    X(UnicodeWarning, Warning)                 \
    X(UserWarning, Warning)

PyAPI_DATA(PyObject*) PyExc_BaseException;
#define X(name, base) PyAPI_DATA(PyObject*) PyExc_##name;
OURO_EXCEPTIONS(X)
#undef X

/* The same class. */
PyAPI_DATA(PyObject*) PyExc_EnvironmentError;
PyAPI_DATA(PyObject*) PyExc_IOError;

/* A thread has at most one exception set: an instance. Each of the following makes one of class `type`,
 * borrowed, and sets it instead of what was set; its context is the exception being handled
 * (PyErr_GetHandledException), if any. What is not a class of exceptions is a SystemError; where memory
 * is out MemoryError is set, and whatever the class itself raises. None of them is a safepoint, but for
 * code of the class's own. */
PyAPI_FUNC(void) PyErr_SetNone(PyObject* type);
/* With `value` as its one argument; a tuple gives all arguments, NULL and None none, and an instance of
 * the class is taken itself. */
PyAPI_FUNC(void) PyErr_SetObject(PyObject* type, PyObject* value);
/* The message is UTF-8 and is copied. */
PyAPI_FUNC(void) PyErr_SetString(PyObject* type, const char* message);
/* Formats as PyUnicode_FromFormat does; returns NULL always. */
PyAPI_FUNC(PyObject*) PyErr_Format(PyObject* type, const char* format, ...);
PyAPI_FUNC(PyObject*) PyErr_FormatV(PyObject* type, const char* format, va_list arguments);
/* Sets MemoryError; returns NULL always. Allocates nothing: there are 16 instances for it, and where all
 * are in use one more, which everybody shares and which keeps nothing that it is given. */
PyAPI_FUNC(PyObject*) PyErr_NoMemory(void);
/* Sets TypeError for an argument of a wrong type; returns 0 always. */
PyAPI_FUNC(int) PyErr_BadArgument(void);
/* Sets SystemError for a wrong argument to a C function, with the place of the call. */
PyAPI_FUNC(void) _PyErr_BadInternalCall(const char* file, int line);
PyAPI_FUNC(void) PyErr_BadInternalCall(void);
#define PyErr_BadInternalCall() _PyErr_BadInternalCall(__FILE__, __LINE__)

/* Sets what `type`, OSError or derived from it, makes of errno: of OSError itself its subclass for that
 * number. The file names may be NULL. Returns NULL always. */
PyAPI_FUNC(PyObject*) PyErr_SetFromErrno(PyObject* type);
PyAPI_FUNC(PyObject*) PyErr_SetFromErrnoWithFilename(PyObject* type, const char* file);
PyAPI_FUNC(PyObject*) PyErr_SetFromErrnoWithFilenameObject(PyObject* type, PyObject* file);
PyAPI_FUNC(PyObject*)
    PyErr_SetFromErrnoWithFilenameObjects(PyObject* type, PyObject* file, PyObject* file2);
/* Sets an ImportError, or the class derived from it, with that message, name and path; the latter two may
 * be NULL. Returns NULL always. */
PyAPI_FUNC(PyObject*) PyErr_SetImportError(PyObject* message, PyObject* name, PyObject* path);
PyAPI_FUNC(PyObject*)
    PyErr_SetImportErrorSubclass(PyObject* type, PyObject* message, PyObject* name, PyObject* path);

/* Errors of encoding, decoding and translating text, whose class is given by the name: the text or bytes,
 * the part of it (kept inside the object) and the reason. New references; -1 or NULL with TypeError if the
 * field is none yet. Setting is 0, or -1 with an exception. */
#define OURO_TEXT_ERRORS(X) \
    X(EncodeError)          \
    X(DecodeError)          \
    X(TranslateError)
#define X(Name)                                                                  \
    PyAPI_FUNC(PyObject*) PyUnicode##Name##_GetObject(PyObject* op);             \
    PyAPI_FUNC(int) PyUnicode##Name##_GetStart(PyObject* op, Py_ssize_t* start); \
    PyAPI_FUNC(int) PyUnicode##Name##_SetStart(PyObject* op, Py_ssize_t start);  \
    PyAPI_FUNC(int) PyUnicode##Name##_GetEnd(PyObject* op, Py_ssize_t* end);     \
    PyAPI_FUNC(int) PyUnicode##Name##_SetEnd(PyObject* op, Py_ssize_t end);      \
    PyAPI_FUNC(PyObject*) PyUnicode##Name##_GetReason(PyObject* op);             \
    PyAPI_FUNC(int) PyUnicode##Name##_SetReason(PyObject* op, const char* reason);
OURO_TEXT_ERRORS(X)
#undef X
PyAPI_FUNC(PyObject*) PyUnicodeEncodeError_GetEncoding(PyObject* op);
PyAPI_FUNC(PyObject*) PyUnicodeDecodeError_GetEncoding(PyObject* op);
/* A UnicodeDecodeError, not set; new reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*)
    PyUnicodeDecodeError_Create(const char* encoding, const char* object, Py_ssize_t length,
                                Py_ssize_t start, Py_ssize_t end, const char* reason);

/* The class of the exception that is set (borrowed), or NULL. */
PyAPI_FUNC(PyObject*) PyErr_Occurred(void);
/* Whether the exception that is set is of that class (or one class of a tuple), or of one derived
 * from it. Something must be set. */
PyAPI_FUNC(int) PyErr_ExceptionMatches(PyObject* type);
/* The same of an instance or a class. */
PyAPI_FUNC(int) PyErr_GivenExceptionMatches(PyObject* given, PyObject* type);
PyAPI_FUNC(void) PyErr_Clear(void);

/* Takes what is set: a new reference, or NULL; nothing is set afterwards. */
PyAPI_FUNC(PyObject*) PyErr_GetRaisedException(void);
/* Sets that instance, stealing the reference; NULL clears. */
PyAPI_FUNC(void) PyErr_SetRaisedException(PyObject* exception);
/* The older form: class, instance, traceback; new references, or NULLs. */
PyAPI_FUNC(void) PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback);
/* Sets it, stealing the references; NULL for all three clears. A value that is no instance of just that
 * class is made one, as in PyErr_SetObject. */
PyAPI_FUNC(void) PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback);
/* Makes *value an instance of *type, where the two come from elsewhere than PyErr_Fetch. What that
 * raises takes their place. */
PyAPI_FUNC(void) PyErr_NormalizeException(PyObject** type, PyObject** value, PyObject** traceback);

/* The exception that the calling thread handles, which is what it says it is: a new reference, or
 * NULL. */
PyAPI_FUNC(PyObject*) PyErr_GetHandledException(void);
/* Does not steal; NULL and None: none. */
PyAPI_FUNC(void) PyErr_SetHandledException(PyObject* exception);
/* The older form; new references. Where there is none: None, NULL, None. */
PyAPI_FUNC(void) PyErr_GetExcInfo(PyObject** type, PyObject** value, PyObject** traceback);
/* Steals all three; class and traceback are the instance's own. */
PyAPI_FUNC(void) PyErr_SetExcInfo(PyObject* type, PyObject* value, PyObject* traceback);

/* Prints the exception that is set, if any, on stderr and clears it, with what it was caused by and
 * while what was handled it was raised, and its notes. SystemExit ends the process. */
PyAPI_FUNC(void) PyErr_Print(void);
/* There is no sys.last_exc to be set. */
PyAPI_FUNC(void) PyErr_PrintEx(int set_sys_last_vars);
/* Prints an exception that is not set. */
PyAPI_FUNC(void) PyErr_DisplayException(PyObject* exception);
/* Hands the exception that is set, where nobody could handle it, to the unraisable hook
 * (Ouro_SetUnraisableHook; at first it prints on stderr), and clears it. `op`, which may be NULL, is
 * where it happened. */
PyAPI_FUNC(void) PyErr_WriteUnraisable(PyObject* op);
/* The same with a text instead of an object, for the first hook to print; NULL: none. */
PyAPI_FUNC(void) PyErr_FormatUnraisable(const char* format, ...);

/* Prints a warning on stderr. There are no filters, and there is no Python code for stack_level to find.
 * The category is a class of exceptions; NULL: RuntimeWarning. 0, or -1 with an exception. */
PyAPI_FUNC(int) PyErr_WarnEx(PyObject* category, const char* message, Py_ssize_t stack_level);
PyAPI_FUNC(int)
    PyErr_WarnFormat(PyObject* category, Py_ssize_t stack_level, const char* format, ...);
/* The same for a place in a source, which is printed in front, too; a registry of warnings is ignored. */
PyAPI_FUNC(int) PyErr_WarnExplicitObject(PyObject* category, PyObject* message, PyObject* file,
                                         int line, PyObject* module, PyObject* registry);
PyAPI_FUNC(int) PyErr_WarnExplicit(PyObject* category, const char* message, const char* file,
                                   int line, const char* module, PyObject* registry);
/* The oldest form. */
#define PyErr_Warn(category, message) PyErr_WarnEx((category), (message), 1)
/* A ResourceWarning about `source`. */
PyAPI_FUNC(int)
    PyErr_ResourceWarning(PyObject* source, Py_ssize_t stack_level, const char* format, ...);

/* A safepoint, at which a collection may run. There are no signal handlers: 0. */
PyAPI_FUNC(int) PyErr_CheckSignals(void);

/* A new class of exceptions; `name` is "module.Class" and is copied. `base` is a class (NULL: Exception) or a
 * tuple of classes; `dict`, which may be NULL, has its attributes, and gets __module__ if it lacks it. New
 * reference, or NULL with SystemError for a name without a module, or what type() raised. */
PyAPI_FUNC(PyObject*) PyErr_NewException(const char* name, PyObject* base, PyObject* dict);
/* With a documentation, copied; NULL: none. */
PyAPI_FUNC(PyObject*)
    PyErr_NewExceptionWithDoc(const char* name, const char* doc, PyObject* base, PyObject* dict);

/* How deep calls that count themselves may nest on each thread; 1000 at first. */
PyAPI_FUNC(int) Py_GetRecursionLimit(void);
PyAPI_FUNC(void) Py_SetRecursionLimit(int limit);
/* 0, to be matched by a Py_LeaveRecursiveCall; or -1, too deep, with RecursionError: `where`, which begins
 * with a space, ends its message. */
PyAPI_FUNC(int) Py_EnterRecursiveCall(const char* where);
PyAPI_FUNC(void) Py_LeaveRecursiveCall(void);

/* Around showing a container, whose items may lead back to it: 0, to be matched by a Py_ReprLeave; 1 if the
 * calling thread is showing the object already; or -1 with MemoryError. */
PyAPI_FUNC(int) Py_ReprEnter(PyObject* op);
PyAPI_FUNC(void) Py_ReprLeave(PyObject* op);

/* Prints the message and aborts. */
PyAPI_FUNC(void) Py_FatalError(const char* message) __attribute__((noreturn));

OURO_END_C

#endif
