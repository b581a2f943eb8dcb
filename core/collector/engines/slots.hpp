// Walking a block's side metadata eight slots at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/heap/heap.hpp"

namespace ouro::collector {

inline constexpr unsigned kLanes = 8;
inline constexpr uint64_t kEachLane = 0x0101010101010101;

// All slot numbers in use lie below it, a multiple of 64. In a stop.
inline size_t slot_limit() {
    size_t limit = 1;
    heap::for_each_container_block([&](const heap::Block* block) {
        limit = std::max(limit, size_t{block->first_slot} + block->capacity);
    });
    return (limit + 63) / 64 * 64;
}

// Bytes may be stored by other workers meanwhile, one by one. Slot ranges begin at a multiple of 64.
inline uint64_t load_lanes(const uint8_t* bytes) {
    return __atomic_load_n(reinterpret_cast<const uint64_t*>(bytes), __ATOMIC_RELAXED);
}

// Calls visit(slot in block) for each slot whose state byte has the tracked bit, in address order.
// Slot ranges are padded to whole words, whose padding is zero.
template <class Visit>
void for_each_tracked(const heap::Block* block, Visit visit) {
    const uint8_t* state = heap::tables.state + block->first_slot;
    for (uint32_t first = 0; first < block->bump; first += kLanes) {
        uint64_t tracked = load_lanes(state + first) & (kEachLane * heap::kTracked);
        for (; tracked != 0; tracked &= tracked - 1) {
            visit(first + static_cast<uint32_t>(std::countr_zero(tracked)) / 8);
        }
    }
}

// The same for white slots, of the mark byte.
template <class Visit>
void for_each_white(const heap::Block* block, Visit visit) {
    const uint8_t* mark = heap::tables.mark + block->first_slot;
    for (uint32_t first = 0; first < block->bump; first += kLanes) {
        const uint64_t lanes = load_lanes(mark + first);
        uint64_t white = lanes & ~(lanes >> 1) & (kEachLane * heap::kWhite);
        for (; white != 0; white &= white - 1) {
            visit(first + static_cast<uint32_t>(std::countr_zero(white)) / 8);
        }
    }
}

}  // namespace ouro::collector
