// Grace periods by quiescence: when may memory be freed that other threads may still be reading?
//
// A read costs nothing: no lock, no counter, no barrier. A reader only promises to keep no pointer across
// its quiescent points (safepoints). Memory that is unlinked from a data structure is freed when every
// thread has passed a quiescent point since. Threads that are offline (detached) read nothing and are not
// waited for.
//
//     Epochs epochs;
//     Epochs::Reader reader;             // one a thread, as long-lived as its registration
//     epochs.enter(reader);              // attached: online and quiescent at this moment
//     ... p = slot.load(acquire); use(*p); ...
//     epochs.quiesce(reader);            // p is not used from here on
//     epochs.leave(reader);              // detached
//
//     slot.store(other, release);        // a writer: nobody finds p any more
//     const uint64_t goal = epochs.advance();
//     if (epochs.passed(goal)) free(p);  // later
//
// Not for data that is read for long without a quiescent point: nothing is freed meanwhile.
//
// Source: global unbounded sequences, as FreeBSD's SMR and CPython's qsbr have them; Hart, McKenney,
// Brown, Walpole, "Performance of memory reclamation for lockless synchronization", JPDC 2007.
//
// Cost: enter and quiesce are a load and a store; advance an atomic addition; passed a load, or, if
// the goal is not known to have passed, a walk over all readers under a lock.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <mutex>

namespace ouro::reclaim {

// The atomic and mutex types are parameters so that a scheduler that runs one thread at a time can
// explore the same code.
template <template <class> class Atomic = std::atomic, class Mutex = std::mutex>
class BasicEpochs {
public:
    class Reader {
    public:
        Reader() = default;
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;
        ~Reader() { assert(next_ == nullptr); }

    private:
        friend class BasicEpochs;
        static constexpr uint64_t kOffline = UINT64_MAX;

        Atomic<uint64_t> seen_{kOffline};
        Reader* next_ = nullptr;
        Reader* previous_ = nullptr;
    };

    BasicEpochs() { list_.next_ = list_.previous_ = &list_; }
    ~BasicEpochs() { list_.next_ = list_.previous_ = nullptr; }

    // A reader takes part, offline, from add to remove. Any thread.
    void add(Reader& reader) {
        const std::lock_guard guard(mutex_);
        reader.next_ = list_.next_;
        reader.previous_ = &list_;
        reader.next_->previous_ = &reader;
        list_.next_ = &reader;
    }
    // Pre: offline.
    void remove(Reader& reader) {
        const std::lock_guard guard(mutex_);
        assert(reader.seen_.load(std::memory_order_relaxed) == Reader::kOffline);
        reader.next_->previous_ = reader.previous_;
        reader.previous_->next_ = reader.next_;
        reader.next_ = reader.previous_ = nullptr;
    }

    // The reader's thread alone, or one that excludes it. (inv.reclaim.online-before-read)
    void enter(Reader& reader) {
        // acq_rel, and an exchange as `passed` does a fetch_or: one of the two comes first. Either
        // `passed` sees the reader online; or this sees what was unlinked before that goal. If the
        // clock advances in between, what is stored is only older, and safe.
        reader.seen_.exchange(now_.load(std::memory_order_acquire), std::memory_order_acq_rel);
    }
    // As enter: nothing read before is used any more. (inv.reclaim.quiescent)
    void quiesce(Reader& reader) {
        // acquire: pairs with `advance`; what was unlinked before the goal that is seen here will
        // not be found again. release: pairs with `passed`; the last uses come before the free.
        reader.seen_.store(now_.load(std::memory_order_acquire), std::memory_order_release);
    }
    void leave(Reader& reader) {
        // release: pairs with the acquire in `passed`.
        reader.seen_.store(Reader::kOffline, std::memory_order_release);
    }
    // In a stop, with every online reader at a quiescent point: as if all of them had called quiesce.
    void quiesce_all() {
        const std::lock_guard guard(mutex_);
        const uint64_t now = now_.load(std::memory_order_acquire);
        for (Reader* reader = list_.next_; reader != &list_; reader = reader->next_) {
            if (reader->seen_.load(std::memory_order_acquire) != Reader::kOffline) {
                reader->seen_.store(now, std::memory_order_release);
            }
        }
    }

    // The goal for memory that the caller has unlinked so far. (inv.reclaim.unlink-before-goal)
    uint64_t advance() {
        // acq_rel: a thread that sees the goal sees what this caller, and those before it, unlinked.
        return now_.fetch_add(1, std::memory_order_acq_rel) + 1;
    }
    // Whether every thread has passed a quiescent point since the goal was made. Any thread.
    bool passed(uint64_t goal) {
        // acquire: pairs with the release below; the readers' last uses come before.
        if (oldest_.load(std::memory_order_acquire) >= goal) {
            return true;
        }
        const std::lock_guard guard(mutex_);
        uint64_t oldest = now_.load(std::memory_order_acquire);
        for (Reader* reader = list_.next_; reader != &list_; reader = reader->next_) {
            // acq_rel, and not a load: see enter. acquire: see quiesce and leave.
            const uint64_t seen = reader->seen_.fetch_or(0, std::memory_order_acq_rel);
            oldest = seen < oldest ? seen : oldest;
        }
        // release: pairs with the acquire above. It never goes back.
        if (oldest_.load(std::memory_order_relaxed) < oldest) {
            oldest_.store(oldest, std::memory_order_release);
        }
        return oldest >= goal;
    }

private:
    Atomic<uint64_t> now_{1};
    Atomic<uint64_t> oldest_{0};  // every reader has seen it, written under the lock
    Mutex mutex_;
    Reader list_;  // of the readers; itself none
};

using Epochs = BasicEpochs<>;

}  // namespace ouro::reclaim
