// The definitions of world.hpp; included by it alone.
#pragma once

#include <cassert>
#include <limits>
#include <new>

#include "concurrency/thread/world.hpp"

namespace ouro::thread {

template <class Sync>
struct BasicWorld<Sync>::Chunk {
    std::array<Thread, kChunk> records;
};

template <class Sync>
struct BasicWorld<Sync>::Outside {
    BasicWorld& world;
    Thread* self;
    void detach() const {
        [[maybe_unused]] const Error error = world.detach(self);
        assert(error == Error::kNone);
    }
    void woken(const BasicByteLock<Sync>&, bool) const {}
    void attach() const {
        [[maybe_unused]] const Error error = world.attach(self);
        assert(error == Error::kNone);
    }
};

template <class Sync>
BasicWorld<Sync>::~BasicWorld() {
    assert(first_ == nullptr);
    for (auto& chunk : chunks_) {
        delete chunk.load(std::memory_order_relaxed);
    }
}

// -- The registry --

template <class Sync>
typename BasicWorld<Sync>::Thread* BasicWorld<Sync>::find(uint32_t index) const {
    // Partner: the store in add().
    Chunk* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &chunk->records[index % kChunk];
}

template <class Sync>
typename BasicWorld<Sync>::Thread* BasicWorld<Sync>::add(void* user) {
    const Guard guard(mutex_);
    const uint32_t index = indexes_.take();  // inv.thread.index-unique
    if (index == OURO_OWNER_NONE) {
        return nullptr;
    }
    Thread* t = find(index);
    if (t == nullptr) {
        auto* chunk = new (std::nothrow) Chunk;
        if (chunk == nullptr) {
            indexes_.give_back(index);
            return nullptr;
        }
        // Partner: find().
        chunks_[index / kChunk].store(chunk, std::memory_order_release);
        t = &chunk->records[index % kChunk];
    }
    t->index_ = index;
    t->user = user;
    t->arrived_ns_ = Thread::kBlocked;
    t->previous_ = nullptr;
    t->next_ = first_;
    if (first_ != nullptr) {
        first_->previous_ = t;
    }
    first_ = t;
    size_.fetch_add(1, std::memory_order_relaxed);
    // Born into a stop it is part of it (inv.stop.alone). A request meant for the last owner of the
    // index is forgotten here. Released to attach(), through whatever hands the record on.
    t->word_.store(stopping_ ? static_cast<Word>(State::kSuspended) | kStop
                             : static_cast<Word>(State::kDetached),
                   std::memory_order_release);
    return t;
}

template <class Sync>
void BasicWorld<Sync>::unlink(Thread* t) {
    const Guard guard(mutex_);
    (t->previous_ == nullptr ? first_ : t->previous_->next_) = t->next_;
    if (t->next_ != nullptr) {
        t->next_->previous_ = t->previous_;
    }
    size_.fetch_sub(1, std::memory_order_relaxed);
    indexes_.give_back(t->index_);
}

// Two steps. The state becomes exited, by a compare-and-swap of the caller or of the thread that ends the suspension
// that the caller waits for. Then the caller alone takes the record out of the registry. In between other threads skip
// it.
template <class Sync>
Error BasicWorld<Sync>::remove(Thread* t, Thread* self) {
    Word seen = t->word_.load(std::memory_order_relaxed);
    for (;;) {
        switch (state_of(seen)) {
            case State::kAttached:
                return Error::kAttached;
            case State::kExited:
                return Error::kNotRegistered;
            case State::kDetached:
                // Acquires what was done by threads that had it suspended; releases what the thread did to a
                // stop that finds it exited.
                if (t->word_.compare_exchange_weak(seen, static_cast<Word>(State::kExited),
                                                   std::memory_order_acq_rel,
                                                   std::memory_order_relaxed)) {
                    unlink(t);
                    return Error::kNone;
                }
                break;
            case State::kSuspended:
                if ((seen & kWants) != 0) {
                    return Error::kAttached;  // another thread is attaching it
                }
                if (t->word_.compare_exchange_weak(seen, seen | kWants | kLeaves,
                                                   std::memory_order_relaxed,
                                                   std::memory_order_relaxed)) {
                    const Outside outside{*this, self};
                    if (self != nullptr) {
                        outside.detach();
                    }
                    await_let_go(t);
                    unlink(t);
                    if (self != nullptr) {
                        outside.attach();
                    }
                    return Error::kNone;
                }
                break;
        }
    }
}

template <class Sync>
template <class F>
void BasicWorld<Sync>::for_each(const F& function) {
    const Guard guard(mutex_);
    for (Thread* t = first_; t != nullptr; t = t->next_) {
        if (t->state() != State::kExited) {
            function(*t);
        }
    }
}

// -- Attach, detach, safepoints --

template <class Sync>
Error BasicWorld<Sync>::attach(Thread* t) {
    Word seen = t->word_.load(std::memory_order_relaxed);
    for (;;) {
        switch (state_of(seen)) {
            case State::kAttached:
                return Error::kAttached;
            case State::kExited:
                return Error::kNotRegistered;
            case State::kDetached:
                // Acquires what was done by threads that had it suspended: partner let_go.
                if (t->word_.compare_exchange_weak(seen, with_state(seen, State::kAttached),
                                                   std::memory_order_acquire,
                                                   std::memory_order_relaxed)) {
                    return Error::kNone;
                }
                break;
            case State::kSuspended:
                if ((seen & kWants) != 0) {
                    return Error::kAttached;  // another thread is attaching the same record
                }
                if (t->word_.compare_exchange_weak(seen, seen | kWants, std::memory_order_relaxed,
                                                   std::memory_order_relaxed)) {
                    await_let_go(t);
                    return Error::kNone;
                }
                break;
        }
    }
}

// Suspended, with kWants: the thread that ends the suspension attaches this one on its behalf, so that the next
// stop finds it attached and has to wait for its next safepoint (inv.stop.handed-over).
template <class Sync>
void BasicWorld<Sync>::await_let_go(Thread* t) {
    const auto let_go = [t] {
        // Partner: let_go and resume.
        return state_of(t->word_.load(std::memory_order_acquire)) != State::kSuspended;
    };
    const int64_t spin = spin_ns(runners_.load(std::memory_order_relaxed));
    if (spin > 0 && spin_until<Sync>(let_go, spin)) {
        return;
    }
    for (;;) {
        // Before the load of the state: partner wake_all.
        const uint32_t ended = ended_.load(std::memory_order_acquire);
        if (let_go()) {
            return;
        }
        Word seen = t->word_.load(std::memory_order_relaxed);
        if (state_of(seen) == State::kSuspended &&
            ((seen & kSleeps) != 0 ||
             t->word_.compare_exchange_weak(seen, seen | kSleeps, std::memory_order_relaxed,
                                            std::memory_order_relaxed))) {
            // A thread that ends the suspension from here on sees kSleeps and increments `ended_`.
            Sync::wait(ended_, ended, kForever);
        }
    }
}

// One system call for all: if they were woken one by one, the first could take the core from the waking thread.
template <class Sync>
void BasicWorld<Sync>::wake_all() {
    ended_.fetch_add(1, std::memory_order_release);
    Sync::wake(ended_, std::numeric_limits<int>::max());
}

// The word after a suspension.
template <class Sync>
Word BasicWorld<Sync>::let_go_state(Word word) {
    State next = State::kDetached;
    if ((word & kWants) != 0) {
        next = (word & kLeaves) != 0 ? State::kExited : State::kAttached;
    }
    return with_state(word & ~(kStop | kWants | kSleeps | kLeaves | kOnBehalf), next);
}

// Ends a stop for t. True: it sleeps, wake it.
template <class Sync>
bool BasicWorld<Sync>::let_go(Thread* t) {
    Word seen = t->word_.load(std::memory_order_relaxed);
    do {
        if (state_of(seen) == State::kExited) {
            return false;
        }
        assert(state_of(seen) == State::kSuspended && (seen & kStop) != 0);  // inv.stop.alone
        // Partner: the acquires in attach, remove and await_let_go.
    } while (!t->word_.compare_exchange_weak(seen, let_go_state(seen), std::memory_order_release,
                                             std::memory_order_relaxed));
    return (seen & kSleeps) != 0;
}

template <class Sync>
Error BasicWorld<Sync>::detach(Thread* t, Word unless, Word* pending) {
    Word seen = t->word_.load(std::memory_order_relaxed);
    for (;;) {
        if (state_of(seen) != State::kAttached) {
            return state_of(seen) == State::kExited ? Error::kNotRegistered : Error::kNotAttached;
        }
        if ((seen & kHandshake) != 0) {
            run_handshake(t);
            seen = t->word_.load(std::memory_order_relaxed);
            continue;
        }
        const Word asked = seen & unless & kCallerRequests;
        if (asked != 0) {
            // Acquires what was written before request().
            if (t->word_.compare_exchange_weak(seen, seen & ~asked, std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
                *pending = asked;
                return Error::kNone;
            }
            continue;
        }
        const bool stop = (seen & kStop) != 0;
        if (stop) {
            t->arrived_ns_ = Sync::now_ns();
        }
        // Releases what the thread did to who suspends it (try_suspend, stop). One word: a request
        // that comes before this makes it fail, one that comes after finds the thread outside
        // (inv.thread.one-word).
        if (t->word_.compare_exchange_weak(
                seen, with_state(seen, stop ? State::kSuspended : State::kDetached),
                std::memory_order_release, std::memory_order_relaxed)) {
            if (stop) {
                to_stop_.arrive();
            }
            if (pending != nullptr) {
                *pending = 0;
            }
            return Error::kNone;
        }
    }
}

template <class Sync>
Word BasicWorld<Sync>::safepoint(Thread* t) {
    run_handshake(t);
    park_if_stopped(t);
    Word seen = t->word_.load(std::memory_order_relaxed);
    while (state_of(seen) == State::kAttached) {
        const Word asked = seen & kCallerRequests;
        // Acquires what was written before request().
        if (asked == 0 ||
            t->word_.compare_exchange_weak(seen, seen & ~asked, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
            return asked;
        }
    }
    return 0;
}

// Once, not for as long as stops come: see inv.stop.handed-over.
template <class Sync>
void BasicWorld<Sync>::park_if_stopped(Thread* t) {
    const Word seen = t->word_.load(std::memory_order_relaxed);
    if ((seen & kStop) != 0 && state_of(seen) == State::kAttached) {
        park(t);
    }
}

template <class Sync>
void BasicWorld<Sync>::park(Thread* t) {
    t->arrived_ns_ = Sync::now_ns();
    Word seen = t->word_.load(std::memory_order_relaxed);
    // kStop stays until let_go; only requests can make this fail. What the thread did is released by
    // arrive().
    while (!t->word_.compare_exchange_weak(seen, with_state(seen, State::kSuspended) | kWants,
                                           std::memory_order_release, std::memory_order_relaxed)) {
    }
    to_stop_.arrive();
    await_let_go(t);
}

template <class Sync>
int64_t BasicWorld<Sync>::spin_ns(uint32_t running) const {
    // With more threads than cores the one waited for may need this one.
    return running <= Sync::processors() && Sync::processors() > 1 ? kSpinNs : 0;
}

// -- Asking others --

template <class Sync>
void BasicWorld<Sync>::request(Thread* t, Word bits) {
    // Partner: the acquires in safepoint and detach.
    t->word_.fetch_or(bits & kCallerRequests, std::memory_order_release);
}

template <class Sync>
bool BasicWorld<Sync>::try_suspend(Thread* self, Thread* t) {
    Word seen = t->word_.load(std::memory_order_relaxed);
    for (;;) {
        if (state_of(seen) == State::kDetached) {
            // Partner: detach. Not a plain store: two may try, and the thread itself may attach.
            if (t->word_.compare_exchange_weak(
                    seen, with_state(seen, State::kSuspended) | kOnBehalf,
                    std::memory_order_acquire, std::memory_order_relaxed)) {
                return true;
            }
            continue;
        }
        if (state_of(seen) != State::kSuspended || (seen & (kOnBehalf | kWants)) != 0 ||
            (self->word_.load(std::memory_order_relaxed) & kStop) != 0) {
            return false;
        }
        // t is held by a stop that does not hold this thread: one that is resuming all threads and has resumed
        // this one but not yet t; or one that is requesting, and has not reached this thread yet.
        Sync::yield();
        seen = t->word_.load(std::memory_order_relaxed);
    }
}

template <class Sync>
Word BasicWorld<Sync>::take_requests(Thread* t, Word bits) {
    const Word asked = bits & kCallerRequests;
    // Partner: request().
    return t->word_.fetch_and(~asked, std::memory_order_acquire) & asked;
}

template <class Sync>
Word BasicWorld<Sync>::resume(Thread* t) {
    Word seen = t->word_.load(std::memory_order_relaxed);
    for (;;) {
        // inv.thread.suspended-stays
        assert(state_of(seen) == State::kSuspended && (seen & kOnBehalf) != 0);
        if ((seen & kHandshake) != 0) {
            run_handshake(t);
            seen = t->word_.load(std::memory_order_relaxed);
            continue;
        }
        // A stop that has claimed it meanwhile waits for this (inv.stop.counted-once).
        const bool stop = (seen & kStop) != 0;
        if (stop) {
            t->arrived_ns_ = Sync::now_ns();
        }
        // Partner: the acquires in attach, remove and await_let_go, and of a stop, through arrive();
        // acquires the requests that it returns.
        if (t->word_.compare_exchange_weak(seen, stop ? seen & ~kOnBehalf : let_go_state(seen),
                                           std::memory_order_acq_rel, std::memory_order_relaxed)) {
            if (stop) {
                to_stop_.arrive();
            } else if ((seen & kSleeps) != 0) {
                wake_all();
            }
            return seen & kCallerRequests;
        }
    }
}

}  // namespace ouro::thread
