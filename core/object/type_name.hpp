// What types are called in messages.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

// The name of a type with its module. A new str, or nullptr with MemoryError.
PyObject* full_name_of(PyTypeObject* type);

}  // namespace ouro::object
