// What the files of complex share.
#pragma once

#include "core/include/Python.h"

namespace ouro::number {

// Pre: op is a complex.
inline Py_complex complex_of(PyObject* op) {
    return reinterpret_cast<PyComplexObject*>(op)->cval;
}

// The slots of arithmetic (complex_arithmetic.cpp).
extern PyNumberMethods complex_as_number;

// New reference, or nullptr with ZeroDivisionError, OverflowError or MemoryError.
PyObject* complex_power_of(Py_complex base, Py_complex exponent);

// What an object's class makes of it by __complex__: a new reference to a complex, perhaps of a derived type, and
// true; nullptr and true where there is no such method; false with an exception.
bool ask_for_complex(PyObject* op, PyObject** value);

// tp_new (complex_new.cpp): complex(real=0, imag=0), or of a text.
PyObject* complex_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);

}  // namespace ouro::number
