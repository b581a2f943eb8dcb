// Which objects are made noisy, so that a decrement makes them suspects (core/mutator/suspects.hpp).
#pragma once

#include "core/object/object.hpp"

namespace ouro::collector {

// An object with more references than this is part of no dead cycle that a local collection would find; and a type,
// or a module, is let go of each time that something of it dies.
inline constexpr Py_ssize_t kMostReferences = 64;

// In a stop.
inline void make_noisy(PyObject* op) {
    if (Py_REFCNT(op) <= kMostReferences) {
        object::make_noisy(op);
    }
}

}  // namespace ouro::collector
