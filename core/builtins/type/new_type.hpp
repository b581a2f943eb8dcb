// Classes: types that calling a metaclass with a name, bases and a dictionary makes.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// The tp_new and tp_init of `type`.
PyObject* new_type(PyTypeObject* metaclass, PyObject* args, PyObject* kwargs);
int init_type(PyObject* op, PyObject* args, PyObject* kwargs);

}  // namespace ouro::type
