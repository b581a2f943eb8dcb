// The bases of a new type: which of them decides what its instances look like, and of what type it is itself.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// The base whose instances' struct the others' can be part of: tp_base. `bases` is a tuple that is not empty; makes
// them ready. Borrowed; nullptr with TypeError if there is none, or one is no type to derive from.
PyTypeObject* best_base(PyObject* bases);

// The most derived of `metaclass` and the bases' types. Borrowed; nullptr with TypeError if there is none.
PyTypeObject* best_metaclass(PyTypeObject* metaclass, PyObject* bases);

}  // namespace ouro::type
