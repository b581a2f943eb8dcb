// The heap while one thread traverses objects concurrently with mutators: nothing that it may read is used again
// under it.
//
// What is freed meanwhile stays as it is: only the state byte of a container is cleared, and the words
// of an object's count, which no traversal reads, say that it is dead. `free` hands the memory to whoever
// began the traversal, who gives it back when the traversing thread has passed a quiescent point. A
// block of containers that was emptied is no block of containers any more at once (tables.maps), but
// its memory and slot numbers are used for something else after a quiescent point only. So whatever the
// thread finds between two of its quiescent points, starting from any bit pattern, stays whole:
// `container_at` looks at the map first, and the block's record and the slots that it describes are
// fixed from then on (inv.heap.map-first).
//
// Cost while nobody traverses: a load and a branch in `free` (experiments/micro/allocation.cpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "concurrency/reclaim/epochs.hpp"
#include "core/heap/block.hpp"

namespace ouro::heap {

extern constinit std::atomic<bool> traversed;

// Whether a traversal runs concurrently with mutators.
#ifdef OURO_TRAVERSAL_NONE  // of a library to compare with (experiments/micro/instructions)
constexpr bool is_traversed() {
    return false;
}
#else
inline bool is_traversed() {
    // acquire: pairs with end_traversal. What was read concurrently with mutators was read before anything is freed
    // at once again.
    return traversed.load(std::memory_order_acquire);
}
#endif

// The grace periods of the traversing thread, which is their only reader. A stop of the world is no
// quiescent point of it.
reclaim::Epochs& traversal_epochs();

// From now on memory that is freed goes to `freed`, on the thread that frees it, and what was resized by
// moving it, the old place, to `moved`. In a stop; one traversal at a time.
void begin_traversal(void (*freed)(void* p), void (*moved)(void* p));
// Any time. What was handed out before is given back by who has it.
void end_traversal();
// As `free`, for memory whose new place the caller's caller is yet to store where the old one can be found.
void free_moved(void* p);
// Ends what `free` began. Any thread. Pre: the traversing thread has passed a quiescent point since, or
// there is none.
void give_back(void* p);

inline SlotMap load_map(size_t block) {
    SlotMap map;
    // acquire: pairs with BlockPool's; the record is complete, and fixed (inv.heap.map-first).
    __atomic_load(&tables.maps[block], &map, __ATOMIC_ACQUIRE);
    return map;
}

// By the traversing thread, concurrently with mutators. The slot number of the container that starts at p, 0 if p
// is not the start of a container's slot; for any value of p.
inline uint32_t container_at(const void* p) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(p) - tables.base;
    if (offset >= tables.size) {
        return 0;
    }
    const SlotMap map = load_map(offset >> kBlockShift);
    if (map.first == 0) {
        return 0;
    }
    const Block& block = tables.blocks[offset >> kBlockShift];
    const size_t in_block = offset & (kBlockSize - 1);
    if (block.is_large) {
        return in_block == block.object_offset ? map.first : 0;
    }
    const auto slot = static_cast<uint32_t>(in_block * uint64_t{map.reciprocal} >> 32);
    return slot < block.capacity &&
                   size_t{slot} * block.slot_bytes + block.object_offset == in_block
               ? map.first + slot
               : 0;
}

// The same for a block by its number, below block_limit(): nullptr if it is no block of containers. Of
// its record only what describes its slots may be read, not what its owner alone writes. Slots that were
// never given out are in no state.
inline const Block* container_block(size_t number) {
    return load_map(number).first != 0 ? &tables.blocks[number] : nullptr;
}

}  // namespace ouro::heap
