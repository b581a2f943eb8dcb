// A holder that lets the lock go and takes it again before the waiter that it woke has come: the waiter asks it to yield
// all the same, once an interval has passed in which no waiter got the lock (inv.lock.turns). Time is the test's.

#include <gtest/gtest.h>

#include <functional>

#include "concurrency/thread/global_lock.hpp"

namespace ouro::thread {
namespace {

int64_t now = 0;
std::function<void()> on_wait;

struct TestSync : SystemSync {
    static int64_t now_ns() { return now; }
    // Woken each time.
    static bool wait(const Atomic<uint32_t>&, uint32_t, int64_t) {
        on_wait();
        return true;
    }
};

TEST(TheGlobalLock, IsHadByWhoWaitsThoughTheHolderIsAlwaysFaster) {
    constexpr int64_t kInterval = 5'000'000;
    constexpr int64_t kRound = 1'000'000;
    BasicWorld<TestSync> world;
    BasicGlobalLock<TestSync> lock(world, kInterval);
    BasicThread<TestSync>* holder = world.add();
    BasicThread<TestSync>* waiter = world.add();
    ASSERT_EQ(lock.take(holder), Error::kNone);
    ASSERT_EQ(world.attach(holder), Error::kNone);
    int rounds = 0;
    on_wait = [&] {
        now += kRound;
        const bool is_asked = holder->poll() && (world.safepoint(holder) & kYield) != 0;
        ASSERT_EQ(world.detach(holder), Error::kNone);
        ASSERT_EQ(lock.release(holder), Error::kNone);
        if (!is_asked && ++rounds < 100) {
            ASSERT_EQ(lock.take(holder), Error::kNone);
            ASSERT_EQ(world.attach(holder), Error::kNone);
        }
    };
    ASSERT_EQ(lock.take(waiter), Error::kNone);
    EXPECT_LE(now, kInterval + 2 * kRound);
    EXPECT_EQ(lock.release(waiter), Error::kNone);
    EXPECT_EQ(world.remove(holder), Error::kNone);
    EXPECT_EQ(world.remove(waiter), Error::kNone);
}

}  // namespace
}  // namespace ouro::thread
