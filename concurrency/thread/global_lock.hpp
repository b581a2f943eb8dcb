// One lock for all attached threads, with turns: the global interpreter lock.
//
// What: the holder runs. A waiter that has seen no waiter get the lock for an interval asks the holder
// to yield (kYield, seen at its next poll); the holder then hands the lock to the longest waiter and
// waits for its own next turn. A thread that releases the lock to block leaves it free: the first
// waiter is woken, but the first thread that comes takes it, so a thread that blocks often does not
// pay for a switch each time. The longest waiter is not bypassed for longer than an interval and a poll
// (inv.lock.turns).
//
// When: policy `gil`. The lock is taken before the thread attaches and released after it has detached,
// so waiting threads are outside and a stop waits only for the holder:
//
//     gil.take(self);    world.attach(self);
//     ...
//     if (world.safepoint(self) & kYield) {
//         world.detach(self); gil.yield(self); world.attach(self);
//     }
//     ...
//     world.detach(self); gil.release(self);
//
// Cost: take and release uncontended are a short section each; with detaching and attaching
// 50 ns a pair (experiments/micro/threads.cpp).
#pragma once

#include <cstdint>
#include <mutex>

#include "concurrency/thread/world.hpp"

namespace ouro::thread {

template <class Sync>
class BasicGlobalLock {
public:
    using Thread = BasicThread<Sync>;

    // CPython's switch interval.
    static constexpr int64_t kIntervalNs = 5'000'000;

    explicit BasicGlobalLock(BasicWorld<Sync>& world, int64_t interval_ns = kIntervalNs)
        : world_(world), interval_ns_(interval_ns) {}

    // Waits for the lock. kHeld if t has it. t is not attached. `at_once`: asks the holder to yield at
    // once, without waiting for an interval; for a thread that will hold the lock for much less than one.
    [[nodiscard]] Error take(Thread* t, bool at_once = false);

    // kNotHeld unless t has it. t is detached.
    [[nodiscard]] Error release(Thread* t);

    // Hands the lock to the longest waiter and waits for the next turn; nothing if nobody waits.
    // kNotHeld unless t has it. t is detached.
    [[nodiscard]] Error yield(Thread* t);

    // Around a fork, as World's; the thread that forks has the lock, or no thread of the runtime ever had.
    void before_fork() { mutex_.lock(); }
    void after_fork_in_parent() { mutex_.unlock(); }
    void after_fork_in_child() {
        head_ = tail_ = nullptr;
        mutex_.unlock();
    }

    // For the thread itself.
    bool held_by(const Thread* t) const {
        // Another thread never stores a caller's own address.
        return holder_.load(std::memory_order_relaxed) == t;
    }

    // How often the lock went to another thread than it came from.
    uint64_t switches() const { return switches_.load(std::memory_order_relaxed); }

    // From now on; a waiter notices when it next wakes.
    void set_interval_ns(int64_t ns) { interval_ns_.store(ns, std::memory_order_relaxed); }

private:
    struct Waiter {
        explicit Waiter(Thread* who) : thread(who) {}
        Thread* thread;
        Waiter* next = nullptr;
        typename Sync::template Atomic<uint32_t> woken{0};
    };
    using Lock = std::unique_lock<typename Sync::Mutex>;

    void wait_for_turn(Lock& lock, Waiter* self);
    void hold(Thread* t);
    void append(Waiter* waiter);
    void pop();

    BasicWorld<Sync>& world_;
    typename Sync::template Atomic<int64_t> interval_ns_;
    typename Sync::Mutex mutex_;
    // Written under the mutex.
    typename Sync::template Atomic<Thread*> holder_{nullptr};
    typename Sync::template Atomic<uint64_t> switches_{0};
    const Thread* last_holder_ = nullptr;
    uint64_t served_ = 0;  // waiters that have got it
    Waiter* head_ = nullptr;
    Waiter* tail_ = nullptr;
};

template <class Sync>
void BasicGlobalLock<Sync>::append(Waiter* waiter) {
    (tail_ == nullptr ? head_ : tail_->next) = waiter;
    tail_ = waiter;
}

template <class Sync>
void BasicGlobalLock<Sync>::pop() {
    ++served_;
    head_ = head_->next;
    if (head_ == nullptr) {
        tail_ = nullptr;
    }
}

template <class Sync>
void BasicGlobalLock<Sync>::hold(Thread* t) {
    holder_.store(t, std::memory_order_relaxed);
    if (last_holder_ != t) {
        last_holder_ = t;
        switches_.fetch_add(1, std::memory_order_relaxed);
    }
}

template <class Sync>
Error BasicGlobalLock<Sync>::take(Thread* t, bool at_once) {
    Lock lock(mutex_);
    Thread* holder = holder_.load(std::memory_order_relaxed);
    if (holder == t) {
        return Error::kHeld;
    }
    if (holder == nullptr) {
        hold(t);
        return Error::kNone;
    }
    Waiter self(t);
    append(&self);
    if (at_once) {
        world_.request(holder, kYield);
    }
    wait_for_turn(lock, &self);
    return Error::kNone;
}

// With the mutex held and `self` in the queue; returns when its thread has the lock.
template <class Sync>
void BasicGlobalLock<Sync>::wait_for_turn(Lock& lock, Waiter* self) {
    uint64_t served = served_;
    int64_t since_ns = Sync::now_ns();
    for (;;) {
        self->woken.store(0, std::memory_order_relaxed);
        lock.unlock();
        const int64_t interval = interval_ns_.load(std::memory_order_relaxed);
        (void)Sync::wait(self->woken, 0, since_ns + interval);
        lock.lock();
        Thread* holder = holder_.load(std::memory_order_relaxed);
        if (holder == self->thread) {
            return;  // handed over, and taken off the queue
        }
        if (holder == nullptr && head_ == self) {
            pop();
            hold(self->thread);
            return;
        }
        if (served_ != served) {
            served = served_;
            since_ns = Sync::now_ns();
        } else if (const int64_t now = Sync::now_ns(); now >= since_ns + interval) {
            since_ns = now;
            if (holder != nullptr) {
                world_.request(holder, kYield);
            }
        }
    }
}

template <class Sync>
Error BasicGlobalLock<Sync>::release(Thread* t) {
    Waiter* next = nullptr;
    {
        const Lock lock(mutex_);
        if (!held_by(t)) {
            return Error::kNotHeld;
        }
        holder_.store(nullptr, std::memory_order_relaxed);
        next = head_;
        if (next != nullptr) {
            next->woken.store(1, std::memory_order_relaxed);
        }
    }
    if (next != nullptr) {
        Sync::wake(next->woken, 1);  // it may be gone: then nobody is woken
    }
    return Error::kNone;
}

template <class Sync>
Error BasicGlobalLock<Sync>::yield(Thread* t) {
    Lock lock(mutex_);
    if (!held_by(t)) {
        return Error::kNotHeld;
    }
    Waiter* next = head_;
    if (next == nullptr) {
        return Error::kNone;
    }
    pop();
    hold(next->thread);
    next->woken.store(1, std::memory_order_relaxed);
    // Under the mutex, without which the waiter, who has the lock now, cannot go on.
    Sync::wake(next->woken, 1);
    Waiter self(t);
    append(&self);
    wait_for_turn(lock, &self);
    return Error::kNone;
}

using GlobalLock = BasicGlobalLock<SystemSync>;

}  // namespace ouro::thread
