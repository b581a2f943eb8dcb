// The merge queue of one owner, with real counts: whatever its owner does - drain, detach, exit, be
// replaced by a newcomer with its index - every object whose references were all dropped is
// deallocated, once, after every use, and by nobody who holds the queue's lock.

#include "tests/model/counted_object.hpp"
// Relacy comes first.
#include "concurrency/refcount/merge_queue.hpp"

namespace ouro::model {
namespace {

using refcount::Outcome;

// What is wrong with the runtime around a queue.
enum class Around {
    kNothing,
    kNoLook,       // the owner detaches without another look at its queue
    kNoReread,     // the pusher takes the owner as attached, and only notifies
    kLockless,     // the queue has no lock
    kNoDrainAtEnd  // an owner exits and leaves what is queued
};

// Knows who holds it.
class WatchedMutex : public Mutex {
public:
    void lock() {
        Mutex::lock();
        held_by[rl::ctx().threadx_->index_] = true;
    }
    void unlock() {
        held_by[rl::ctx().threadx_->index_] = false;
        Mutex::unlock();
    }
    static inline bool held_by[3] = {};
};
struct WatchedSync : Sync {
    using Mutex = WatchedMutex;
};
struct NoMutex {
    void lock() {}
    void unlock() {}
};
struct LocklessSync : Sync {
    using Mutex = NoMutex;
};

constexpr uint32_t kAttached = 0, kDetached = 1, kSuspended = 2;

// One owner, its state and its queue; one object. A chunk has room for one entry, and there is memory
// for `kChunks` of them.
template <Around kAround, Fault kFault, size_t kChunks>
class World {
    using Sync = std::conditional_t<kAround == Around::kLockless, LocklessSync, WatchedSync>;

public:
    using Object = CountedObject<kFault>;

    explicit World(uint32_t biased) : object(biased, 0) {
        std::fill_n(WatchedMutex::held_by, 3, false);
    }

    // The policy.
    bool merge(void* op) { return static_cast<Object*>(op)->merge(-1) == 0; }
    void deallocate(void* op) {
        // inv.queue.unlocked-death
        RL_ASSERT(!WatchedMutex::held_by[rl::ctx().threadx_->index_]);
        static_cast<Object*>(op)->deallocate();
    }
    void notify(uint32_t) { notified_.store(1, std::memory_order_relaxed); }
    bool try_suspend(uint32_t) {
        if (kAround == Around::kNoReread) {
            return false;
        }
        uint32_t expected = kDetached;
        return state_.compare_exchange_strong(expected, kSuspended, std::memory_order_seq_cst,
                                              std::memory_order_seq_cst);
    }
    void resume(uint32_t) { state_.store(kDetached, std::memory_order_release); }
    void pause() { rl::yield(1, $); }
    void* allocate(size_t bytes) {
        RL_ASSERT(bytes <= sizeof chunks_[0]);
        for (size_t i = 0; i < kChunks; ++i) {
            if (!taken_[i]) {
                taken_[i] = true;
                return chunks_[i];
            }
        }
        return nullptr;
    }
    void release(void* p, size_t) {
        for (size_t i = 0; i < kChunks; ++i) {
            taken_[i] = taken_[i] && p != chunks_[i];
        }
    }

    // What the threads do.
    void drop(uint32_t thread_word) {
        const refcount::Release release = object.decref(thread_word);
        if (release.outcome == Outcome::kQueue) {
            RL_ASSERT(release.owner == kOwner);
            RL_ASSERT(!queued_);  // inv.queue.once
            queued_ = true;
            queue->push(&object);
        }
    }
    void safepoint() {
        if (notified_.load(std::memory_order_relaxed) != 0) {
            notified_.store(0, std::memory_order_relaxed);
            queue->drain();
        }
    }
    void detach() {
        for (;;) {
            queue->drain();
            state_.store(kDetached, std::memory_order_seq_cst);
            if (kAround == Around::kNoLook || queue->entries() == 0) {
                return;  // inv.queue.seen-by-one
            }
            attach();
        }
    }
    void attach() {
        uint32_t expected = kDetached;
        while (!state_.compare_exchange_strong(expected, kAttached, std::memory_order_acq_rel,
                                               std::memory_order_relaxed)) {
            expected = kDetached;
            rl::yield(1, $);
        }
    }
    void exit() {
        if (kAround != Around::kNoDrainAtEnd) {
            queue->unregister_owner();
        }
    }

    Object object;
    refcount::QueueMemory<Sync> memory{kChunks * 64};
    std::optional<refcount::MergeQueue<World, Sync, 1>> queue{std::in_place, *this, memory, kOwner};

private:
    Atomic<uint32_t> state_{kAttached};
    Atomic<uint32_t> notified_{0};
    bool queued_ = false;
    bool taken_[kChunks + 1] = {};
    alignas(16) char chunks_[kChunks + 1][64];
};

// The owner and another thread each drop a reference of the biased half; then the owner exits.
template <Around kAround, Fault kFault, size_t kChunks = 2>
struct OwnerExits : rl::test_suite<OwnerExits<kAround, kFault, kChunks>, 2> {
    World<kAround, kFault, kChunks> world{owned(2)};

    void before() { world.queue->register_owner(); }
    void thread(unsigned self) {
        world.object.use(self);
        if (self == 0) {
            world.drop(kOwnerWord);
            world.safepoint();
            world.exit();
        } else {
            world.drop(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!world.object.is_alive()); }
};

// Two threads beside the owner: one queues, the other finds the flag and goes below zero.
template <Around kAround, Fault kFault, size_t kChunks = 2>
struct TwoDrop : rl::test_suite<TwoDrop<kAround, kFault, kChunks>, 3> {
    World<kAround, kFault, kChunks> world{owned(3)};

    void before() { world.queue->register_owner(); }
    void thread(unsigned self) {
        world.object.use(self);
        const uint32_t words[] = {kOwnerWord, kOtherWord, kThirdWord};
        world.drop(words[self]);
        if (self == 0) {
            world.exit();
        }
    }
    void after() { RL_ASSERT(!world.object.is_alive()); }
};

// The owner detaches and does not come back while the other thread drops its last reference.
template <Around kAround, Fault kFault, size_t kChunks = 2>
struct OwnerDetaches : rl::test_suite<OwnerDetaches<kAround, kFault, kChunks>, 2> {
    World<kAround, kFault, kChunks> world{owned(2)};

    void before() { world.queue->register_owner(); }
    void thread(unsigned self) {
        world.object.use(self);
        if (self == 0) {
            world.drop(kOwnerWord);
            world.detach();
        } else {
            world.drop(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!world.object.is_alive()); }
};

// The owner detaches while it holds a reference, attaches again and drops it: it finds the object as
// whoever merged it meanwhile left it.
template <Around kAround, Fault kFault, size_t kChunks = 2>
struct OwnerReturns : rl::test_suite<OwnerReturns<kAround, kFault, kChunks>, 2> {
    World<kAround, kFault, kChunks> world{owned(2)};

    void before() { world.queue->register_owner(); }
    void thread(unsigned self) {
        world.object.use(self);
        if (self == 0) {
            world.detach();
            world.attach();
            world.drop(kOwnerWord);
            world.exit();
        } else {
            world.drop(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!world.object.is_alive()); }
};

// The owner exits with a reference that it left to a newcomer, which gets its index and drops it.
template <Around kAround, Fault kFault, size_t kChunks = 2>
struct IndexReused : rl::test_suite<IndexReused<kAround, kFault, kChunks>, 3> {
    World<kAround, kFault, kChunks> world{owned(3)};
    Atomic<uint32_t> free_index{0};

    void before() { world.queue->register_owner(); }
    void thread(unsigned self) {
        world.object.use(self);
        if (self == 0) {
            world.drop(kOwnerWord);
            world.exit();
            free_index.store(1, std::memory_order_release);
        } else if (self == 1) {
            world.drop(kOtherWord);
        } else {
            while (free_index.load(std::memory_order_acquire) == 0) {
                rl::yield(1, $);
            }
            world.queue->register_owner();
            world.drop(kOwnerWord);
            world.exit();
        }
    }
    void after() { RL_ASSERT(!world.object.is_alive()); }
};

template <template <Around, Fault, size_t> class Suite>
void expect_kept(const char* name, Search search, size_t schedules) {
    const auto run = [&]<size_t kChunks>() {
        using Explored = Suite<Around::kNothing, Fault::kNone, kChunks>;
        std::printf("memory for %zu entries: ", kChunks);
        EXPECT_TRUE(explore<Explored>(name, search, schedules).passed) << name;
    };
    run.template operator()<2>();
    run.template operator()<0>();  // inv.queue.nothing-lost
}

template <template <Around, Fault, size_t> class Suite, Around kAround, Fault kFault = Fault::kNone>
void expect_caught(const char* name) {
    using Explored = Suite<kAround, kFault, 2>;
    EXPECT_FALSE(explore<Explored>(name, Search::kRandom, 2'000'000).passed) << name;
}

TEST(AQueue, KeepsItWhenItsOwnerExits) {
    expect_kept<OwnerExits>("OwnerExits", Search::kRandom, random_schedules(150'000));
    expect_kept<TwoDrop>("TwoDrop", Search::kRandom, random_schedules(150'000));
}

TEST(AQueue, KeepsItWhenItsOwnerIsDetached) {
    expect_kept<OwnerDetaches>("OwnerDetaches", Search::kRandom, random_schedules(150'000));
    expect_kept<OwnerReturns>("OwnerReturns", Search::kRandom, random_schedules(150'000));
}

TEST(AQueue, KeepsItWhenItsIndexIsReused) {
    expect_kept<IndexReused>("IndexReused", Search::kRandom, random_schedules(150'000));
}

TEST(AQueue, WithAFaultIsCaught) {
    expect_caught<TwoDrop, Around::kNothing, Fault::kQueuedFlagLost>("flag lost");
    expect_caught<OwnerExits, Around::kNothing, Fault::kSubtractedAndQueued>("subtracted too");
    expect_caught<TwoDrop, Around::kNothing, Fault::kSharedBeforeBiased>("shared half first");
    expect_caught<TwoDrop, Around::kNothing, Fault::kMergeWithoutCas>("merge without CAS");
    expect_caught<TwoDrop, Around::kNothing, Fault::kRelaxedDecrement>("relaxed decrement");
    expect_caught<OwnerDetaches, Around::kNoLook>("no look at the queue after detaching");
    expect_caught<OwnerDetaches, Around::kNoReread>("no look at the state after a push");
    expect_caught<OwnerExits, Around::kLockless>("no lock");
    expect_caught<OwnerExits, Around::kNoDrainAtEnd>("no drain at the end");
}

}  // namespace
}  // namespace ouro::model
