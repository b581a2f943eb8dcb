// What a type takes from its bases when it is readied. Source: "Type object structures" in the C API
// documentation, the sections "Inheritance".
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// From tp_base: sizes, offsets, the flags that say what kind of object it is, and the collector's three.
void inherit_special(PyTypeObject* type, const PyTypeObject* base);
// From a base in the order of resolution, tp_base or another: slots that are empty still.
void inherit_slots(PyTypeObject* type, const PyTypeObject* base);

}  // namespace ouro::type
