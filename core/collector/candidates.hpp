// What a mark engine hands over: the objects that it believes to be garbage.
#pragma once

#include <algorithm>

#include "core/heap/pages.hpp"

#include "core/heap/tables.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

using Candidates = heap::PageVector<PyObject*>;

// Room for so many more, growing as push_back does. Throws std::bad_alloc.
inline void make_room(Candidates& list, size_t more) {
    if (list.capacity() - list.size() < more) {
        list.reserve(std::max(2 * list.capacity(), list.size() + more));
    }
}

inline bool is_condemned(const PyObject* op) {
    return heap::is_condemned(heap::slot_beside(op));
}

}  // namespace ouro::collector
