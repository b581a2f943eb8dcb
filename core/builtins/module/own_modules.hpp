// The runtime's own modules: what each init function of the table of built-in modules makes.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

// As PyInit_NAME: a borrowed definition, to be made a module and executed when it is imported.
PyObject* init_builtins();
PyObject* init_gc();
PyObject* init_sys();
PyObject* init_weakref();

// The end of what sys is to the rest of the runtime: after all modules are gone.
void finish_sys();

}  // namespace ouro::module
