// What a mark engine hands over: the objects that it believes to be garbage.
#pragma once

#include "core/heap/pages.hpp"

#include "core/heap/tables.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

using Candidates = heap::PageVector<PyObject*>;

inline bool is_condemned(const PyObject* op) {
    return (heap::tables.mark[heap::slot_of(op)] & heap::kCondemned) != 0;
}

}  // namespace ouro::collector
