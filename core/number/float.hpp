// What the files of float share.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::object {

// The slots of arithmetic (float_arithmetic.cpp).
extern PyNumberMethods float_as_number;

// What op's nb_float gives: a float, perhaps of a derived type. New reference, or nullptr with an exception:
// TypeError if it is none. Pre: there is one.
PyObject* real_of(PyObject* op);

// tp_repr: the shortest decimal that reads as the same double.
PyObject* float_repr(PyObject* op);

// What float(text) is; `source`, what the text is of, is shown in the ValueError. New reference, or nullptr
// with an exception.
PyObject* parse_float(std::string_view text, PyObject* source);

}  // namespace ouro::object
