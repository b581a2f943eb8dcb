// What the files of list share.
#pragma once

#include "core/include/Python.h"

namespace ouro::container {

class References;  // references.hpp

inline PyListObject* as_list(PyObject* op) {
    return reinterpret_cast<PyListObject*>(op);
}

// False with SystemError.
bool check_list(PyObject* op);

// Room for so many items; false with MemoryError. The array is always a new one, never grown in place: a
// traversal may be reading the old one. Pre: the list is locked.
bool reserve(PyListObject* self, size_t wanted);

// What the type is made of (list_items.cpp, list_methods.cpp).
extern PySequenceMethods list_as_sequence;
extern PyMappingMethods list_as_mapping;
extern PyMethodDef list_methods[];
int list_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* list_iterate(PyObject* op);
PyObject* list_iterate_backwards(PyObject* op, PyObject*);
// sort(*, key=None, reverse=False)
PyObject* list_sort(PyObject* op, PyObject* args, PyObject* kwargs);

// A new reference to an item; nullptr, without an exception, if there is none.
PyObject* list_item_at(PyObject* op, Py_ssize_t index);

// Stores an item of a locked list: a reader finds what was or will be there.
inline void store(PyObject** place, PyObject* item) {
    OURO_STORE_FIELD(place, item);
}

// Replaces the items from low up to high, each moved to the end that it lies beyond. 0, or -1 with
// MemoryError and everything as it was.
int replace(PyObject* op, Py_ssize_t low, Py_ssize_t high, References& items);

}  // namespace ouro::container
