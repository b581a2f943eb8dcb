// Readying the types that readying itself needs.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// A built-in type whose slots have been filled before it was readied. CPython's name, which is not public.
inline constexpr unsigned long kStaticBuiltin = 1UL << 1;

// Fills a static type's slots from its bases without making an object: its instances can be made and dropped
// while it, and what its dictionary will hold, are readied.
void prime(PyTypeObject* type);

}  // namespace ouro::type
