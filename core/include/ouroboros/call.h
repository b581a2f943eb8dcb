/* Calling objects, and functions written in C. */
#ifndef OURO_CALL_H
#define OURO_CALL_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

/* Each returns a new reference, or NULL with an exception: TypeError if `callable` cannot be called,
 * SystemError if a C function broke the rule that a result means no exception and NULL means one. */
PyAPI_FUNC(PyObject*) PyObject_Call(PyObject* callable, PyObject* args, PyObject* kwargs);
PyAPI_FUNC(PyObject*) PyObject_CallObject(PyObject* callable, PyObject* args);
PyAPI_FUNC(PyObject*) PyObject_CallNoArgs(PyObject* callable);
PyAPI_FUNC(PyObject*) PyObject_CallOneArg(PyObject* callable, PyObject* arg);
/* The arguments end with NULL. */
PyAPI_FUNC(PyObject*) PyObject_CallFunctionObjArgs(PyObject* callable, ...);
PyAPI_FUNC(int) PyCallable_Check(PyObject* op);

typedef PyObject* (*PyCFunction)(PyObject* self, PyObject* args);
typedef PyObject* (*PyCFunctionWithKeywords)(PyObject* self, PyObject* args, PyObject* kwargs);

struct PyMethodDef {
    const char* ml_name;
    PyCFunction ml_meth;
    int ml_flags; /* one of METH_VARARGS, METH_VARARGS | METH_KEYWORDS, METH_NOARGS, METH_O */
    const char* ml_doc;
};

#define METH_VARARGS 0x0001
#define METH_KEYWORDS 0x0002
#define METH_NOARGS 0x0004
#define METH_O 0x0008

PyAPI_DATA(PyTypeObject) PyCFunction_Type;
#define PyCFunction_Check(op) PyObject_TypeCheck((op), &PyCFunction_Type)
/* A callable object; `method` must outlive it; `self` and `module` may be NULL. New reference. */
PyAPI_FUNC(PyObject*) PyCFunction_NewEx(PyMethodDef* method, PyObject* self, PyObject* module);
#define PyCFunction_New(method, self) PyCFunction_NewEx((method), (self), NULL)
/* Borrowed, perhaps NULL; SystemError if op is not a C function. */
PyAPI_FUNC(PyObject*) PyCFunction_GetSelf(PyObject* op);

OURO_END_C

#endif
