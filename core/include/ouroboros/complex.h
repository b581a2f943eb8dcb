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

/* Arithmetic of C values. Division by zero: EDOM in errno, and zero; a power that is too large: ERANGE. The caller need
 * not be attached. */
PyAPI_FUNC(Py_complex) _Py_c_sum(Py_complex a, Py_complex b);
PyAPI_FUNC(Py_complex) _Py_c_diff(Py_complex a, Py_complex b);
PyAPI_FUNC(Py_complex) _Py_c_neg(Py_complex a);
PyAPI_FUNC(Py_complex) _Py_c_prod(Py_complex a, Py_complex b);
PyAPI_FUNC(Py_complex) _Py_c_quot(Py_complex a, Py_complex b);
PyAPI_FUNC(Py_complex) _Py_c_pow(Py_complex a, Py_complex b);

OURO_END_C

#endif
