// What types show as attributes of their own.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

extern PyGetSetDef type_getset[];
extern PyMemberDef type_members[];
extern PyMethodDef type_methods[];

// The tp_setattro of `type`: stores in the type's dictionary; what derives from the type learns of it.
int set_type_attribute(PyObject* op, PyObject* name, PyObject* value);

}  // namespace ouro::type
