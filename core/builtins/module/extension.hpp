// Modules in shared objects.
#pragma once

#include "core/builtins/module/initialise.hpp"

namespace ouro::module {

// Loads the file, which is checked first, and finds the init function of the module `name`, of which `last_name`
// comes after the last dot. The file stays loaded. nullptr with ImportError, whose name and path are set: for what
// is no shared object, was not compiled for this runtime, needs symbols that nobody has, or has no such
// function.
InitFunction open_extension(PyObject* name, PyObject* last_name, PyObject* file);

}  // namespace ouro::module
