// Where a container keeps its items, for whoever wants them in the cache before they are read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/include/Python.h"
#include "core/object/object.hpp"

namespace ouro::container {

// The address of the array of a list or of the table of a dict: a hint, which may be out of date as soon as it is
// returned, and is 0 for an empty one and for any other object. May be called concurrently with mutators, by a thread
// that may traverse there.
inline uintptr_t buffer_address(const PyObject* op) {
    if (!PyType_HasFeature(object::type_of(op),
                           Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS)) {
        return 0;
    }
    // Both types have it in the same place: one branch for two.
    static_assert(offsetof(PyListObject, ob_item) == offsetof(PyDictObject, ma_table));
    return reinterpret_cast<uintptr_t>(
        __atomic_load_n(&reinterpret_cast<const PyListObject*>(op)->ob_item, __ATOMIC_RELAXED));
}

}  // namespace ouro::container
