// Instances and subclasses, as `type` decides (type.__instancecheck__, type.__subclasscheck__): by what a class is derived
// from and by what an object says is its __class__. 1, 0, or -1 with an exception.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

int is_instance(PyObject* op, PyObject* type);
int is_subclass(PyObject* derived, PyObject* type);

}  // namespace ouro::type
