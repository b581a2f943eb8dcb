// The functions of the module builtins.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

extern PyMethodDef builtin_functions[];
// Those that look at several objects: builtin_iteration.cpp.
PyObject* builtin_all(PyObject* self, PyObject* iterable);
PyObject* builtin_any(PyObject* self, PyObject* iterable);
PyObject* builtin_iter(PyObject* self, PyObject* args);
PyObject* builtin_next(PyObject* self, PyObject* args);
PyObject* builtin_max(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* builtin_min(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* builtin_sorted(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* builtin_sum(PyObject* self, PyObject* args, PyObject* kwargs);

}  // namespace ouro::module
