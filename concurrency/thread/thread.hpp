// A thread as the world knows it: its owner index and its safepoint word.
//
// What: a record in the registry of a World (world.hpp). Records live as long as their world: a thread that
// finds one by its index may send it a request, which at worst reaches the next thread that has the
// index. No operation checks which thread calls it: the runtime knows which record is the calling thread's.
//
//     Thread* t = world.add();
//     world.attach(t);
//     while (work()) {
//         if (t->poll()) {
//             act_on(world.safepoint(t));
//         }
//     }
//     world.detach(t);
//     world.remove(t);
//
// Cost: poll() is one relaxed load and a comparison, under 0.5 ns; a record is 128 bytes, two cache
// lines, so that requests do not slow accesses to the thread's own data.
#pragma once

#include <atomic>
#include <cstdint>

#include "concurrency/thread/safepoint_word.hpp"
#include "concurrency/thread/sync.hpp"

namespace ouro::thread {

template <class Sync>
class BasicWorld;

// The padding keeps what other threads write off the thread's own cache lines.
template <class Sync>
class alignas(64) BasicThread {  // NOLINT(clang-analyzer-optin.performance.Padding)
public:
    static constexpr int64_t kBlocked = -1;

    // Whether a safepoint must be taken now: BasicWorld::safepoint.
    bool poll() const {
        return word_.load(std::memory_order_relaxed) != static_cast<Word>(State::kAttached);
    }

    // OURO_OWNER_FIRST to OURO_OWNER_LAST; unique among registered threads, reused after remove().
    uint32_t index() const { return index_; }

    // Of another thread a snapshot, which may be outdated at once, unless the thread is held in that state by a
    // stop or a suspension of the caller's.
    State state() const { return state_of(word_.load(std::memory_order_relaxed)); }

    // Whether it is kept outside and waits to be attached. In a stop: whether start() attaches it.
    bool waits() const {
        return (word_.load(std::memory_order_relaxed) & (kWants | kLeaves)) == kWants;
    }

    // Requests that have been raised and not acted on.
    Word requests() const {
        return word_.load(std::memory_order_relaxed) & (kCallerRequests | kWorldRequests);
    }

    // In a stop, by the thread that stopped the world: how long after the request this thread stopped,
    // or kBlocked if it was outside and needed no waiting for.
    int64_t time_to_safepoint_ns() const { return arrived_ns_; }

    // The runtime's own data of this thread. Set by add(), changed by the attached thread alone; read by a
    // thread that has this one stopped or suspended, or in for_each.
    void* user = nullptr;

private:
    friend class BasicWorld<Sync>;

    typename Sync::template Atomic<Word> word_{static_cast<Word>(State::kExited)};

    // Written by the thread when it arrives, or by who suspends it; ordered by the stop's countdown.
    alignas(64) int64_t arrived_ns_ = kBlocked;

    // Under the registry's lock.
    uint32_t index_ = 0;
    BasicThread* next_ = nullptr;
    BasicThread* previous_ = nullptr;

    // A chain for the thread that stops the world: the threads that it waits for.
    BasicThread* stop_next_ = nullptr;
    // A chain for the caller of a handshake: the threads that it has suspended.
    BasicThread* handshake_next_ = nullptr;
};

using Thread = BasicThread<SystemSync>;

static_assert(sizeof(Thread) == 128);

}  // namespace ouro::thread
