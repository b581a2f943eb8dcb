// The heap's blocks, handed out to the workers of a pass in address order, a chunk at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/heap/view.hpp"

namespace ouro::collector {

class BlockQueue {
public:
    struct Chunk {
        uintptr_t begin, end;  // addresses

        bool empty() const { return begin == end; }
        // Calls visit(block) for each block of containers, in address order.
        template <class Visit>
        void for_each_container_block(Visit visit) const {
            for (uintptr_t start = begin; start < end; start += heap::kBlockSize) {
                heap::Block* block = heap::block_of(reinterpret_cast<void*>(start));
                if (heap::is_container_kind(block->kind)) {
                    visit(block);
                }
            }
        }
    };

    explicit BlockQueue(const heap::HeapView<heap::Stopped>& view = {})
        : BlockQueue(view.first_block(), view) {}
    // From this block on.
    explicit BlockQueue(const heap::Block* from, const heap::HeapView<heap::Stopped>& view = {})
        : frontier_(heap::start_of(from)), end_(heap::start_of(view.end_of_blocks())) {}

    // Hands out all over again, from this block on. While no worker takes any.
    void restart(const heap::Block* from) {
        frontier_.store(heap::start_of(from), std::memory_order_relaxed);
    }

    // The next chunk; empty when there is none left. Any worker.
    Chunk take() {
        const uintptr_t begin = frontier_.fetch_add(kChunk, std::memory_order_relaxed);
        return {std::min(begin, end_), std::min(begin + kChunk, end_)};
    }

    bool is_empty() const { return frontier() >= end_; }

    // Everything from this address on is still to be handed out. What a worker reads may be out of
    // date when it reads it: then it is too low.
    uintptr_t frontier() const { return frontier_.load(std::memory_order_relaxed); }

private:
    // Some 80,000 small objects: taking a chunk costs nothing beside them, and workers end together.
    static constexpr uintptr_t kChunk = 16 * heap::kBlockSize;

    std::atomic<uintptr_t> frontier_;
    const uintptr_t end_;
};

}  // namespace ouro::collector
