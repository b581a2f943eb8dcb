// sys.excepthook and sys.unraisablehook, and sys.stderr as what prints exceptions sees it.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

// The functions of sys that are its hooks at first.
PyObject* sys_excepthook(PyObject* self, PyObject* const* args, Py_ssize_t nargs);
PyObject* sys_unraisablehook(PyObject* self, PyObject* args);

// From now on exceptions are handed to what sys has; and no longer.
void install_sys_hooks();
void remove_sys_hooks();

}  // namespace ouro::module
