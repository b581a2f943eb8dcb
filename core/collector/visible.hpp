// The objects that a program may be shown: tracked, alive, and not condemned.
//
// An object that is being deallocated has a count of zero and must not be handed out; a condemned one must not get
// new references (inv.exact.refuse).
#pragma once

#include "core/collector/candidates.hpp"
#include "core/heap/view.hpp"

namespace ouro::collector {

enum class Frozen { kLeftOut, kShown };

// The generation of a tracked object, as Ouro_CollectGeneration counts them. In a stop.
inline int generation_of(uint32_t slot) {
    const heap::HeapView<heap::Stopped> view;
    const uint64_t bit = heap::bit_of(slot);
    return (view.young_word(slot / 64) & bit) != 0    ? 0
           : (view.middle_word(slot / 64) & bit) != 0 ? 1
                                                      : 2;
}

// Calls visit(object, slot number) for each, in address order, until it returns false. In a stop. `visit` may
// make and free objects: blocks and slots are looked at one by one, and what is made may or may not be shown.
template <class Visit>
void for_each_visible(Frozen frozen, const Visit& visit) {
    const auto states =
        static_cast<uint8_t>(heap::kTracked | (frozen == Frozen::kShown ? heap::kFrozen : 0));
    const heap::HeapView<heap::Stopped> view;
    for (size_t number = 0; number < heap::block_limit(); ++number) {
        const heap::Block* block = view.first_block() + number;
        for (uint32_t i = 0; heap::is_container_kind(block->kind) && i < block->bump; ++i) {
            const uint32_t slot = block->first_slot + i;
            // acquire: pairs with object::track; the fields are valid.
            if ((__atomic_load_n(view.states(slot), __ATOMIC_ACQUIRE) & states) == 0) {
                continue;
            }
            PyObject* op = heap::object_at(block, i);
            if (!is_condemned(op) && Py_REFCNT(op) > 0 && !visit(op, slot)) {
                return;
            }
        }
    }
}

}  // namespace ouro::collector
