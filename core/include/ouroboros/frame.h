/* What there is in CPython because of its interpreter and is not here: frames, code, functions written in Python,
 * generators, coroutines. Their types exist, so that an object can be asked whether it is one; it never is. What
 * returns one returns NULL, without an exception, as CPython does where no Python code runs. */
#ifndef OURO_FRAME_H
#define OURO_FRAME_H

#include "ouroboros/thread.h"
#include "ouroboros/typeobject.h"

OURO_BEGIN_C

typedef struct _frame PyFrameObject;
typedef struct PyCodeObject PyCodeObject;

PyAPI_DATA(PyTypeObject) PyFunction_Type;
PyAPI_DATA(PyTypeObject) PyCode_Type;
PyAPI_DATA(PyTypeObject) PyFrame_Type;
PyAPI_DATA(PyTypeObject) PyGen_Type;
PyAPI_DATA(PyTypeObject) PyCoro_Type;
PyAPI_DATA(PyTypeObject) PyAsyncGen_Type;
#define PyFunction_Check(op) Py_IS_TYPE((op), &PyFunction_Type)
#define PyCode_Check(op) Py_IS_TYPE((op), &PyCode_Type)
#define PyFrame_Check(op) Py_IS_TYPE((op), &PyFrame_Type)
#define PyGen_Check(op) PyObject_TypeCheck((op), &PyGen_Type)
#define PyGen_CheckExact(op) Py_IS_TYPE((op), &PyGen_Type)
#define PyCoro_CheckExact(op) Py_IS_TYPE((op), &PyCoro_Type)
#define PyAsyncGen_CheckExact(op) Py_IS_TYPE((op), &PyAsyncGen_Type)

/* NULL. */
PyAPI_FUNC(PyFrameObject*) PyEval_GetFrame(void);
PyAPI_FUNC(PyFrameObject*) PyThreadState_GetFrame(PyThreadState* state);
PyAPI_FUNC(PyObject*) PyEval_GetGlobals(void);
PyAPI_FUNC(PyObject*) PyEval_GetLocals(void);

OURO_END_C

#endif
