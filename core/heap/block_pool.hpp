// Whole blocks, and the slot numbers of those that hold containers: allocates them, takes them back, and
// returns their memory to the system. All functions lock; none is on an allocation's fast path.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "core/heap/address_space.hpp"
#include "core/heap/block.hpp"
#include "core/heap/range_set.hpp"

namespace ouro::heap {

class BlockPool {
public:
    // Reserves the heap and its tables and publishes them in `tables`. False if even the smallest
    // reservation fails.
    bool start();
    // As in heap.hpp.
    void use_huge_pages(bool use);

    // A block of empty slots of a size class; nullptr when memory is out.
    Block* take_block(BlockKind kind, unsigned size_class);
    // A block run that holds one large object of `bytes` (pre-header included); nullptr when memory
    // is out.
    Block* take_large(BlockKind kind, size_t bytes);
    // Takes back a block or a large object's run. Pre: no slot of it is in use. While objects are
    // traversed concurrently with mutators, what held containers waits for the traversing thread before it becomes
    // anything else (inv.heap.map-first).
    void give(Block* block);
    // Whether, from now on, an empty block of objects waits for a grace period before it becomes anything but a
    // block of the same kind and size class.
    void reuse_late(bool late);
    // Bytes of freed large objects that wait for their grace period.
    size_t waiting_large_bytes() const {
        return waiting_large_bytes_.load(std::memory_order_relaxed);
    }
    void reuse_all_large_passed();

    // Returns memory of unused blocks to the system, all but `keep_bytes` of it, and the memory of the
    // 32-bit counts. Pre: those are zero. About `most_bytes` at most in a call, because a gigabyte takes tens
    // of milliseconds; true when there is no more.
    bool purge(size_t keep_bytes, size_t most_bytes);

    // Blocks beyond this number were never used.
    size_t block_limit() const { return block_limit_.load(std::memory_order_relaxed); }
    size_t bytes_in_use() const { return bytes_in_use_.load(std::memory_order_relaxed); }
    // The peak since the last purge that was completed.
    size_t most_bytes_in_use() const { return most_bytes_in_use_.load(std::memory_order_relaxed); }
    size_t metadata_bytes_in_use() const;

    // Puts a large container's block on the list of those with a young object, if it is not there.
    void note_young_large(Block* block);
    // Calls visit(block) for each large container that has a bit in a generation's bitmap; forgets
    // those for which it returns false. In a stop.
    template <class Visit>
    void filter_young_large(Visit visit) {
        const std::lock_guard guard(mutex_);
        for (Block *block = young_large_, *next; block != nullptr; block = next) {
            next = block->next_young;
            if (!visit(block)) {
                forget_young_large(block);
            }
        }
    }

    // Around a fork of the process: no other thread takes or gives back a block between the two.
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    // Blocks that were given back and keep their kind, each with the goals that it waits for, in ascending
    // order.
    struct Waiting {
        Block* block;
        uint64_t goal;            // of threads that may read count words; 0: there are none
        uint64_t traversal_goal;  // of the thread that traverses
    };
    using WaitingBlocks = std::deque<Waiting>;

    WaitingBlocks& waiting_for(const Block* block);
    Block* take_waiting(BlockKind kind, unsigned size_class);
    void map_slots(Block* block);
    void unmap_slots(Block* block);
    void clear_slots(Block* block);
    void reuse(Block* block);
    void reuse_passed(WaitingBlocks& waiting);
    void reuse_all_passed();
    Block* take_run(size_t blocks);
    bool take_slots(Block* block);
    void note_in_use(size_t bytes);
    bool purge_blocks(size_t keep_bytes, size_t* left);
    bool purge_all_slots(size_t* left);
    void purge_slots(Range range);
    void add_young_large(Block* block);
    void forget_young_large(Block* block);
    bool make_slots_usable(size_t limit);

    mutable std::mutex mutex_;
    AddressSpace heap_, maps_, blocks_, state_, mark_, near_count_, count_, lock_, young_, middle_;
    RangeSet clean_blocks_, dirty_blocks_;  // dirty: its pages may be resident
    RangeSet clean_slots_, dirty_slots_;    // in units of kSlotUnit
    Block* young_large_ = nullptr;
    bool late_ = false;
    WaitingBlocks waiting_[kAllocatedKinds][kClasses];  // by kind and size class
    WaitingBlocks waiting_large_;
    size_t waiting_blocks_ = 0;  // in all of these
    size_t counts_purged_ = 0;   // bytes of them, by a purge that is not done
    std::atomic<size_t> waiting_large_bytes_{0};
    // Written under the lock, read by anyone.
    std::atomic<size_t> block_limit_{0};
    std::atomic<size_t> bytes_in_use_{0};
    std::atomic<size_t> most_bytes_in_use_{0};
    size_t slots_in_use_ = 0;
};

}  // namespace ouro::heap
