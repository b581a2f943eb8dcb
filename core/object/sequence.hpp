// What lists and tuples have in common.
#pragma once

#include "core/include/Python.h"

namespace ouro::object {

// tp_richcompare of list and tuple: the first items that differ decide, then the lengths.
// NotImplemented for objects of two kinds. New reference, or nullptr with an exception.
PyObject* compare_sequences(PyObject* a, PyObject* b, int operation);

}  // namespace ouro::object
