// Methods that the protocols ask a class for by name.
#pragma once

#include "core/include/Python.h"

namespace ouro::protocol {

// A method of the object's class, bound to the object, whose own attributes do not matter: 1 and a new
// reference; 0 and nullptr if there is none; -1 and nullptr with an exception.
int special_method(PyObject* op, const char* name, PyObject** result);

// What an index that is an object means: -1 with IndexError where no sequence is so long.
Py_ssize_t index_of_key(PyObject* key);

// Whether one of the items that an iterable gives equals the value: 1, 0, or -1 with an exception.
int contains_by_iteration(PyObject* op, PyObject* value);

}  // namespace ouro::protocol
