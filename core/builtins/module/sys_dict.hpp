// The attributes of sys.
#pragma once

#include "core/include/Python.h"

namespace ouro::module {

// The module's dictionary, borrowed; nullptr before sys was imported, and when the runtime has ended.
PyObject* sys_dict();
// Takes a new reference to it.
void adopt_sys_dict(PyObject* dict);
void drop_sys_dict();

// An attribute, without importing sys for it and without an exception: a new reference, or nullptr.
PyObject* sys_attribute(const char* name);

}  // namespace ouro::module
