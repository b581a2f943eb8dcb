// The heap while one thread traverses objects concurrently with mutators: no memory that it may read is reused
// meanwhile.
//
// Memory that is freed meanwhile keeps its contents: only the state byte of a container is cleared, and the count
// words of an object, which no traversal reads, become dead. `free` hands the memory to the callback of
// begin_traversal; the freeing thread gives it back when the traversing thread has passed a quiescent point. An
// empty block of containers is removed from the map (tables.maps) at once, but its memory and slot numbers are put to
// another use only after a quiescent point. So whatever the traversing thread finds between two of its quiescent
// points, starting from any bit pattern, stays whole: `container_at` reads the map first, and the block's record and
// the slots that it describes are fixed from then on (inv.heap.map-first).
//
// Cost without a traversal: a load and a branch in `free` (experiments/micro/allocation.cpp).
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
    // acquire: pairs with end_traversal. The traversal's last reads come before anything is freed at once again.
    return traversed.load(std::memory_order_acquire);
}
#endif

// The epochs of the traversing thread, which is their only reader. A stop of the world is no quiescent point of
// it.
reclaim::Epochs& traversal_epochs();

// From now on the freeing thread calls `freed` with memory that it frees, and `moved` with the old place of a buffer
// that was resized by moving it. In a stop; one traversal at a time.
void begin_traversal(void (*freed)(void* p), void (*moved)(void* p));
// Any time. Memory that was handed out before is still given back by the threads that have it.
void end_traversal();
// As `free`, for the old place of a resized buffer, which can be found until the program has stored the new one.
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
