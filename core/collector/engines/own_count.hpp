// What an object's own count is to a pass that subtracts references from it.
#pragma once

#include <cstdint>

#include "core/include/Python.h"

namespace ouro::collector {

// The true count; that of an immortal object, and of one whose deallocation is running (count zero),
// is out of reach of any number of references: such an object is a root.
inline int32_t own_count(const PyObject* op) {
    constexpr int32_t kOutOfReach = int32_t{1} << 30;
    const uint32_t biased = OURO_LOAD_BIASED(op);
    const uint32_t shared = __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED);
    if (OURO_IS_IMMORTAL(biased, shared)) {
        return kOutOfReach;
    }
    const int32_t count =
        static_cast<int32_t>(OURO_BIASED_COUNT(biased)) + OURO_SHARED_COUNT(shared);
    return count == 0 ? kOutOfReach : count;
}

}  // namespace ouro::collector
