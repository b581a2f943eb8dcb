// What the files of list share.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

inline PyListObject* as_list(PyObject* op) {
    return reinterpret_cast<PyListObject*>(op);
}

// False with SystemError.
bool check_list(PyObject* op);

// Room for so many items; false with MemoryError. The array is always a new one, never grown in place: a
// traversal may be reading the old one. Pre: the list is locked.
bool reserve(PyListObject* self, size_t wanted);

}  // namespace ouro::object
