// The merge queue of one owner index: objects of that owner to which another thread dropped a
// reference that only the owner can judge (Outcome::kQueue). The queue owns these references.
//
// When to use: through MergeQueues (merge_queues.hpp), which has one for each index that was ever
// used; by itself in tests and models. Which thread merges an object, by the state of its owner:
//
//     attached           the owner, at its next safepoint, before it detaches, when it exits
//     detached           the pusher, at once, with the owner suspended meanwhile: otherwise a queue
//                        would hold memory for as long as its owner blocks
//     stopped by others  the stopper, which drains before it lets the owner go on
//     ended              the pusher, at once, under the lock, which keeps a new owner out
//
// An index is reused at once; the new owner inherits the objects of its index.
//
// Policy, a reference shared by all queues, is what the runtime supplies (see MergePolicy). Sync is
// what the threads meet at: std types, or those of a model.
//
// Memory: kChunkBytes for each 62 objects, given back when they are drained, counted in QueueMemory
// and bounded by its limit. Without memory, or at the limit, no object is lost (inv.queue.nothing-lost): the
// pusher waits, and may be suspended meanwhile, until it can append, or until it can suspend the owner or the
// owner has ended; then it merges the object without an entry.
//
// Cost: a push to an attached owner is an uncontended lock and two atomic accesses; with the
// decrement that leads to it 36 ns (experiments/micro/threads.cpp).
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "concurrency/point/mutex.hpp"
#include "concurrency/refcount/word.hpp"

namespace ouro::refcount {

// What a queue asks of the runtime.
//   merge(object)        drops the reference that the queue owned by explicit_merge with -1; true if
//                        the object is dead. Called with the lock held: it does nothing else.
//   deallocate(object)   the object is dead. Arbitrary code, which may push, drain and wait: always
//                        called without the lock and with nobody suspended.
//   notify(owner)        asks an owner that could not be suspended to drain its queue at its next
//                        safepoint. Idempotent; called with the lock held.
//   try_suspend(owner)   a compare-and-swap of the owner's state from detached to suspended, seq_cst
//                        in success and failure; while it is suspended the owner cannot attach.
//   resume(owner)        back to detached, release; wakes the owner if it waits.
//   pause()              there is no memory: lets others run, and lets them suspend the caller, for
//                        a moment. Called without the lock. The caller drains its own queue in it
//                        or after it, if it was asked to.
//   allocate(bytes)      memory aligned for pointers, or nullptr. Must not raise, count or call back.
//   release(p, bytes)    gives it back.
template <class P>
concept MergePolicy = requires(P policy, void* object, uint32_t owner, size_t bytes) {
    { policy.merge(object) } -> std::same_as<bool>;
    policy.deallocate(object);
    policy.notify(owner);
    { policy.try_suspend(owner) } -> std::same_as<bool>;
    policy.resume(owner);
    policy.pause();
    { policy.allocate(bytes) } -> std::same_as<void*>;
    policy.release(object, bytes);
};

// What production queues synchronise with. Plain is a variable that the lock protects.
struct StdSync {
    using Mutex = point::Mutex;  // merging under it has points
    template <class T>
    using Atomic = std::atomic<T>;
    template <class T>
    using Plain = T;
};

// The memory that all queues together hold for their entries.
template <class Sync = StdSync>
class QueueMemory {
public:
    explicit QueueMemory(size_t limit) : limit_(limit) {}
    QueueMemory(const QueueMemory&) = delete;
    QueueMemory& operator=(const QueueMemory&) = delete;

    size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    size_t peak() const { return peak_.load(std::memory_order_relaxed); }
    size_t limit() const { return limit_; }

    // Reserves; false, and nothing changed, if the limit would be passed. inv.queue.bounded
    bool take(size_t bytes) {
        size_t now = bytes_.load(std::memory_order_relaxed);
        do {
            if (now + bytes > limit_) {
                return false;
            }
        } while (!bytes_.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed,
                                               std::memory_order_relaxed));
        size_t highest = peak_.load(std::memory_order_relaxed);
        while (highest < now + bytes &&
               !peak_.compare_exchange_weak(highest, now + bytes, std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
        }
        return true;
    }
    void give(size_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
    typename Sync::template Atomic<size_t> bytes_{0};
    typename Sync::template Atomic<size_t> peak_{0};
    const size_t limit_;
};

inline constexpr size_t kChunkBytes = 512;

template <class Policy, class Sync = StdSync, size_t kCapacity = kChunkBytes / sizeof(void*) - 2>
class alignas(64) MergeQueue {
public:
    MergeQueue(Policy& policy, QueueMemory<Sync>& memory, uint32_t owner)
        : policy_(&policy), memory_(&memory), owner_(owner) {
        static_assert(MergePolicy<Policy>);  // here, where a policy that names its queues is whole
    }
    MergeQueue(const MergeQueue&) = delete;
    MergeQueue& operator=(const MergeQueue&) = delete;

    // A thread begins to use the index, and with it owns what the index owned. Pre: nobody uses it.
    void register_owner() {
        const std::lock_guard lock(mutex_);
        OURO_REFCOUNT_ASSERT(head_ == nullptr && !registered_);  // inv.queue.inherited
        registered_ = true;
    }

    // The owner gives up its index: drains the queue; the objects of the index have no owner until the index is
    // used again. Post: the caller performs no operation on counts any more.
    void unregister_owner() {
        for (;;) {
            drain();
            const std::lock_guard lock(mutex_);
            if (head_ == nullptr) {
                registered_ = false;
                return;
            }
        }
    }

    // Takes over the caller's reference to `object`, after a decrement found kQueue. Returns when the object is
    // merged, or its owner has been notified. May run arbitrary code.
    void push(void* object) {
        std::unique_lock lock(mutex_);
        while (registered_) {
            if (append(object)) {
                merge_on_behalf(lock);
                return;
            }
            if (policy_->try_suspend(owner_)) {
                const bool dead = policy_->merge(object);
                policy_->resume(owner_);
                lock.unlock();
                if (dead) {
                    policy_->deallocate(object);
                }
                return;
            }
            policy_->notify(owner_);
            lock.unlock();
            policy_->pause();
            lock.lock();
        }
        // Under the lock, so that no newcomer becomes the owner meanwhile (inv.queue.absent).
        const bool dead = policy_->merge(object);
        lock.unlock();
        if (dead) {
            policy_->deallocate(object);
        }
    }

    // Merges the objects in the queue; returns how many. Called by the owner, attached, at safepoints; or by a
    // thread that keeps the owner from running. May run arbitrary code.
    size_t drain() {
        size_t merged = 0;
        while (Chunk* chunk = take_locked()) {
            merged += chunk->count;
            merge_all(chunk);
            deallocate_dead(chunk);
        }
        return merged;
    }

    // Merges for an owner that blocks with something left in its queue; nothing if it does not block.
    // Any thread but the owner. May run arbitrary code.
    void merge_for_owner() {
        std::unique_lock lock(mutex_);
        if (registered_) {
            merge_on_behalf(lock);
        }
    }

    // Objects in the queue. An owner that has published that it is detached (seq_cst) reads this
    // and, if it is not 0, attaches again and drains: either it sees the entry here, or the pusher,
    // which reads the owner's state after its push, sees it detached (inv.queue.seen-by-one). The
    // same holds for a thread that ends another kind of suspension.
    uint32_t entries() const { return entries_.load(std::memory_order_seq_cst); }

private:
    struct Chunk {
        Chunk* next;
        size_t count;
        void* objects[kCapacity];
    };

    // Pre: the lock is held. False without memory.
    bool append(void* object) {
        Chunk* chunk = head_;
        if (chunk == nullptr || chunk->count == kCapacity) {
            if (!memory_->take(sizeof(Chunk))) {
                return false;
            }
            void* bytes = policy_->allocate(sizeof(Chunk));
            if (bytes == nullptr) {
                memory_->give(sizeof(Chunk));
                return false;
            }
            chunk = ::new (bytes) Chunk{chunk, 0, {}};
            head_ = chunk;
        }
        chunk->objects[chunk->count++] = object;
        // seq_cst: the pusher's half of inv.queue.seen-by-one; the other is in entries().
        entries_.store(entries_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
        return true;
    }

    // Pre: the lock is held. The newest chunk, or nullptr.
    Chunk* take() {
        Chunk* chunk = head_;
        if (chunk != nullptr) {
            head_ = chunk->next;
            const uint32_t left = entries_.load(std::memory_order_relaxed);
            entries_.store(left - static_cast<uint32_t>(chunk->count), std::memory_order_relaxed);
        }
        return chunk;
    }
    Chunk* take_locked() {
        const std::lock_guard lock(mutex_);
        return take();
    }

    // After a push: if the owner is detached, merges for it, a chunk at a time so that neither it
    // nor another pusher waits long; else notifies it.
    void merge_on_behalf(std::unique_lock<typename Sync::Mutex>& lock) {
        while (head_ != nullptr) {
            if (!policy_->try_suspend(owner_)) {
                policy_->notify(owner_);
                return;
            }
            Chunk* chunk = take();
            merge_all(chunk);
            policy_->resume(owner_);
            lock.unlock();
            deallocate_dead(chunk);
            lock.lock();
        }
    }

    // Leaves the dead ones in the chunk. Pre: the owner cannot run, or is the caller.
    void merge_all(Chunk* chunk) {
        size_t dead = 0;
        for (size_t i = 0; i < chunk->count; ++i) {
            void* object = chunk->objects[i];
            if (policy_->merge(object)) {
                chunk->objects[dead++] = object;
            }
        }
        chunk->count = dead;
    }

    // Pre: the lock is not held (inv.queue.unlocked-death).
    void deallocate_dead(Chunk* chunk) {
        for (size_t i = 0; i < chunk->count; ++i) {
            policy_->deallocate(chunk->objects[i]);
        }
        policy_->release(chunk, sizeof(Chunk));
        memory_->give(sizeof(Chunk));
    }

    typename Sync::Mutex mutex_;
    typename Sync::template Plain<Chunk*> head_{nullptr};
    Policy* const policy_;
    QueueMemory<Sync>* const memory_;
    typename Sync::template Atomic<uint32_t> entries_{0};  // written under the lock
    const uint32_t owner_;
    typename Sync::template Plain<bool> registered_{false};
};

}  // namespace ouro::refcount
