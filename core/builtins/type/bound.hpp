// Callables that a class hands out in another way than functions.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// Borrowed. Pre: op is a staticmethod.
PyObject* callable_of_static_method(PyObject* op);

}  // namespace ouro::type
