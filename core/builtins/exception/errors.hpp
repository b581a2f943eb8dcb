// What C++ code sees of the error indicator beyond the public functions.
#pragma once

#include "core/include/Python.h"

namespace ouro::exception {

// Sets an exception of class `type` whose cause and context is the one that is set.
void format_from_cause(PyObject* type, const char* format, ...);

}  // namespace ouro::exception
