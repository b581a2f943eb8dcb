// Fetching objects into the cache some steps before they are traversed. Neither waits for memory that the
// step before has fetched.
#pragma once

#include <cstdint>

#include "core/builtins/container/sequence.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {

// Two lines: an object of a few fields may begin at the end of one. It may be freed, or anything.
inline void fetch(const PyObject* op) {
    __builtin_prefetch(op);
    __builtin_prefetch(reinterpret_cast<const char*>(op) + 48);
}

// The first items of a list or dict. Of other objects nothing.
inline void fetch_items(PyObject* op) {
    if (PyType_HasFeature(object::type_of(op),
                          Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS)) {
        static_assert(offsetof(PyListObject, ob_item) == offsetof(PyDictObject, ma_table));
        // Of an empty container there is no buffer: a number, because NULL must not be added to.
        const auto buffer = reinterpret_cast<uintptr_t>(
            __atomic_load_n(&reinterpret_cast<PyListObject*>(op)->ob_item, __ATOMIC_RELAXED));
        for (const uintptr_t line : {0, 64, 128}) {
            __builtin_prefetch(reinterpret_cast<const void*>(buffer + line));
        }
    }
}

}  // namespace ouro::collector
