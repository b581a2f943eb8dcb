// The dictionaries of objects that have one.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// Whether objects of this one's type have a dictionary, made or not.
inline bool has_instance_dict(PyObject* op) {
    return Py_TYPE(op)->tp_dictoffset != 0;
}

// New reference. nullptr: there is none yet and none was to be made; or with MemoryError.
PyObject* instance_dict(PyObject* op, bool make);

}  // namespace ouro::type
