// Walks over all objects of the heap, containers and others.
#pragma once

#include <cstdint>

#include "core/heap/view.hpp"
#include "core/object/object.hpp"

namespace ouro::object {

// Whether a slot of a block of objects holds one that is alive and may die. A free slot reads as dead; a container's
// state says more: it may be freed, its contents kept for whoever is still reading them.
inline bool holds_mortal(const heap::Block* block, uint32_t slot) {
    PyObject* op = heap::object_at(block, slot);
    const uint32_t biased = __atomic_load_n(&op->ob_biased, __ATOMIC_RELAXED);
    const uint32_t shared = __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED);
    if (OURO_IS_IMMORTAL(biased, shared) || Py_REFCNT(op) <= 0) {
        return false;
    }
    return !heap::is_container_kind(block->kind) ||
           (heap::HeapView<heap::Stopped>().state(block->first_slot + slot) & heap::kAllocated) !=
               0;
}

// Calls visit(op) for each object that is alive and not immortal, tracked or not. In a stop, or where no other thread
// is attached; visit may not make or free objects.
template <class Visit>
void for_each_mortal(Visit visit) {
    const heap::Block* block = heap::HeapView<heap::Stopped>().first_block();
    for (const heap::Block* end = block + heap::block_limit(); block < end; ++block) {
        const bool has_objects =
            heap::is_container_kind(block->kind) || block->kind == heap::BlockKind::kAtom;
        for (uint32_t slot = 0; has_objects && slot < block->bump; ++slot) {
            if (holds_mortal(block, slot)) {
                visit(heap::object_at(block, slot));
            }
        }
    }
}

}  // namespace ouro::object
