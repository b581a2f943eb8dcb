// The numbers of a type's slots, and where each is.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// Whether there is a slot of that number.
bool is_slot(int number);

// Puts what a spec says into the type, but for what is no field that can be copied: bases, members, the doc string and
// the token. Pre: is_slot(slot.slot); the type is a heap type.
void store_slot(PyTypeObject* type, const PyType_Slot& slot);

}  // namespace ouro::type
