// Readying the types that readying itself needs.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// A built-in type whose slots have been filled before it was readied. CPython's name, which is not public.
inline constexpr unsigned long kStaticBuiltin = 1UL << 1;

// Whether PyType_Ready has nothing to do. Any thread; who finds the type ready finds it complete.
inline bool is_ready(const PyTypeObject* type) {
    // acquire: pairs with the release of who made it ready.
    return (__atomic_load_n(&type->tp_flags, __ATOMIC_ACQUIRE) & Py_TPFLAGS_READY) != 0;
}

// Fills a static type's slots from its bases without making an object: its instances can be made and dropped
// while it, and what its dictionary will hold, are readied.
void prime(PyTypeObject* type);

}  // namespace ouro::type
