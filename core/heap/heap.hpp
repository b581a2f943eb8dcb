// The heap of objects: what allocates, frees and enumerates.
//
// Each thread allocates from blocks that it owns, without a lock. Freeing into another thread's
// block pushes the slot onto that block's list of remote frees, which the owner takes back when it
// runs out. A thread that ends leaves its ThreadHeap to the next one that starts; until then other
// threads adopt blocks from it.
//
//     heap::start();                       // once
//     heap::attach_thread();               // each thread
//     void* p = heap::allocate(BlockKind::kContainer, 40);
//     heap::free(p);
//     heap::detach_thread();
//
// Cost (experiments/micro/allocation.cpp): allocate and free, small, about 9 ns together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "concurrency/reclaim/epochs.hpp"
#include "core/heap/block.hpp"
#include "core/heap/tables.hpp"

namespace ouro::heap {

// Reserves the heap; false if the system refuses. Does nothing if it is started.
bool start();

// Whether the system is advised to map memory that is used from now on with huge pages; initially not. They
// avoid TLB misses; but the first touch of each clears two megabytes, and after a fork a write copies as much.
void use_huge_pages(bool use);

// The grace periods of this process: readers without a lock take part (concurrency/reclaim).
reclaim::Epochs& epochs();
// Whether empty blocks of objects wait for a grace period before they are put to another use: a thread that
// tries to take a reference without owning one may read the count words of a free slot. Where no two threads
// use objects at once none does.
void reuse_blocks_late(bool late);
// Bytes of freed large objects that wait so; makes those reusable that need not wait any longer.
size_t waiting_large_bytes();
void reuse_large_passed();

// Around a fork of the process, on the thread that forks.
void before_fork();
void after_fork();

// What a thread allocates from: an idle one that an ended thread left, or a new one; nullptr when memory
// is out. It is the caller's until it is released, by the thread that uses it then.
class ThreadHeap;
ThreadHeap* acquire_thread_heap();
void release_thread_heap(ThreadHeap* heap);
// The calling thread allocates from `heap` from now on; from none if it is nullptr.
void use(ThreadHeap* heap);
bool thread_is_attached();

// Acquires and uses one, and releases it: for a thread that keeps one as long as it lives.
void attach_thread();
void detach_thread();

// `bytes` is the object's size; a prefixed object's pre-header is added here, and the pointer is to
// the object. Aligned to 16 bytes, not zeroed, but the count words are (dead). nullptr when memory
// is out. The calling thread must be attached.
void* allocate(BlockKind kind, size_t bytes);
// The same for a container without a pre-header, of at least one byte, with its state byte, which says that
// it is allocated.
struct Container {
    void* memory;  // nullptr when memory is out
    uint8_t* state;
};
Container allocate_container(size_t bytes);
// Any attached thread. Clears the slot's state byte; the memory is freed later if a traversal runs concurrently with
// mutators (traversed.hpp). Fatal error if p is not allocated, as far as side metadata tells.
void free(void* p);
// The same for a container whose block and state byte the caller knows.
void free_container(Block* block, void* p, uint8_t* state);

// Bytes that can be used at p without allocating anew. The capacity of a list's array is this.
inline size_t usable_size(const void* p) {
    const Block* block = block_of(p);
    if (block->is_large) [[unlikely]] {
        // Whole pages: the rest of the last block is address space, not memory.
        return (block->large_bytes + kPage - 1) / kPage * kPage - block->object_offset;
    }
    return block->slot_bytes - block->object_offset;
}

// Whether p is the start of a tracked object that is not frozen, in constant time, for any value of p. In a
// stop, and for a thread that traverses objects concurrently with mutators.
bool address_is_object(const void* p);

// Whether memory at p has a state byte: objects of types with the GC flag that the heap allocated.
inline bool has_metadata(const void* p) {
    return slot_of(p) != 0;
}

// Calls visit(block) for each block of containers, in address order. Blocks may not be taken or
// given back meanwhile: in a stop, or under policy gil without running other code.
size_t block_limit();
template <class Visit>
void for_each_container_block(Visit visit) {
    for (Block *block = tables.blocks, *end = block + block_limit(); block < end; ++block) {
        if (is_container_kind(block->kind)) {
            visit(block);
        }
    }
}

// Makes an object that is tracked again young. Does nothing if another thread owns the block, unless it is a large
// object's: then the object stays as old as it is. Nor while objects are traversed concurrently with mutators: what
// was old when that began stays old until its end (is_old), and nothing else is old.
void make_young(const void* p);
// Calls visit for each block that has a bit in a generation's bitmap, and forgets the block if it
// returns false. In a stop.
void filter_young_blocks(bool (*visit)(Block* block, void* arg), void* arg);
// Every object becomes old. In a stop, while no traversal runs concurrently with mutators.
void clear_young();

// Makes objects of the middle generation old, from container block *next on, which advances, in `blocks` blocks
// at most; true when that was the last. In stops; *next is 0 at first.
bool make_old(size_t* next, size_t blocks);

// Releases the empty blocks that the calling thread and ended threads keep for their next allocation.
void release_empty();
// Returns empty blocks to the system, except for a sixteenth of what is in use, and the 32-bit counts, which are zero
// outside a pause unless a traversal runs concurrently with mutators. Not in a pause. About `most_bytes` at most in a
// call; true when there is no more. `keep_used`: keeps as much as was in use at the peak since the last completed
// purge.
bool purge(size_t most_bytes, bool keep_used);
// All of it at once, with release_empty.
void purge();

// Containers whose state has the bit: tracked, frozen. Walks over all state bytes.
size_t count_in_state(State bit);
inline size_t tracked_count() {
    return count_in_state(kTracked);
}

struct Usage {
    size_t heap_bytes;
    size_t metadata_bytes;
};
Usage usage();
// Of the heap alone; takes no lock.
size_t bytes_in_use();

// Slots in use: bytes of what was allocated, as rounded to its size class, without free slots. Walks
// over the blocks; a thread that allocates meanwhile makes it a little wrong.
struct SlotBytes {
    size_t containers;
    size_t atoms;  // objects that are no containers
    size_t buffers;
};
SlotBytes slot_bytes_in_use();

}  // namespace ouro::heap
