// The number protocol for those who have something else to try where numbers have no answer.
#pragma once

#include "core/include/Python.h"

namespace ouro::number {

// What the slots of the two types make of an operation: a new reference, NotImplemented if neither has it for
// the other, or nullptr with an exception.
PyObject* try_binary(PyObject* x, PyObject* y, binaryfunc PyNumberMethods::*slot);
// The same for x += y and so on: the left operand's slot in place comes first.
PyObject* try_in_place(PyObject* x, PyObject* y, binaryfunc PyNumberMethods::*in_place,
                       binaryfunc PyNumberMethods::*slot);

}  // namespace ouro::number
