// Importing: sys.modules, the search path, and what happens to a module that is found.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

// The list sys.path, as a program may have replaced it: borrowed; nullptr with MemoryError. At first it has
// the directories of the environment variables OURO_PATH and PYTHONPATH.
PyObject* search_path();

// The module of that name itself, imported with its packages if it is not yet. New reference, or nullptr with an
// exception. `name` is a str.
PyObject* import_absolute(PyObject* name);

// The full name of a module that a definition calls `name`, while its package's import makes it.
const char* name_in_package(const char* name);

// Makes the module that a shared object has under that name, whatever the search path says. New reference, or
// nullptr with an exception.
PyObject* import_file(PyObject* name, PyObject* file);

// Drops every module, first what holds them and then what they hold: at the end of the runtime.
void finish();

}  // namespace ouro::module
