// A lock in one byte.
//
// What: two bits, locked and has waiters; the waiters are in the parking lot. A waiter spins for a few
// loads, then detaches, sleeps, and attaches, so a contended lock never delays a stop. A thread that has
// waited for a millisecond is handed the lock when it is next released, so no thread starves
// (inv.lock.handed-over).
//
// When: per-object locks, an array of bytes in side metadata (ByteLock::at); the public mutex;
// anything that is seldom contended. Not recursive.
//
// When not: where a waiter must not reach a safepoint: use the Sync's Mutex for a short section.
//
//     ByteLock lock;
//     lock.lock(outside);              // outside.detach() ... sleep ... outside.attach()
//     ...
//     if (lock.unlock() != Error::kNone) { report("unlock"); }
//
// `Outside` is the caller's: detach() is called before it sleeps, attach() when it is awake again. They may take and
// release other locks, reach safepoints, and block. Before attach() an unlock that woke the thread is reported by
// woken(*this, handed_over). If attach() never returns, the thread must unlock a lock that it was handed, or pass_on()
// one that it was not. With Inside{} nothing is called: for threads that are not attached.
//
// Cost: lock and unlock uncontended are one compare-and-swap each, 5 ns a pair (a PyMutex,
// experiments/micro/threads.cpp).
#pragma once

#include <cstdint>

#include "concurrency/thread/parking_lot.hpp"
#include "concurrency/thread/safepoint_word.hpp"
#include "concurrency/thread/sync.hpp"

namespace ouro::thread {

// For callers that are not attached: a wait is just a wait.
struct Inside {
    void detach() const {}
    void attach() const {}
    template <class Lock>
    void woken(Lock&, bool) const {}
};

template <class Sync>
class BasicByteLock {
public:
    // The byte as a lock; zero is unlocked. For bytes in side metadata and in C structs.
    static BasicByteLock& at(uint8_t* byte) {
        static_assert(sizeof(BasicByteLock) == 1);
        return *reinterpret_cast<BasicByteLock*>(byte);
    }

    bool try_lock() {
        uint8_t seen = byte_.load(std::memory_order_relaxed);
        // Strong: a failure that means nothing would show as contention. Acquires what the last
        // holder released in unlock().
        return (seen & kLocked) == 0 &&
               byte_.compare_exchange_strong(seen, seen | kLocked, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }

    template <class Outside>
    void lock(Outside&& outside) {
        lock_until(kForever, outside);
    }

    // False, without the lock, if `deadline_ns` (Sync::now_ns) has passed.
    template <class Outside>
    bool lock_until(int64_t deadline_ns, Outside&& outside) {
        uint8_t unlocked = 0;
        // Partner: unlock().
        return byte_.compare_exchange_strong(unlocked, kLocked, std::memory_order_acquire,
                                             std::memory_order_relaxed) ||
               lock_slow(deadline_ns, outside);
    }

    // kNotHeld if it is not locked. The byte does not know which thread has locked it.
    [[nodiscard]] Error unlock() {
        uint8_t locked = kLocked;
        // Partner: the acquires above.
        if (byte_.compare_exchange_strong(locked, 0, std::memory_order_release,
                                          std::memory_order_relaxed)) {
            return Error::kNone;
        }
        return (locked & kLocked) == 0 ? Error::kNotHeld : unlock_slow();
    }

    // For a thread that was woken and does not want the lock any more: wakes another waiter instead
    // (inv.lock.no-lost-wakeup).
    void pass_on() {
        parking_lot<Sync>.unpark_one(this, [](const Unparked&) { return 0u; });
    }
    // In the child of a fork, of a lock of a thread that is not there.
    void reset() { byte_.store(0, std::memory_order_relaxed); }

    bool is_locked() const { return (byte_.load(std::memory_order_relaxed) & kLocked) != 0; }

    // A waiter that has waited for so long is handed the lock. As in WebKit and CPython.
    static constexpr int64_t kFairNs = 1'000'000;

private:
    static constexpr uint8_t kLocked = 1;
    static constexpr uint8_t kParked = 2;
    static constexpr int kSpins = 40;
    static constexpr uint32_t kHandedOver = 1;

    template <class Outside>
    bool lock_slow(int64_t deadline_ns, Outside& outside);
    Error unlock_slow();

    typename Sync::template Atomic<uint8_t> byte_{0};
};

template <class Sync>
template <class Outside>
bool BasicByteLock<Sync>::lock_slow(int64_t deadline_ns, Outside& outside) {
    int64_t since_ns = 0;
    int spins = Sync::processors() > 1 ? kSpins : 0;
    for (;;) {
        uint8_t seen = byte_.load(std::memory_order_relaxed);
        if ((seen & kLocked) == 0) {
            if (try_lock()) {
                return true;
            }
            continue;
        }
        if ((seen & kParked) == 0) {
            if (spins > 0) {
                --spins;
                Sync::relax();
                continue;
            }
            if (!byte_.compare_exchange_weak(seen, kLocked | kParked, std::memory_order_relaxed,
                                             std::memory_order_relaxed)) {
                continue;
            }
        }
        since_ns = since_ns == 0 ? Sync::now_ns() : since_ns;
        uint32_t token = 0;
        outside.detach();
        const Parked parked = parking_lot<Sync>.park(
            this, [this] { return byte_.load(std::memory_order_relaxed) == (kLocked | kParked); },
            deadline_ns, since_ns, &token);
        const bool handed_over = parked == Parked::kWoken && token == kHandedOver;
        if (parked == Parked::kWoken) {
            outside.woken(*this, handed_over);
        }
        if (handed_over) {
            parking_lot<Sync>.notice();
        }
        outside.attach();
        if (handed_over) {
            return true;  // the byte stayed locked; the lot ordered us after who unlocked
        }
        if (parked == Parked::kTimedOut || Sync::now_ns() >= deadline_ns) {
            return try_lock();
        }
    }
}

template <class Sync>
Error BasicByteLock<Sync>::unlock_slow() {
    Error error = Error::kNone;
    parking_lot<Sync>.unpark_one(this, [this, &error](const Unparked& unparked) {
        const uint8_t parked = unparked.more ? kParked : 0;
        if (!is_locked()) {
            error =
                Error::kNotHeld;  // another thread unlocked it meanwhile: one of the two was wrong
            return 0u;
        }
        const bool hand_over = unparked.found && unparked.waited_ns >= kFairNs;
        // While it is locked with waiters, nobody but who unlocks changes the byte, and that under the
        // lot's lock. Partner: the acquires of who locks next.
        byte_.store(hand_over ? (kLocked | parked) : parked, std::memory_order_release);
        return hand_over ? kHandedOver : 0u;
    });
    return error;
}

using ByteLock = BasicByteLock<SystemSync>;

static_assert(sizeof(ByteLock) == 1, "an array of bytes is an array of locks");

}  // namespace ouro::thread
