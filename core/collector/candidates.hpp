// What a mark engine yields: the objects that it believes to be garbage.
#pragma once

#include <algorithm>

#include "core/heap/pages.hpp"
#include "core/heap/view.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

using Candidates = heap::PageVector<PyObject*>;

// Reserves room for `more` elements, growing as push_back does. Throws std::bad_alloc.
inline void make_room(Candidates& list, size_t more) {
    if (list.capacity() - list.size() < more) {
        list.reserve(std::max(2 * list.capacity(), list.size() + more));
    }
}

// op may be a former candidate that has been freed since.
inline bool is_condemned(const PyObject* op) {
    const heap::HeapView<heap::Concurrent> view;
    return view.is_condemned(view.slot_of(op));
}

// Clears op's mark: it is not condemned, nor seen by the collection. Pre: op cannot be freed meanwhile: it is pinned,
// or the world is stopped.
inline void acquit(const PyObject* op) {
    const heap::HeapView<heap::Holding> view;
    view.acquit(view.slot_of(op));
}

}  // namespace ouro::collector
