// What a class's __slots__ ask for.
#pragma once

#include "core/object/own.hpp"

namespace ouro::type {

struct ClassSlots {
    object::Own names;  // a tuple of the fields' names, sorted; nullptr if there is no __slots__
    bool has_dict = false;
    bool has_weak_list = false;

    Py_ssize_t count() const { return names ? PyTuple_GET_SIZE(names.get()) : 0; }
};

// Reads `__slots__` of a new class's dictionary. `name` is the class's,
// `base` its tp_base. False with TypeError, or what reading them raised.
bool read_slots(PyObject* dict, PyObject* name, const PyTypeObject* base, ClassSlots* slots);

}  // namespace ouro::type
