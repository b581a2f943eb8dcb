// Readying the types that readying itself needs.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// Fills a static type's slots from its bases without making an object: its instances can be made and dropped
// while it, and what its dictionary will hold, are readied.
void prime(PyTypeObject* type);

}  // namespace ouro::type
