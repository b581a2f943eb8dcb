// Going over the old objects of some blocks in slices, concurrently with mutators.
#pragma once

#include <bit>
#include <cstdint>

#include "core/collector/deadline.hpp"
#include "core/heap/view.hpp"

namespace ouro::collector {

// Blocks, and how far they have been gone over.
struct BlockWalk {
    // A block whose slots are looked at costs the clock as much as so many objects.
    static constexpr uint32_t kBlockUnits = 32;

    heap::Block* block = nullptr;
    heap::Block* end = nullptr;
    uint32_t slot = 0;

    bool is_over() const { return block >= end; }
    void go_to(heap::Block* to) {
        block = to;
        slot = 0;
    }
};

// Calls visit(slot number, slot in block) for each old object from where the walk is; visit returns the work it was, or 0:
// then the walk stops before that object. True at the end.
template <class Visit>
bool walk(const heap::HeapView<heap::Concurrent>& view, BlockWalk& at, Deadline& deadline,
          const Visit& visit) {
    for (; !at.is_over(); at.go_to(at.block + 1)) {
        if (!view.has_containers(at.block)) {
            continue;
        }
        const uint32_t first = at.block->first_slot;
        for (const uint32_t capacity = at.block->capacity; at.slot < capacity;
             at.slot = (at.slot + heap::kLanes) / heap::kLanes * heap::kLanes) {
            const uint32_t group = at.slot / heap::kLanes * heap::kLanes;
            uint64_t tracked = view.tracked_lanes(first + group);
            tracked &= ~uint64_t{0} << (at.slot - group) * 8;
            const uint64_t others = tracked == 0 ? 0 : view.younger_bits(first + group);
            for (; tracked != 0; tracked &= tracked - 1) {
                const auto lane = static_cast<uint32_t>(std::countr_zero(tracked)) / 8;
                if ((others >> lane & 1) != 0) {
                    continue;
                }
                at.slot = group + lane;
                const uint32_t work = visit(first + at.slot, at.slot);
                if (work == 0) {
                    return false;
                }
                ++at.slot;
                if (deadline.has_passed(work)) {
                    return false;
                }
                if (at.slot == group + heap::kLanes) {
                    --at.slot;  // the loop goes on to the next group
                    break;
                }
            }
        }
        if (deadline.has_passed(BlockWalk::kBlockUnits)) {
            at.go_to(at.block + 1);
            return false;
        }
    }
    return true;
}

}  // namespace ouro::collector
