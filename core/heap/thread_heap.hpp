// One thread's share of the heap.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/heap/block.hpp"
#include "core/heap/block_pool.hpp"
#include "core/heap/poison.hpp"

namespace ouro::heap {

class ThreadHeap {
public:
    explicit ThreadHeap(BlockPool& pool);

    // Owner only. A slot, nullptr when memory is out, and its block.
    struct Allocated {
        void* slot;
        Block* block;
    };
    Allocated allocate(BlockKind kind, unsigned size_class) {
        Block* block = current_[kind_row(kind)][size_class];
        if (FreeSlot* slot = block->free) [[likely]] {
            block->free = slot->next;
            ++block->used;
            unpoison_slot(reinterpret_cast<char*>(slot) + block->object_offset,
                          block->slot_bytes - block->object_offset);
            return {slot, block};
        }
        if (block->bump < block->capacity) {
            ++block->used;
            const uintptr_t slot = start_of(block) + size_t{block->bump++} * block->slot_bytes;
            return {reinterpret_cast<void*>(slot), block};
        }
        return allocate_slow(kind, size_class);
    }

    // Owner only. Pre: block is this thread's.
    void free_local(Block* block, FreeSlot* slot) {
        slot->next = block->free;
        block->free = slot;
        --block->used;
        if (block->used == 0 || !block->is_listed) [[unlikely]] {
            update_lists(block);
        }
    }

    // Any thread.
    static void free_remote(Block* block, FreeSlot* slot);

    // Marks the block as holding young objects. Owner only.
    void note_young(Block* block) {
        if (!block->has_young) {
            add_young(block);
        }
    }

    // Takes back slots that other threads freed. By the owner, or any thread while the heap is idle.
    void collect_remote();
    // Calls visit(block) for each block with a bit in a generation's bitmap; forgets those for which
    // it returns false. In a stop.
    template <class Visit>
    void filter_young(Visit visit) {
        for (Block *block = young_, *next; block != nullptr; block = next) {
            next = block->next_young;
            if (!visit(block)) {
                forget_young(block);
            }
        }
    }
    // Gives back the blocks that it allocates from if they are empty. By the owner, or any thread while the heap
    // is idle.
    void release_empty();
    // Moves a block of the kind and class that has free slots from an idle heap to this one.
    Block* adopt_from(ThreadHeap& idle, BlockKind kind, unsigned size_class);

private:
    Allocated allocate_slow(BlockKind kind, unsigned size_class);
    void update_lists(Block* block);
    void list(Block* block);
    void unlist(Block* block);
    void add_young(Block* block);
    void forget_young(Block* block);
    void take_back(Block* block);

    BlockPool& pool_;
    Block* current_[kAllocatedKinds][kClasses];
    Block* listed_[kAllocatedKinds][kClasses] = {};  // blocks with free slots, current ones too
    Block* young_ = nullptr;
    std::atomic<Block*> pending_{nullptr};  // blocks with remote frees
};

// Every thread's heap, in use or idle. Locks.
class ThreadHeaps {
public:
    // An idle heap, or a new one; nullptr when memory is out.
    ThreadHeap* acquire(BlockPool& pool);
    void release(ThreadHeap* heap);
    // A block with free slots from a thread that has ended, now `into`'s; nullptr if there is none.
    Block* adopt_block(ThreadHeap& into, BlockKind kind, unsigned size_class);
    // Gives back the empty blocks of idle heaps, after taking back what other threads freed into them.
    void release_empty_idle();
    template <class Visit>
    void filter_young(Visit visit) {
        const std::lock_guard guard(mutex_);
        for (const auto& heap : all_) {
            heap->filter_young(visit);
        }
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<ThreadHeap>> all_;
    std::vector<ThreadHeap*> idle_;
};
extern ThreadHeaps thread_heaps;

}  // namespace ouro::heap
