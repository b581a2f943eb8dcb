// A bounded pool of segments of work, for workers that keep the rest of theirs to themselves.
//
// A worker has a stack of its own. When others have run out of work, it gives the oldest part of its
// stack to the pool, a segment at a time; they take segments from there. When every worker has run
// out and the pool is empty, the work is done.
//
//     segments.enter();
//     do {
//         ... work on the local stack; if (segments.wanted()) segments.give(...) ...
//     } while (segments.take(local));
//
// When not: for work that is known in advance a shared counter suffices and costs less.
//
// No worker waits for a lock: the numbers of the free segments and of the filled ones are on two lock-free
// stacks, and a worker without work sleeps until one is given.
//
// Source: worklists of buckets as in V8's collector (heap/base/worklist.h) and Whippet; termination by a
// count of busy workers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "concurrency/worklist/index_stack.hpp"

namespace ouro::worklist {

template <class Item, size_t kItems = 512, size_t kSegments = 16>
class SharedSegments {
public:
    static constexpr size_t kSegment = kItems;

    SharedSegments() {
        for (size_t i = 0; i < kSegments; ++i) {
            free_.push(static_cast<uint16_t>(i));
        }
    }

    // A worker begins. Each enters once, then calls take until it is false.
    void enter() { busy_.fetch_add(1); }

    // Whether a worker would take a segment. A hint, cheap enough for an inner loop.
    bool wanted() const { return wanted_.load(std::memory_order_relaxed) > 0; }

    // Hands over `kSegment` items from `items` on. False if the pool is full.
    bool give(const Item* items) {
        uint16_t segment = 0;
        if (!free_.pop(segment)) {
            return false;
        }
        std::copy_n(items, kSegment, segments_[segment].begin());
        wanted_.fetch_sub(1, std::memory_order_relaxed);
        filled_.push(segment);
        changes_.fetch_add(1);
        changes_.notify_one();
        return true;
    }

    // Called by a worker that has run out. Waits for a segment and appends it to `stack`: true; or
    // false when all workers that have entered have run out. Then the work is done.
    //
    // Termination: a worker counts as busy while it searches the pool, and has given all that it gives before. So
    // when the last busy worker has found nothing, no work is left.
    template <class Stack>
    bool take(Stack& stack) {
        while (true) {
            const uint32_t seen = changes_.load();
            if (take_filled(stack)) {
                return true;
            }
            if (busy_.fetch_sub(1) == 1) {
                changes_.fetch_add(1);
                changes_.notify_all();
                return false;
            }
            wanted_.fetch_add(1, std::memory_order_relaxed);
            changes_.wait(seen);
            wanted_.fetch_sub(1, std::memory_order_relaxed);
            if (busy_.load() == 0) {
                return false;
            }
            busy_.fetch_add(1);
        }
    }

private:
    template <class Stack>
    bool take_filled(Stack& stack) {
        uint16_t segment = 0;
        if (!filled_.pop(segment)) {
            return false;
        }
        wanted_.fetch_add(1, std::memory_order_relaxed);
        stack.insert(stack.end(), segments_[segment].begin(), segments_[segment].end());
        free_.push(segment);
        return true;
    }

    std::array<std::array<Item, kItems>, kSegments> segments_;
    IndexStack<kSegments> free_, filled_;
    std::atomic<unsigned> busy_{0};
    // Segments given, and ends: a worker without work waits until it changes.
    std::atomic<uint32_t> changes_{0};
    std::atomic<int> wanted_{0};  // workers without work, less filled segments
};

}  // namespace ouro::worklist
