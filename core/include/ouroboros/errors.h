/* Exception classes and the calling thread's error indicator. */
#ifndef OURO_ERRORS_H
#define OURO_ERRORS_H

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

/* Each replaces what is set. `type` is an exception class, borrowed. */
PyAPI_FUNC(void) PyErr_SetNone(PyObject* type);
PyAPI_FUNC(void) PyErr_SetObject(PyObject* type, PyObject* value);
/* The message is UTF-8 and is copied. */
PyAPI_FUNC(void) PyErr_SetString(PyObject* type, const char* message);
/* Formats with printf's conversions; returns NULL always. */
PyAPI_FUNC(PyObject*) PyErr_Format(PyObject* type, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets MemoryError; returns NULL always. Allocates nothing. */
PyAPI_FUNC(PyObject*) PyErr_NoMemory(void);
/* Sets SystemError for a wrong argument to a C function. */
PyAPI_FUNC(void) PyErr_BadInternalCall(void);

/* The class of the exception that is set (borrowed), or NULL. */
PyAPI_FUNC(PyObject*) PyErr_Occurred(void);
/* Whether the exception that is set is of that class (or one class of a tuple), or of one derived
 * from it. Something must be set. */
PyAPI_FUNC(int) PyErr_ExceptionMatches(PyObject* type);
PyAPI_FUNC(int) PyErr_GivenExceptionMatches(PyObject* given, PyObject* type);
PyAPI_FUNC(void) PyErr_Clear(void);

/* Takes what is set: new references, or NULLs; nothing is set afterwards. */
PyAPI_FUNC(void) PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback);
/* Sets it, stealing the references; NULL for all three clears. */
PyAPI_FUNC(void) PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback);

/* Prints the exception that is set, if any, on stderr and clears it. */
PyAPI_FUNC(void) PyErr_Print(void);
/* Hands the exception that is set, where nobody could handle it, to the unraisable hook
 * (Ouro_SetUnraisableHook; at first it prints on stderr), and clears it. `op`, which may be NULL, is
 * where it happened. */
PyAPI_FUNC(void) PyErr_WriteUnraisable(PyObject* op);

/* Prints the message and aborts. */
PyAPI_FUNC(void) Py_FatalError(const char* message) __attribute__((noreturn));

OURO_END_C

#endif
