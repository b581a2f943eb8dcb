/* complex. */
#ifndef OURO_COMPLEX_H
#define OURO_COMPLEX_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

typedef struct {
    double real;
    double imag;
} Py_complex;

typedef struct {
    PyObject_HEAD
    Py_complex cval;
} PyComplexObject;

PyAPI_DATA(PyTypeObject) PyComplex_Type;
#define PyComplex_Check(op) PyObject_TypeCheck((op), &PyComplex_Type)
#define PyComplex_CheckExact(op) Py_IS_TYPE((op), &PyComplex_Type)

/* New references, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyComplex_FromCComplex(Py_complex value);
PyAPI_FUNC(PyObject*) PyComplex_FromDoubles(double real, double imag);

/* The value of a complex, of what __complex__ gives, or of what PyFloat_AsDouble takes, and its parts. With an
 * exception -1, or a real part of -1. */
PyAPI_FUNC(Py_complex) PyComplex_AsCComplex(PyObject* op);
PyAPI_FUNC(double) PyComplex_RealAsDouble(PyObject* op);
PyAPI_FUNC(double) PyComplex_ImagAsDouble(PyObject* op);

OURO_END_C

#endif
