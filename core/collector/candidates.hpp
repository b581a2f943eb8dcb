// What a mark engine hands over: the objects that it believes to be garbage.
#pragma once

#include <algorithm>

#include "core/heap/pages.hpp"
#include "core/heap/view.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

using Candidates = heap::PageVector<PyObject*>;

// Room for so many more, growing as push_back does. Throws std::bad_alloc.
inline void make_room(Candidates& list, size_t more) {
    if (list.capacity() - list.size() < more) {
        list.reserve(std::max(2 * list.capacity(), list.size() + more));
    }
}

// Also for what was a candidate and is no object any more.
inline bool is_condemned(const PyObject* op) {
    const heap::HeapView<heap::Concurrent> view;
    return view.is_condemned(view.slot_of(op));
}

// Takes back that op, which is pinned, was condemned, or that it was looked at.
inline void acquit(const PyObject* op) {
    const heap::HeapView<heap::Holding> view;
    view.acquit(view.slot_of(op));
}

}  // namespace ouro::collector
