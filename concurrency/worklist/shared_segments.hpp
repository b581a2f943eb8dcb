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
// When not: for work that is known beforehand, a shared counter is enough and costs less.
//
// Source: worklists of buckets as in V8's collector (heap/base/worklist.h) and Whippet; termination
// by counting busy workers under the pool's lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace ouro::worklist {

template <class Item, size_t kItems = 512, size_t kSegments = 16>
class SharedSegments {
public:
    static constexpr size_t kSegment = kItems;

    // A worker begins. Each enters once, then calls take until it is false.
    void enter() {
        const std::lock_guard guard(mutex_);
        ++busy_;
    }

    // Whether a segment would find a taker. A hint, cheap enough for an inner loop.
    bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

    // Hands over `kSegment` items from `items` on. False if the pool is full.
    bool give(const Item* items) {
        {
            const std::lock_guard guard(mutex_);
            if (filled_ == kSegments) {
                return false;
            }
            std::copy_n(items, kSegment, segments_[filled_++].begin());
            note_wanted();
        }
        work_or_end_.notify_one();
        return true;
    }

    // Called by a worker that has run out. Waits for a segment and appends it to `stack`: true; or
    // false when all workers that have entered have run out. Then the work is done.
    template <class Stack>
    bool take(Stack& stack) {
        std::unique_lock lock(mutex_);
        --busy_;
        ++waiting_;
        note_wanted();
        work_or_end_.wait(lock, [&] { return filled_ > 0 || busy_ == 0; });
        --waiting_;
        if (filled_ == 0) {
            work_or_end_.notify_all();
            return false;
        }
        const auto& segment = segments_[--filled_];
        stack.insert(stack.end(), segment.begin(), segment.end());
        ++busy_;
        note_wanted();
        return true;
    }

private:
    void note_wanted() { wanted_.store(waiting_ > filled_, std::memory_order_relaxed); }

    std::mutex mutex_;
    std::condition_variable work_or_end_;
    std::array<std::array<Item, kItems>, kSegments> segments_;
    size_t filled_ = 0;
    size_t busy_ = 0;
    size_t waiting_ = 0;
    std::atomic<bool> wanted_{false};
};

}  // namespace ouro::worklist
