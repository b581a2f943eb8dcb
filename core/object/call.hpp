// What C++ code sees of calling beyond the public functions.
#pragma once

#include <cstddef>

#include "core/include/Python.h"

namespace ouro::object {

// Writes what repr() says of op into `text`, cut to `size` bytes. An exception that is set stays set; one
// that repr raises is dropped, and says no more than the type.
void describe(PyObject* op, char* text, size_t size);

}  // namespace ouro::object
