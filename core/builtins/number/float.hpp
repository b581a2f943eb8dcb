// What the files of float share.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::number {

// The slots of arithmetic (float_arithmetic.cpp).
extern PyNumberMethods float_as_number;

// What op's nb_float gives: a float, perhaps of a derived type. New reference, or nullptr with an exception:
// TypeError if it is none. Pre: there is one.
PyObject* real_of(PyObject* op);

// tp_repr: the shortest decimal that reads as the same double.
PyObject* float_repr(PyObject* op);

// The hash of a number of that value; if it is none, that of the object which has it.
Py_hash_t hash_of_double(double value, PyObject* op);

// The double that the whole text says, the nearest one; false if it is no number. Throws std::bad_alloc.
bool read_number(std::string_view text, double* value);

// What float(text) is; `source`, what the text is of, is shown in the ValueError. New reference, or nullptr
// with an exception.
PyObject* parse_float(std::string_view text, PyObject* source);

}  // namespace ouro::number
