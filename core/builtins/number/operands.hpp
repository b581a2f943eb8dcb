// How the operations of float and of complex take their operands.
#pragma once

#include "core/builtins/number/complex.hpp"

namespace ouro::number {

enum class Operand { kTaken, kNotImplemented, kError };

// The double that a float is or an int becomes. kError: with OverflowError.
inline Operand take_operand(PyObject* op, double* value) {
    if (PyFloat_Check(op)) {
        *value = PyFloat_AS_DOUBLE(op);
        return Operand::kTaken;
    }
    if (!PyLong_Check(op)) {
        return Operand::kNotImplemented;
    }
    *value = PyLong_AsDouble(op);
    return *value == -1.0 && PyErr_Occurred() != nullptr ? Operand::kError : Operand::kTaken;
}

// The same, a complex too.
inline Operand take_operand(PyObject* op, Py_complex* value) {
    if (PyComplex_Check(op)) {
        *value = complex_of(op);
        return Operand::kTaken;
    }
    value->imag = 0.0;
    return take_operand(op, &value->real);
}

// What `compute` makes of two operands; NotImplemented if one cannot be taken.
template <class Number, class Compute>
PyObject* compute_with(PyObject* a, PyObject* b, Compute compute) {
    Number x, y;
    Operand taken = take_operand(a, &x);
    if (taken == Operand::kTaken) {
        taken = take_operand(b, &y);
    }
    if (taken == Operand::kTaken) {
        return compute(x, y);
    }
    return taken == Operand::kError ? nullptr : Py_NewRef(Py_NotImplemented);
}

}  // namespace ouro::number
