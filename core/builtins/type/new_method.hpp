// __new__ of types in C: a function that calls tp_new, if it may.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// Puts it into the dictionary of a type that has tp_new, unless there is one. False with an exception.
bool add_new_method(PyTypeObject* type);

// Whether an object is such a function, of whatever type.
bool is_new_method(PyObject* op);

}  // namespace ouro::type
