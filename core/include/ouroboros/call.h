/* Calling objects, and functions written in C. */
#ifndef OURO_CALL_H
#define OURO_CALL_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

/* Each call returns a new reference, or NULL with an exception: TypeError if `callable` cannot be called,
 * SystemError if a C function broke the rule that a result means no exception and NULL means one.
 * Arguments are borrowed. */

/* `args` is a tuple; `kwargs` is a dict with str keys, or NULL. */
PyAPI_FUNC(PyObject*) PyObject_Call(PyObject* callable, PyObject* args, PyObject* kwargs);
/* TypeError if `args` is neither a tuple nor NULL, which means no arguments. */
PyAPI_FUNC(PyObject*) PyObject_CallObject(PyObject* callable, PyObject* args);
PyAPI_FUNC(PyObject*) PyObject_CallNoArgs(PyObject* callable);
PyAPI_FUNC(PyObject*) PyObject_CallOneArg(PyObject* callable, PyObject* arg);
/* The arguments end with NULL. */
PyAPI_FUNC(PyObject*) PyObject_CallFunctionObjArgs(PyObject* callable, ...);
/* The arguments as Py_BuildValue makes them; if that is one tuple, its items. NULL or "": none. */
PyAPI_FUNC(PyObject*) PyObject_CallFunction(PyObject* callable, const char* format, ...);
PyAPI_FUNC(int) PyCallable_Check(PyObject* op);

/* The same of an attribute of `op`, found by its name, a str or UTF-8. */
PyAPI_FUNC(PyObject*) PyObject_CallMethod(PyObject* op, const char* name, const char* format, ...);
PyAPI_FUNC(PyObject*) PyObject_CallMethodObjArgs(PyObject* op, PyObject* name, ...);
PyAPI_FUNC(PyObject*) PyObject_CallMethodNoArgs(PyObject* op, PyObject* name);
PyAPI_FUNC(PyObject*) PyObject_CallMethodOneArg(PyObject* op, PyObject* name, PyObject* arg);

/* Vectorcall: the arguments are an array, the positional ones first, then the values of the keyword
 * arguments, whose names, a tuple of strs, are `kwnames` (NULL: none). `nargsf` counts the positional
 * ones; with the flag the callee may use args[-1], if it puts back what was there. A type whose flags
 * have Py_TPFLAGS_HAVE_VECTORCALL keeps the function in each object, at tp_vectorcall_offset. */
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#define PY_VECTORCALL_ARGUMENTS_OFFSET (OURO_CAST(size_t, 1) << (8 * sizeof(size_t) - 1))
static inline Py_ssize_t PyVectorcall_NARGS(size_t nargsf) {
    return OURO_CAST(Py_ssize_t, nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET);
}
/* The function of an object that has one, else NULL; no exception. */
PyAPI_FUNC(vectorcallfunc) PyVectorcall_Function(PyObject* callable);
/* For a tp_call: calls the object's function with what is in a tuple and a dict (or NULL). */
PyAPI_FUNC(PyObject*) PyVectorcall_Call(PyObject* callable, PyObject* args, PyObject* kwargs);
/* Calls anything: what has no vectorcall by its tp_call. */
PyAPI_FUNC(PyObject*) PyObject_Vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                                          PyObject* kwnames);
/* Calls the attribute `name` of args[0] with the arguments after it; `nargsf` counts args[0] too. The
 * callee may use args[0], if it puts it back. */
PyAPI_FUNC(PyObject*) PyObject_VectorcallMethod(PyObject* name, PyObject* const* args,
                                                size_t nargsf, PyObject* kwnames);
/* The same with the keyword arguments in a dict (or NULL). */
PyAPI_FUNC(PyObject*) PyObject_VectorcallDict(PyObject* callable, PyObject* const* args,
                                              size_t nargsf, PyObject* kwargs);

/* Older names of the same. */
#define PyEval_CallObject(callable, args) PyObject_CallObject((callable), (args))
#define PyEval_CallObjectWithKeywords(callable, args, kwargs) \
    PyObject_Call((callable), (args), (kwargs))
#define PyEval_CallFunction PyObject_CallFunction
#define PyEval_CallMethod PyObject_CallMethod
#define _PyObject_CallNoArg(callable) PyObject_CallNoArgs(callable)
#define _PyObject_Vectorcall PyObject_Vectorcall
#define _PyObject_VectorcallMethod PyObject_VectorcallMethod
#define _PyObject_FastCallDict PyObject_VectorcallDict
#define _PyVectorcall_Function PyVectorcall_Function
#define _Py_TPFLAGS_HAVE_VECTORCALL Py_TPFLAGS_HAVE_VECTORCALL

typedef PyObject* (*PyCFunction)(PyObject* self, PyObject* args);
typedef PyObject* (*PyCFunctionFast)(PyObject* self, PyObject* const* args, Py_ssize_t nargs);
typedef PyObject* (*PyCFunctionWithKeywords)(PyObject* self, PyObject* args, PyObject* kwargs);
typedef PyObject* (*PyCFunctionFastWithKeywords)(PyObject* self, PyObject* const* args,
                                                 Py_ssize_t nargs, PyObject* kwnames);
typedef PyObject* (*PyCMethod)(PyObject* self, PyTypeObject* defining_class, PyObject* const* args,
                               size_t nargs, PyObject* kwnames);
/* What they were called when they were CPython's own. */
typedef PyCFunctionFast _PyCFunctionFast;
typedef PyCFunctionFastWithKeywords _PyCFunctionFastWithKeywords;

/* Any function as ml_meth has it, without a warning of the compiler's. */
#define _PyCFunction_CAST(function) OURO_CAST(PyCFunction, OURO_CAST(void (*)(void), (function)))

struct PyMethodDef {
    const char* ml_name;
    PyCFunction ml_meth;
    int ml_flags;
    const char* ml_doc;
};

/* How ml_meth is called: VARARGS, VARARGS | KEYWORDS, FASTCALL, FASTCALL | KEYWORDS, METHOD | FASTCALL |
 * KEYWORDS, NOARGS or O. */
#define METH_VARARGS 0x0001
#define METH_KEYWORDS 0x0002
#define METH_NOARGS 0x0004
#define METH_O 0x0008
#define METH_FASTCALL 0x0080
#define METH_METHOD 0x0200
/* What a type's dictionary makes of it. */
#define METH_CLASS 0x0010
#define METH_STATIC 0x0020
#define METH_COEXIST 0x0040

typedef struct {
    PyObject_HEAD
    PyMethodDef* m_ml;
    PyObject* m_self;   /* NULL: none */
    PyObject* m_module; /* a str or anything, perhaps NULL */
    PyObject* m_weakreflist;
    vectorcallfunc vectorcall; /* NULL: METH_VARARGS, called by tp_call */
} PyCFunctionObject;

/* With METH_METHOD. */
typedef struct {
    PyCFunctionObject func;
    PyTypeObject* mm_class;
} PyCMethodObject;

PyAPI_DATA(PyTypeObject) PyCFunction_Type;
#define PyCFunction_Check(op) PyObject_TypeCheck((op), &PyCFunction_Type)
#define PyCFunction_CheckExact(op) Py_IS_TYPE((op), &PyCFunction_Type)
/* Derived from it. */
PyAPI_DATA(PyTypeObject) PyCMethod_Type;
#define PyCMethod_Check(op) PyObject_TypeCheck((op), &PyCMethod_Type)
#define PyCMethod_CheckExact(op) Py_IS_TYPE((op), &PyCMethod_Type)

/* A callable object; `method` must outlive it; `self` and `module` may be NULL; `type` is the defining
 * class with METH_METHOD, else NULL. New reference; NULL with SystemError for flags that contradict each
 * other or the class. */
PyAPI_FUNC(PyObject*)
    PyCMethod_New(PyMethodDef* method, PyObject* self, PyObject* module, PyTypeObject* type);
PyAPI_FUNC(PyObject*) PyCFunction_NewEx(PyMethodDef* method, PyObject* self, PyObject* module);
PyAPI_FUNC(PyObject*) PyCFunction_New(PyMethodDef* method, PyObject* self);

/* Of a C function; SystemError, with NULL or -1, of anything else. */
PyAPI_FUNC(PyCFunction) PyCFunction_GetFunction(PyObject* op);
/* Borrowed, perhaps NULL; with METH_STATIC always. */
PyAPI_FUNC(PyObject*) PyCFunction_GetSelf(PyObject* op);
PyAPI_FUNC(int) PyCFunction_GetFlags(PyObject* op);
/* PyObject_Call. */
PyAPI_FUNC(PyObject*) PyCFunction_Call(PyObject* callable, PyObject* args, PyObject* kwargs);

/* The same without a check. */
static inline PyCFunction PyCFunction_GET_FUNCTION(PyObject* op) {
    return OURO_CAST(PyCFunctionObject*, op)->m_ml->ml_meth;
}
static inline PyObject* PyCFunction_GET_SELF(PyObject* op) {
    PyCFunctionObject* function = OURO_CAST(PyCFunctionObject*, op);
    return (function->m_ml->ml_flags & METH_STATIC) != 0 ? NULL : function->m_self;
}
static inline int PyCFunction_GET_FLAGS(PyObject* op) {
    return OURO_CAST(PyCFunctionObject*, op)->m_ml->ml_flags;
}
/* Borrowed; NULL without METH_METHOD. */
static inline PyTypeObject* PyCFunction_GET_CLASS(PyObject* op) {
    return (PyCFunction_GET_FLAGS(op) & METH_METHOD) != 0
               ? OURO_CAST(PyCMethodObject*, op)->mm_class
               : NULL;
}
#define PyCFunction_GET_FUNCTION(op) PyCFunction_GET_FUNCTION(_PyObject_CAST(op))
#define PyCFunction_GET_SELF(op) PyCFunction_GET_SELF(_PyObject_CAST(op))
#define PyCFunction_GET_FLAGS(op) PyCFunction_GET_FLAGS(_PyObject_CAST(op))
#define PyCFunction_GET_CLASS(op) PyCFunction_GET_CLASS(_PyObject_CAST(op))

OURO_END_C

#endif
