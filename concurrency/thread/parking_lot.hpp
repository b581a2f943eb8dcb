// Where threads sleep until a condition on an address changes.
//
// What: a hash table of queues. A lock then needs no queue of its own and fits a byte or two bits.
// park() checks the condition and joins the queue in one step under the queue's lock; unpark_one()
// takes the first waiter of an address and decides the lock's next state in the same step, so that no
// wake-up is lost (inv.lock.no-lost-wakeup).
//
// When: behind a lock word that says "somebody waits". When not: by itself; use ByteLock.
//
//     lot.park(&byte, [&] { return byte == (kLocked | kParked); }, deadline, since, &token);
//     lot.unpark_one(&byte, [&](const Unparked& u) { byte = u.more ? kParked : 0; return 0u; });
//
// Neither callback may block or park. Any thread may call; the waiting thread should be detached, because
// it sleeps.
//
// Around a fork of the process: before_fork() on the forking thread, then one of the other two; between them no
// other thread parks or is unparked. By then each thread unparked with a token other than 0 has called notice().
//
// Cost: 64 queues, 4 KiB. Source: WebKit's WTF::ParkingLot ("Locking in WebKit", 2016); CPython's
// _PyParkingLot is the same idea.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "concurrency/thread/sync.hpp"

namespace ouro::thread {

struct Unparked {
    bool found = false;     // whether a thread waited
    bool more = false;      // whether others still wait for the same address
    int64_t waited_ns = 0;  // how long the one found has
};

enum class Parked {
    kWoken,      // by unpark_one
    kNotWaited,  // the condition was false
    kTimedOut,
};

// The upper bits of the result tell neighbouring addresses apart, which share all but their low bits:
// Fibonacci hashing.
inline uint64_t scatter(const void* address) {
    return reinterpret_cast<uintptr_t>(address) * uint64_t{0x9E3779B97F4A7C15};
}

template <class Sync>
class BasicParkingLot {
public:
    constexpr BasicParkingLot() = default;

    // Sleeps until it is unparked or `deadline_ns` has passed, if `condition()`, which is called under
    // the queue's lock, holds. `*token` is what the callback of unpark_one returned.
    // `since_ns`: when the caller began to wait, if it has been here before.
    template <class Condition>
    Parked park(const void* address, const Condition& condition, int64_t deadline_ns,
                int64_t since_ns, uint32_t* token) {
        Waiter self{address, since_ns};
        Bucket& bucket = bucket_of(address);
        {
            const Guard guard(bucket.mutex);
            if (!condition()) {
                return Parked::kNotWaited;
            }
            bucket.append(&self);
        }
        for (;;) {
            // Partner: the store in unpark_one.
            if (self.woken.load(std::memory_order_acquire) != 0) {
                *token = self.token;
                return Parked::kWoken;
            }
            if (!Sync::wait(self.woken, 0, deadline_ns)) {
                const Guard guard(bucket.mutex);
                if (bucket.remove(&self)) {
                    return Parked::kTimedOut;
                }
                // Taken off the queue: woken is set under the same lock.
            }
        }
    }

    // Takes the longest waiter of `address` and wakes it with the token that `decide(Unparked)`
    // returns; decide is called under the queue's lock, also if nobody waits.
    template <class Decide>
    void unpark_one(const void* address, const Decide& decide) {
        Bucket& bucket = bucket_of(address);
        Waiter* waiter = nullptr;
        {
            const Guard guard(bucket.mutex);
            Unparked unparked;
            waiter = bucket.take(address, &unparked.more);
            unparked.found = waiter != nullptr;
            if (waiter != nullptr) {
                unparked.waited_ns = Sync::now_ns() - waiter->since_ns;
            }
            const uint32_t token = decide(static_cast<const Unparked&>(unparked));
            if (waiter == nullptr) {
                return;
            }
            if (token != 0) {
                unnoticed_.fetch_add(1, std::memory_order_relaxed);
            }
            waiter->token = token;
            // Partner: the load in park. From here on the waiter may be gone; its address is not.
            waiter->woken.store(1, std::memory_order_release);
        }
        Sync::wake(waiter->woken, 1);
    }

    // By a thread that was woken with a token other than 0, when it has recorded that.
    void notice() { unnoticed_.fetch_sub(1, std::memory_order_release); }

    void before_fork() {
        for (;;) {
            for (Bucket& bucket : buckets_) {
                bucket.mutex.lock();
            }
            if (unnoticed_.load(std::memory_order_acquire) == 0) {
                return;
            }
            after_fork_in_parent();
            Sync::yield();
        }
    }
    void after_fork_in_parent() {
        for (Bucket& bucket : buckets_) {
            bucket.mutex.unlock();
        }
    }
    void after_fork_in_child() {
        for (Bucket& bucket : buckets_) {
            bucket.head = bucket.tail = nullptr;
            bucket.mutex.unlock();
        }
    }

private:
    using Guard = std::lock_guard<typename Sync::Mutex>;

    struct Waiter {
        Waiter(const void* where, int64_t since) : address(where), since_ns(since) {}
        const void* address;
        int64_t since_ns;
        Waiter* next = nullptr;
        uint32_t token = 0;
        typename Sync::template Atomic<uint32_t> woken{0};
    };

    struct alignas(64) Bucket {
        typename Sync::Mutex mutex;
        Waiter* head = nullptr;
        Waiter* tail = nullptr;

        void append(Waiter* waiter) {
            (tail == nullptr ? head : tail->next) = waiter;
            tail = waiter;
        }
        void cut(Waiter* before, Waiter* waiter) {
            (before == nullptr ? head : before->next) = waiter->next;
            if (tail == waiter) {
                tail = before;
            }
            waiter->next = nullptr;
        }
        bool remove(Waiter* waiter) {
            Waiter* before = nullptr;
            for (Waiter* w = head; w != nullptr; before = w, w = w->next) {
                if (w == waiter) {
                    cut(before, w);
                    return true;
                }
            }
            return false;
        }
        Waiter* take(const void* address, bool* more) {
            Waiter* before = nullptr;
            for (Waiter* w = head; w != nullptr; before = w, w = w->next) {
                if (w->address != address) {
                    continue;
                }
                for (const Waiter* rest = w->next; rest != nullptr; rest = rest->next) {
                    *more = *more || rest->address == address;
                }
                cut(before, w);
                return w;
            }
            return nullptr;
        }
    };

    // A fork holds the mutexes of all; ThreadSanitizer follows 64 that are held at once, no more.
#ifdef __SANITIZE_THREAD__
    static constexpr unsigned kBucketBits = 4;
#else
    static constexpr unsigned kBucketBits = 6;
#endif
    static constexpr size_t kBuckets = size_t{1} << kBucketBits;

    Bucket& bucket_of(const void* address) {
        return buckets_[scatter(address) >> (64 - kBucketBits)];
    }

    std::array<Bucket, kBuckets> buckets_;
    typename Sync::template Atomic<uint32_t> unnoticed_{0};
};

// The process's own: locks name it by their address only.
template <class Sync>
inline BasicParkingLot<Sync> parking_lot;

}  // namespace ouro::thread
