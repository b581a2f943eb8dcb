#include "core/heap/thread_heap.hpp"

#include <new>
#include <utility>

#include "core/heap/fault.hpp"

namespace ouro::heap {

ThreadHeaps thread_heaps;

namespace {

// What a size class without a block allocates from: it is always full.
Block no_block{};

bool is_full(const Block* block) {
    return block->free == nullptr && block->bump == block->capacity;
}

}  // namespace

ThreadHeap::ThreadHeap(BlockPool& pool) : pool_(pool) {
    for (auto& row : current_) {
        for (Block*& block : row) {
            block = &no_block;
        }
    }
}

void ThreadHeap::list(Block* block) {
    Block*& head = listed_[kind_row(block->kind)][block->size_class];
    block->is_listed = true;
    block->previous = nullptr;
    block->next = head;
    if (head != nullptr) {
        head->previous = block;
    }
    head = block;
}

void ThreadHeap::unlist(Block* block) {
    block->is_listed = false;
    if (block->previous != nullptr) {
        block->previous->next = block->next;
    } else {
        listed_[kind_row(block->kind)][block->size_class] = block->next;
    }
    if (block->next != nullptr) {
        block->next->previous = block->previous;
    }
}

void ThreadHeap::add_young(Block* block) {
    block->has_young = true;
    block->previous_young = nullptr;
    block->next_young = young_;
    if (young_ != nullptr) {
        young_->previous_young = block;
    }
    young_ = block;
}

void ThreadHeap::forget_young(Block* block) {
    if (!block->has_young) {
        return;
    }
    block->has_young = false;
    if (block->previous_young != nullptr) {
        block->previous_young->next_young = block->next_young;
    } else {
        young_ = block->next_young;
    }
    if (block->next_young != nullptr) {
        block->next_young->previous_young = block->previous_young;
    }
}

void ThreadHeap::update_lists(Block* block) {
    if (!block->is_listed) {
        list(block);
    }
    if (block->used == 0 && block != current_[kind_row(block->kind)][block->size_class]) {
        unlist(block);
        forget_young(block);
        pool_.give(block);
    }
}

void ThreadHeap::release_empty() {
    collect_remote();
    for (auto& row : current_) {
        for (Block*& current : row) {
            Block* block = std::exchange(current, &no_block);
            if (block != &no_block && block->used == 0) {
                update_lists(block);
            }
        }
    }
}

ThreadHeap::Allocated ThreadHeap::allocate_slow(BlockKind kind, unsigned size_class) {
    Block*& current = current_[kind_row(kind)][size_class];
    collect_remote();
    if (!is_full(current)) {
        return allocate(kind, size_class);
    }
    if (current->is_listed) {
        unlist(current);
    }
    Block* block = listed_[kind_row(kind)][size_class];
    if (block == nullptr) {
        block = thread_heaps.adopt_block(*this, kind, size_class);
    }
    if (block == nullptr) {
        block = pool_.take_block(kind, size_class);
        if (block == nullptr) {
            current = &no_block;
            return {};
        }
        block->has_young = false;
        block->owner.store(this, std::memory_order_relaxed);
        list(block);
    }
    current = block;
    return allocate(kind, size_class);
}

void ThreadHeap::free_remote(Block* block, FreeSlot* slot) {
    FreeSlot* head = block->remote_free.load(std::memory_order_relaxed);
    do {
        slot->next = head;
        // release: pairs with take_back, which reads the slot's link.
    } while (!block->remote_free.compare_exchange_weak(head, slot, std::memory_order_release,
                                                       std::memory_order_relaxed));
    if (head != nullptr) {
        return;
    }
    // The first slot on the list: the block joins its owner's pending list, once, until the owner
    // has emptied the list. acquire: pairs with adoption, which changes the owner.
    ThreadHeap* owner = block->owner.load(std::memory_order_acquire);
    Block* first = owner->pending_.load(std::memory_order_relaxed);
    do {
        block->next_pending.store(first, std::memory_order_relaxed);
        // release: pairs with collect_remote, which reads the link.
    } while (!owner->pending_.compare_exchange_weak(first, block, std::memory_order_release,
                                                    std::memory_order_relaxed));
}

void ThreadHeap::take_back(Block* block) {
    FreeSlot* slot = block->remote_free.exchange(nullptr, std::memory_order_acquire);
    while (slot != nullptr) {
        FreeSlot* next = slot->next;
        slot->next = block->free;
        block->free = slot;
        --block->used;
        slot = next;
    }
    update_lists(block);
}

void ThreadHeap::collect_remote() {
    Block* block = pending_.exchange(nullptr, std::memory_order_acquire);
    while (block != nullptr) {
        // Read before the list of frees is emptied: from then on the block may be queued again.
        Block* next = block->next_pending.load(std::memory_order_relaxed);
        ThreadHeap* owner = block->owner.load(std::memory_order_acquire);
        if (owner == this) {
            take_back(block);
        } else {
            // It was adopted between a free and its notice: pass the notice on.
            Block* first = owner->pending_.load(std::memory_order_relaxed);
            do {
                block->next_pending.store(first, std::memory_order_relaxed);
            } while (!owner->pending_.compare_exchange_weak(first, block, std::memory_order_release,
                                                            std::memory_order_relaxed));
        }
        block = next;
    }
}

Block* ThreadHeap::adopt_from(ThreadHeap& idle, BlockKind kind, unsigned size_class) {
    Block*& current = idle.current_[kind_row(kind)][size_class];
    Block* block = idle.listed_[kind_row(kind)][size_class];
    if (block != nullptr && block == current && is_full(block)) {
        idle.unlist(block);  // it only looked free: nobody had allocated since it filled up
        current = &no_block;
        block = idle.listed_[kind_row(kind)][size_class];
    }
    if (block == nullptr) {
        return nullptr;
    }
    if (block == current) {
        current = &no_block;
    }
    const bool had_young = block->has_young;
    idle.unlist(block);
    idle.forget_young(block);
    // release: a thread that frees into the block from now on notifies this heap, and sees it
    // initialised.
    block->owner.store(this, std::memory_order_release);
    list(block);
    if (had_young) {
        add_young(block);
    }
    return block;
}

ThreadHeap* ThreadHeaps::acquire(BlockPool& pool) {
    const std::lock_guard guard(mutex_);
    if (!idle_.empty()) {
        ThreadHeap* heap = idle_.back();
        idle_.pop_back();
        return heap;
    }
    if (allocation_fails()) {
        return nullptr;
    }
    try {
        idle_.reserve(all_.size() + 1);  // so that release never allocates
        all_.push_back(std::make_unique<ThreadHeap>(pool));
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
    return all_.back().get();
}

void ThreadHeaps::release(ThreadHeap* heap) {
    const std::lock_guard guard(mutex_);
    idle_.push_back(heap);
}

Block* ThreadHeaps::adopt_block(ThreadHeap& into, BlockKind kind, unsigned size_class) {
    const std::lock_guard guard(mutex_);
    for (ThreadHeap* idle : idle_) {
        idle->collect_remote();
        if (Block* block = into.adopt_from(*idle, kind, size_class)) {
            return block;
        }
    }
    return nullptr;
}

void ThreadHeaps::release_empty_idle() {
    const std::lock_guard guard(mutex_);
    for (ThreadHeap* idle : idle_) {
        idle->release_empty();
    }
}

}  // namespace ouro::heap
