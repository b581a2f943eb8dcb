// Slots and special methods: what a type's C functions are called in its dictionary, and which C function
// a callable in the dictionary of a class is called by.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// Puts into the dictionary of a type what its own slots are called there, __repr__ for tp_repr and so on,
// unless a name is taken already. For a type that has inherited nothing yet. False with an exception.
bool add_special_methods(PyTypeObject* type);

// Fills each slot of a heap type whose dictionary is complete and whose bases are ready: with a function that calls
// what is found under the slot's names, or, where that is the name of a base's C function, with that function.
// False with an exception.
bool fix_slots(PyTypeObject* type);

// The same for the slots that one name stands for, in a type and in what derives from it: for whoever has changed
// or deleted that attribute of the type. `name` is a str. False with an exception.
bool update_slot(PyTypeObject* type, PyObject* name);

}  // namespace ouro::type
