// The items of an iterable, all at once: what others do to it meanwhile does not matter.
#pragma once

#include "core/include/Python.h"

namespace ouro::container {

// A tuple, op itself if it is one, or a list that nobody else has. New reference; nullptr with an
// exception: TypeError with that message if op is not iterable.
PyObject* items_of_iterable(PyObject* op, const char* message);

// Of what that returned.
inline Py_ssize_t count_of(PyObject* items) {
    return Py_SIZE(items);
}
inline PyObject* item_of(PyObject* items, Py_ssize_t i) {
    return PyTuple_Check(items) ? PyTuple_GET_ITEM(items, i) : PyList_GET_ITEM(items, i);
}

}  // namespace ouro::container
