// The definitions of world.hpp that stop others: all at once, or each in turn. Included by it alone.
#pragma once

#include <cassert>

#include "concurrency/thread/world.hpp"

namespace ouro::thread {

// -- Stopping --

template <class Sync>
Error BasicWorld<Sync>::stop(Thread* self, StopReport* report) {
    if (self->state() != State::kAttached) {
        return Error::kNotAttached;
    }
    if (stopped_by(self)) {
        return Error::kStopped;
    }
    // inv.stop.one-stopper: a thread that waits here is outside, hence part of the stop that it waits for.
    stop_lock_.lock(Outside{*this, self});
    stopper_.store(self, std::memory_order_relaxed);

    StopReport result;
    Thread* running = nullptr;
    uint32_t absent = 1;  // self
    {
        const Guard guard(mutex_);
        stopping_ = true;
        result.requested_ns = Sync::now_ns();
        // The count includes every thread until it is found blocked, so no arrival is missed, however early
        // (inv.stop.counted-once).
        to_stop_.begin(static_cast<uint32_t>(size()));
        for (Thread* t = first_; t != nullptr; t = t->next_) {
            if (t == self) {
                continue;
            }
            // Acquires what a thread did that is found exited (partner: remove), here or below.
            Word seen = t->word_.load(std::memory_order_acquire);
            for (;;) {
                const bool detached = state_of(seen) == State::kDetached;
                if (state_of(seen) == State::kExited) {
                    ++absent;
                    break;
                }
                // Suspended by another: that one counts it when it resumes it.
                const Word next = (detached ? with_state(seen, State::kSuspended) : seen) | kStop;
                // Partner: detach, for what the thread did; released to its safepoint.
                if (t->word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                                   std::memory_order_acquire)) {
                    if (detached) {
                        t->arrived_ns_ = Thread::kBlocked;
                        ++result.blocked;
                    } else {
                        ++result.running;
                        t->stop_next_ = running;
                        running = t;
                    }
                    break;
                }
            }
        }
    }
    runners_.store(result.running + 1, std::memory_order_relaxed);
    to_stop_.arrive(result.blocked + absent);
    to_stop_.wait(spin_ns(result.running + 1));  // inv.stop.alone from here to start()
    result.stopped_ns = Sync::now_ns();
    for (Thread* t = running; t != nullptr; t = t->stop_next_) {
        t->arrived_ns_ -= result.requested_ns;
        if (result.last == nullptr || t->arrived_ns_ > result.last_ns) {
            result.last = t;
            result.last_ns = t->arrived_ns_;
        }
    }
    if (report != nullptr) {
        *report = result;
    }
    return Error::kNone;
}

template <class Sync>
Error BasicWorld<Sync>::start(Thread* self, StopReport* report) {
    if (!stopped_by(self)) {
        return Error::kNotStopped;
    }
    const int64_t starting_ns = Sync::now_ns();
    bool sleepers = false;
    {
        const Guard guard(mutex_);
        stopping_ = false;
        for (Thread* t = first_; t != nullptr; t = t->next_) {
            if (t != self) {
                sleepers = let_go(t) || sleepers;
            }
        }
    }
    if (sleepers) {
        wake_all();
    }
    if (report != nullptr) {
        report->starting_ns = starting_ns;
        report->started_ns = Sync::now_ns();
    }
    stopper_.store(nullptr, std::memory_order_relaxed);
    [[maybe_unused]] const Error error = stop_lock_.unlock();
    assert(error == Error::kNone);
    return Error::kNone;
}

// -- Forks --

template <class Sync>
void BasicWorld<Sync>::after_fork_in_child(const Thread* self) {
    for (Thread* t = first_; t != nullptr; t = t->next_) {
        if (t != self) {
            const Word seen = t->word_.load(std::memory_order_relaxed);
            t->word_.store(with_state(seen & kDrainQueue, State::kDetached),
                           std::memory_order_relaxed);
        }
    }
    stopping_ = false;
    stopper_.store(nullptr, std::memory_order_relaxed);
    stop_lock_.reset();
    handshake_ = nullptr;
    handshake_lock_.reset();
    mutex_.unlock();
}

// -- Handshakes --

// If one is asked of t, which is the caller's own or suspended by the caller.
template <class Sync>
void BasicWorld<Sync>::run_handshake(Thread* t) {
    // Acquires the function: partner handshake().
    if ((t->word_.load(std::memory_order_acquire) & kHandshake) == 0) {
        return;
    }
    (*handshake_)(*t);
    // Clear the bit first: the next handshake sets it again (inv.thread.handshake-once). Released by
    // arrive().
    t->word_.fetch_and(~kHandshake, std::memory_order_relaxed);
    to_shake_.arrive();
}

template <class Sync>
Error BasicWorld<Sync>::handshake(Thread* self, const Function& function) {
    if (self->state() != State::kAttached) {
        return Error::kNotAttached;
    }
    if (stopped_by(self)) {
        for_each(function);
        return Error::kNone;
    }
    handshake_lock_.lock(Outside{*this, self});
    Thread* outside = nullptr;
    uint32_t done = 1;  // self
    {
        const Guard guard(mutex_);
        handshake_ = &function;
        to_shake_.begin(static_cast<uint32_t>(size()));
        for (Thread* t = first_; t != nullptr; t = t->next_) {
            if (t == self) {
                continue;
            }
            // Acquires what a thread did that is found exited (partner: remove), here or below.
            Word seen = t->word_.load(std::memory_order_acquire);
            for (;;) {
                const State state = state_of(seen);
                if (state == State::kExited) {
                    ++done;
                    break;
                }
                Word next = seen | kHandshake;  // run by t itself, or by the thread that holds it
                bool ours = false;
                if (state == State::kDetached) {
                    ours = true;
                    next = with_state(seen, State::kSuspended) | kOnBehalf;
                } else if (state == State::kSuspended && (seen & kOnBehalf) == 0) {
                    // A stop in progress holds it; that stop cannot be complete before this thread has
                    // stopped, too.
                    ours = true;
                    next = seen;
                }
                // Acquires from detach and park; releases the function to run_handshake.
                if (t->word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                                   std::memory_order_acquire)) {
                    if (ours) {
                        t->handshake_next_ = outside;
                        outside = t;
                        ++done;
                    }
                    break;
                }
            }
        }
    }
    function(*self);
    while (outside != nullptr) {
        Thread* t = outside;
        outside = t->handshake_next_;
        function(*t);
        if ((t->word_.load(std::memory_order_relaxed) & kOnBehalf) != 0) {
            resume(t);
        }
    }
    to_shake_.arrive(done);
    wait_for_handshake(self);
    [[maybe_unused]] const Error error = handshake_lock_.unlock();
    assert(error == Error::kNone);
    return Error::kNone;
}

template <class Sync>
void BasicWorld<Sync>::wait_for_handshake(Thread* self) {
    const auto done_or_stop = [this, self] {
        return to_shake_.done() || (self->word_.load(std::memory_order_relaxed) & kStop) != 0;
    };
    if (Sync::processors() > 1) {
        spin_until<Sync>(done_or_stop, kSpinNs);
    }
    if (!to_shake_.done()) {
        // Outside, so that a stop need not wait for this wait.
        const Outside outside{*this, self};
        outside.detach();
        to_shake_.wait(0);
        outside.attach();
    }
}

}  // namespace ouro::thread
