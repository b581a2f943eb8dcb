// What a module does about itself: the references that its state owns, and what its initialisation leaves behind.
#pragma once

#include "core/include/Python.h"

namespace ouro::contract {

// Each part in a child process of so many seconds at most. Does nothing if the module has no definition.
void check_module(PyObject* module, unsigned seconds);

// The references that its state owns by now, in this process, in which nothing else is done with the module any more.
void check_module_state(PyObject* module);

}  // namespace ouro::contract
