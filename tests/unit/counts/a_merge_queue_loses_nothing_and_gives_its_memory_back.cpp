// What is pushed for an owner is merged once, by whom its state says, and what dies is deallocated
// without the lock; entries cost what is documented, are bounded and given back; without memory nothing
// is lost (inv.queue.bounded, inv.queue.nothing-lost, inv.queue.absent, inv.queue.inherited).
// label: concurrency

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "concurrency/refcount/merge.hpp"
#include "concurrency/refcount/merge_queues.hpp"
#include "tests/support/counted.hpp"
#include "tests/support/scale.hpp"

namespace ouro::refcount {
namespace {

using test::Counted;
using test::kMe;
using test::kOtherWord;

// A runtime with one owner whose state the test sets.
struct Runtime {
    enum State : uint32_t { kAttached, kDetached, kSuspended };
    std::atomic<State> state{kAttached};
    std::atomic<size_t> merged{0}, dead{0}, notified{0}, paused{0}, allocated{0};
    std::atomic<bool> no_memory{false};
    void (*on_pause)(Runtime&) = nullptr;
    MergeQueues<Runtime>* queues = nullptr;

    bool merge(void* object) {
        ++merged;
        auto* counted = static_cast<Counted*>(object);
        return explicit_merge(MemoryWord(&counted->biased), MemoryWord(&counted->shared), -1) == 0;
    }
    void deallocate(void* object) {
        auto* counted = static_cast<Counted*>(object);
        EXPECT_EQ(counted->count(), 0);
        counted->biased = UINT32_MAX;
        ++dead;
        if (queues != nullptr) {
            static_cast<void>(queues->drain(kMe));  // it would deadlock if the lock were held
        }
    }
    void notify(uint32_t owner) {
        EXPECT_EQ(owner, kMe);
        ++notified;
    }
    bool try_suspend(uint32_t) {
        State expected = kDetached;
        return state.compare_exchange_strong(expected, kSuspended);
    }
    void resume(uint32_t) { state = kDetached; }
    void pause() {
        ++paused;
        if (on_pause != nullptr) {
            on_pause(*this);
        } else {
            std::this_thread::yield();
        }
    }
    void* allocate(size_t bytes) {
        if (no_memory) {
            return nullptr;
        }
        ++allocated;
        return std::malloc(bytes);
    }
    void release(void* p, size_t) {
        --allocated;
        std::free(p);
    }
};

// Objects whose owner has one reference, which another thread drops.
std::vector<Counted> objects(size_t number, uint32_t references = 1) {
    return std::vector<Counted>(number, Counted::owned(references));
}

void drop(MergeQueues<Runtime>& queues, Counted& counted) {
    const Release release =
        decref_slow(MemoryWord(&counted.biased), MemoryWord(&counted.shared), kOtherWord);
    if (release.outcome == Outcome::kQueue) {
        queues.push(release.owner, &counted);
    } else {
        ASSERT_EQ(release.outcome, Outcome::kAlive);
    }
}

class AMergeQueue : public testing::Test {
protected:
    AMergeQueue() {
        runtime.queues = &queues;
        EXPECT_TRUE(queues.register_owner(kMe));
    }
    void drop_all(std::vector<Counted>& all) {
        for (Counted& counted : all) {
            drop(queues, counted);
        }
    }

    Runtime runtime;
    MergeQueues<Runtime> queues{runtime, size_t{1} << 20};
};

TEST_F(AMergeQueue, WaitsForAnAttachedOwner) {
    std::vector<Counted> all = objects(1000);
    all[500].biased += 1;  // the owner has one more
    drop_all(all);
    EXPECT_GT(runtime.notified, 0u);
    EXPECT_EQ(runtime.merged, 0u);
    EXPECT_TRUE(queues.pending(kMe));
    EXPECT_EQ(queues.usage().entries, 1000u);
    EXPECT_EQ(queues.usage().bytes, (1000u + 61) / 62 * kChunkBytes);
    queues.drain(kMe);
    EXPECT_EQ(runtime.merged, 1000u);
    EXPECT_EQ(runtime.dead, 999u);
    EXPECT_EQ(all[500], Counted::merged(1, OURO_SHARED_QUEUED));
    EXPECT_FALSE(queues.pending(kMe));
    EXPECT_EQ(queues.usage().bytes, 0u);
    EXPECT_EQ(queues.usage().peak_bytes, (1000u + 61) / 62 * kChunkBytes);
    EXPECT_EQ(runtime.allocated, 0u);
}

TEST_F(AMergeQueue, OfADetachedOwnerIsMergedByThePusher) {
    runtime.state = Runtime::kDetached;
    std::vector<Counted> all = objects(1000);
    drop_all(all);
    EXPECT_EQ(runtime.dead, 1000u);
    EXPECT_EQ(runtime.state, Runtime::kDetached);
    EXPECT_EQ(queues.usage().peak_bytes, kChunkBytes) << "more than one waited";
    EXPECT_EQ(queues.usage().bytes, 0u);
    EXPECT_EQ(runtime.notified, 0u);
}

TEST_F(AMergeQueue, IsEmptiedByThePusherWhenItsOwnerDetachedMeanwhile) {
    std::vector<Counted> all = objects(200);
    drop_all(all);
    runtime.state = Runtime::kDetached;
    Counted last = Counted::owned(1);
    drop(queues, last);
    EXPECT_EQ(runtime.dead, 201u);
}

TEST_F(AMergeQueue, OfAnAbsentOwnerIsMergedByThePusherAndTheIndexIsInherited) {
    std::vector<Counted> all = objects(200);
    drop_all(all);
    queues.unregister_owner(kMe);
    EXPECT_EQ(runtime.dead, 200u);
    Counted left = Counted::owned(1), kept = Counted::owned(1);
    drop(queues, left);
    EXPECT_EQ(runtime.dead, 201u);
    EXPECT_EQ(runtime.notified, 200u);
    ASSERT_TRUE(queues.register_owner(kMe));
    drop(queues, kept);
    EXPECT_EQ(runtime.dead, 201u) << "the newcomer owns it";
    queues.unregister_owner(kMe);
    EXPECT_EQ(runtime.dead, 202u);
}

TEST_F(AMergeQueue, WithoutMemoryWaitsUntilTheOwnerCanBeSuspended) {
    runtime.no_memory = true;
    runtime.on_pause = [](Runtime& r) {
        if (r.paused == 3) {
            r.state = Runtime::kDetached;
        }
    };
    Counted counted = Counted::owned(1);
    drop(queues, counted);
    EXPECT_EQ(runtime.paused, 3u);
    EXPECT_EQ(runtime.dead, 1u);
    EXPECT_EQ(queues.usage().bytes, 0u);
}

TEST_F(AMergeQueue, AtItsLimitWaitsForTheOwner) {
    const size_t fits = (size_t{1} << 20) / kChunkBytes * 62;
    runtime.on_pause = [](Runtime& r) { r.queues->drain(kMe); };
    std::vector<Counted> all = objects(fits + 1);
    drop_all(all);
    EXPECT_EQ(runtime.paused, 1u);
    EXPECT_EQ(queues.usage().peak_bytes, size_t{1} << 20);
    queues.drain(kMe);
    EXPECT_EQ(runtime.dead, fits + 1);
}

TEST_F(AMergeQueue, CostsATableOnlyWhereItIsUsed) {
    EXPECT_LE(queues.usage().tables, 20'000u);
    for (uint32_t owner = 1000; owner < 1064; ++owner) {
        ASSERT_TRUE(queues.register_owner(owner));
    }
    EXPECT_LE(queues.usage().tables, 40'000u);
    ASSERT_TRUE(queues.register_owner(OURO_OWNER_LAST));
    ASSERT_TRUE(queues.register_owner(OURO_OWNER_FIRST));
}

// Pushers beside an owner that drains, detaches, attaches, exits and is replaced.
TEST_F(AMergeQueue, LosesNothingBesideItsOwner) {
    constexpr size_t kPushers = 3;
    const size_t number = test::scaled(20'000, 500);
    runtime.queues = nullptr;
    std::vector<std::vector<Counted>> all(kPushers, objects(number));
    std::atomic<size_t> running{kPushers};
    {
        std::vector<std::jthread> pushers;
        for (std::vector<Counted>& mine : all) {
            pushers.emplace_back([&] {
                for (Counted& counted : mine) {
                    drop(queues, counted);
                }
                --running;
            });
        }
        for (size_t round = 0; running > 0; ++round) {
            queues.drain(kMe);
            if (round % 3 == 0) {
                runtime.state = Runtime::kDetached;
                for (int i = 0; i < 100; ++i) {
                    std::this_thread::yield();
                }
                Runtime::State expected = Runtime::kDetached;
                while (!runtime.state.compare_exchange_weak(expected, Runtime::kAttached)) {
                    expected = Runtime::kDetached;
                }
            } else if (round % 100 == 1) {
                queues.unregister_owner(kMe);
                std::this_thread::yield();
                ASSERT_TRUE(queues.register_owner(kMe));
            }
        }
    }
    queues.unregister_owner(kMe);
    EXPECT_EQ(runtime.dead, kPushers * number);
    EXPECT_EQ(runtime.merged, kPushers * number);
    EXPECT_EQ(queues.usage().entries, 0u);
    EXPECT_EQ(queues.usage().bytes, 0u);
    EXPECT_EQ(runtime.allocated, 0u);
}

}  // namespace
}  // namespace ouro::refcount
