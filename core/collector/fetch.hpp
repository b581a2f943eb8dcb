// Prefetching objects some steps before they are traversed. Each function reads only memory that an earlier step
// has prefetched, so it does not wait for the cache.
#pragma once

#include <cstdint>

#include "core/builtins/container/buffer.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

// Two cache lines: an object of a few fields may begin at the end of one. `op` may be any address, also a freed
// object's.
inline void fetch(const PyObject* op) {
    __builtin_prefetch(op);
    __builtin_prefetch(reinterpret_cast<const char*>(op) + 48);
}

// The first items of a container whose type says where they are. Of other objects nothing.
inline void fetch_items(const PyObject* op) {
    if (const uintptr_t buffer = container::buffer_address(op)) {
        for (const uintptr_t line : {0, 64, 128}) {
            __builtin_prefetch(reinterpret_cast<const void*>(buffer + line));
        }
    }
}

}  // namespace ouro::collector
