// From a module's init function to a module.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

using InitFunction = PyObject* (*)();

// Calls the init function of the module that a spec describes. Returns the module, which is not executed yet
// if it is made in two phases; nullptr with an exception: what the function raised, or SystemError for a
// function that does not keep its rules. `last_name` is the module's name without its packages.
PyObject* create(InitFunction init, PyObject* spec, const char* last_name);

// Executes a module that was made in two phases and was not executed; does nothing for any other. 0, or -1
// with an exception.
int execute(PyObject* module);

// Warns, once while the runtime lives, of a module that did not say that it can do without the global lock, if there
// is none. 0, or -1 with an exception.
int check_lock(PyObject* module, PyObject* name);

// Forgets the warning, and the definitions whose modules are copied: at the end of the runtime.
void forget_definitions();

}  // namespace ouro::module
