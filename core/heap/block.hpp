// The record of a block, in a table beside the heap.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/heap/layout.hpp"
#include "core/heap/tables.hpp"

namespace ouro::heap {

class ThreadHeap;

// Free slots form a list whose link is the second word of the slot: the first holds an object's
// count words, which must read as dead (OURO_SHARED_DEAD) for as long as the slot is free.
struct FreeSlot {
    uint32_t biased;
    uint32_t shared;
    FreeSlot* next;
};
static_assert(sizeof(FreeSlot) == kGranule && offsetof(FreeSlot, next) == 8);

struct Block {
    // Owner only.
    FreeSlot* free;
    uint32_t used;  // slots given out and not yet taken back by the owner
    uint32_t bump;  // slots from here on were never given out
    uint32_t capacity;
    uint32_t slot_bytes;
    // Fixed while the block is in use.
    uint32_t first_slot;  // number of its first slot; containers only
    uint32_t reciprocal;  // as in its SlotMap
    uint8_t size_class;
    BlockKind kind;
    uint8_t object_offset;  // of the object in its slot
    bool is_listed;         // in its owner's list of blocks with free slots
    bool is_large;
    bool is_plain;   // neither large nor with objects at an offset
    bool has_young;  // in its owner's list of young blocks
    Block* next;     // in that list, or free
    Block* previous;
    Block* next_young;
    Block* previous_young;
    size_t large_bytes;  // of a large object, else 0
    // Any thread.
    std::atomic<ThreadHeap*> owner;
    std::atomic<FreeSlot*> remote_free;  // slots freed by other threads
    std::atomic<Block*> next_pending;    // in the owner's list of blocks with such slots
};

inline Block* block_of(const void* p) {
    return &tables.blocks[(reinterpret_cast<uintptr_t>(p) - tables.base) >> kBlockShift];
}

inline uintptr_t start_of(const Block* block) {
    return tables.base + (static_cast<uintptr_t>(block - tables.blocks) << kBlockShift);
}

// The slot number of an object in a block of containers that is known, as slot_in_heap.
inline uint32_t slot_in_block(const Block* block, const void* p) {
    return slot_in({block->reciprocal, block->first_slot}, reinterpret_cast<uintptr_t>(p));
}

inline PyObject* object_at(const Block* block, uint32_t slot_in_block) {
    return reinterpret_cast<PyObject*>(start_of(block) + size_t{slot_in_block} * block->slot_bytes +
                                       block->object_offset);
}

}  // namespace ouro::heap
