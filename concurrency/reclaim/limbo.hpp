// Limbo: unlinked memory that waits for its grace period, in a queue for each thread, and those that ended
// threads left behind.
//
//     Limbo limbo(epochs, [](void* p) { heap::free(p); });
//     auto mine = std::make_unique<Limbo::Queue>();   // one a thread
//     mine->prepare();                                // may throw; before p is unlinked
//     limbo.defer(*mine, p, bytes);                   // instead of free(p)
//     limbo.reclaim(*mine);                           // now and then: frees what may be freed
//     limbo.abandon(std::move(mine));                 // the thread ends: others will free it
//
// The user bounds it: `defer` returns true when so much waits that the owner should reclaim at its next
// safepoint and, if much still waits then, stop the world: in a stop all of it may be freed.
//
// Cost: defer is a push; one in kBatch also advances the clock of the epochs. Memory: 24 bytes an
// entry.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "concurrency/reclaim/epochs.hpp"

namespace ouro::reclaim {

template <class Epochs, class Mutex = std::mutex>
class BasicLimbo {
public:
    // Entries, and bytes that they keep, that share one goal.
    static constexpr size_t kBatch = 64;
    static constexpr size_t kBatchBytes = size_t{256} << 10;

    class Queue {
    public:
        // Room for one entry more. Throws std::bad_alloc.
        void prepare() {
            if (entries_.size() == entries_.capacity() && head_ > entries_.size() / 2) {
                entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(head_));
                head_ = 0;
            }
            if (entries_.size() == entries_.capacity()) {
                entries_.reserve(entries_.size() * 2 + kBatch);
            }
        }
        // Whether that needs no memory.
        bool has_room() const { return entries_.size() < entries_.capacity(); }
        size_t size() const { return entries_.size() - head_; }
        // What they keep.
        size_t bytes() const { return bytes_; }

    private:
        friend class BasicLimbo;
        struct Entry {
            void* p;
            size_t bytes;
            uint64_t goal;  // 0: none yet
        };
        std::vector<Entry> entries_;  // from head_ on, goals ascending, those without one last
        size_t head_ = 0;
        size_t open_ = 0;  // entries without a goal
        size_t open_bytes_ = 0;
        size_t bytes_ = 0;
        std::unique_ptr<Queue> next_;  // among those left behind
    };

    BasicLimbo(Epochs& epochs, void (*free)(void*)) : epochs_(epochs), free_(free) {}

    // Frees p, of `bytes`, late. By the queue's thread. Pre: prepared; nobody can find p any more
    // (inv.reclaim.unlink-before-goal). True if the thread should reclaim at its next safepoint.
    bool defer(Queue& queue, void* p, size_t bytes) noexcept {
        queue.entries_.push_back({p, bytes, 0});
        ++queue.open_;
        queue.open_bytes_ += bytes;
        queue.bytes_ += bytes;
        bytes_.fetch_add(bytes, std::memory_order_relaxed);
        if (queue.open_ < kBatch && queue.open_bytes_ < kBatchBytes) {
            return false;
        }
        close(queue);
        return true;
    }

    // Gives a goal to the entries that have none: they wait for quiescent points from now on. By the queue's thread.
    void close(Queue& queue) {
        if (queue.open_ == 0) {
            return;
        }
        const uint64_t goal = epochs_.advance();
        for (auto entry = queue.entries_.rbegin(); queue.open_ > 0; ++entry, --queue.open_) {
            entry->goal = goal;
        }
        queue.open_bytes_ = 0;
    }

    // Frees entries whose grace period has passed, of this queue and of those left behind. By the queue's
    // thread, at a safepoint.
    void reclaim(Queue& queue) {
        close(queue);
        free_passed(queue);
        for_each_left([this](Queue& left) { free_passed(left); });
    }

    // In a stop: frees all of it, because nobody is reading.
    void reclaim_all(Queue& queue) {
        close(queue);
        free_while(queue, [](uint64_t) { return true; });
    }
    void reclaim_left() {
        for_each_left([this](Queue& left) { reclaim_all(left); });
    }

    // Leaves the entries of the queue to the other threads.
    void abandon(std::unique_ptr<Queue> queue) noexcept {
        close(*queue);
        if (queue->size() > 0) {
            const std::lock_guard guard(mutex_);
            queue->next_ = std::move(left_);
            left_ = std::move(queue);
            any_left_.store(true, std::memory_order_relaxed);
        }
    }

    // Bytes that wait, of all threads.
    size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    // Whether ended threads left something.
    bool any_left() const { return any_left_.load(std::memory_order_relaxed); }

private:
    void free_passed(Queue& queue) {
        free_while(queue, [this](uint64_t goal) { return epochs_.passed(goal); });
    }

    template <class MayFree>
    void free_while(Queue& queue, MayFree may_free) {
        while (queue.size() > 0 && may_free(queue.entries_[queue.head_].goal)) {
            const auto entry = queue.entries_[queue.head_++];
            queue.bytes_ -= entry.bytes;
            bytes_.fetch_sub(entry.bytes, std::memory_order_relaxed);
            free_(entry.p);
        }
        if (queue.size() == 0) {
            queue.entries_.clear();
            queue.head_ = 0;
        }
    }

    // Calls work for each queue left behind, and forgets those that are empty then.
    template <class Work>
    void for_each_left(Work work) {
        if (!any_left_.load(std::memory_order_relaxed)) {
            return;
        }
        const std::lock_guard guard(mutex_);
        for (std::unique_ptr<Queue>* place = &left_; *place != nullptr;) {
            work(**place);
            if ((*place)->size() == 0) {
                *place = std::move((*place)->next_);
            } else {
                place = &(*place)->next_;
            }
        }
        any_left_.store(left_ != nullptr, std::memory_order_relaxed);
    }

    Epochs& epochs_;
    void (*free_)(void*);
    std::atomic<size_t> bytes_{0};
    std::atomic<bool> any_left_{false};
    Mutex mutex_;
    std::unique_ptr<Queue> left_;
};

using Limbo = BasicLimbo<Epochs>;

}  // namespace ouro::reclaim
