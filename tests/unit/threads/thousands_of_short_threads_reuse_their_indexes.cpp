// label: concurrency
// The lowest free owner index is given first and an exited thread's at once (inv.thread.index-unique), so
// thousands of short threads need no more records than live at a time; when all 65,533 are taken the
// next is refused, and possible again after one has left.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "concurrency/thread/world.hpp"
#include "tests/support/scale.hpp"

namespace ouro::thread {
namespace {

TEST(OwnerIndexes, AreGivenLowestFirst) {
    World world;
    Thread* a = world.add();
    Thread* b = world.add();
    Thread* c = world.add();
    EXPECT_EQ(a->index(), static_cast<uint32_t>(OURO_OWNER_FIRST));
    EXPECT_EQ(b->index(), a->index() + 1);
    EXPECT_EQ(c->index(), a->index() + 2);
    EXPECT_EQ(world.find(b->index()), b);
    ASSERT_EQ(world.remove(b), Error::kNone);
    ASSERT_EQ(world.remove(a), Error::kNone);
    Thread* again = world.add();
    EXPECT_EQ(again, a);  // the record of the index
    EXPECT_EQ(again->index(), static_cast<uint32_t>(OURO_OWNER_FIRST));
    ASSERT_EQ(world.remove(again), Error::kNone);
    ASSERT_EQ(world.remove(c), Error::kNone);
}

TEST(OwnerIndexes, RunOutAndComeBack) {
    World world;
    std::vector<Thread*> all;
    while (Thread* t = world.add()) {
        all.push_back(t);
    }
    EXPECT_EQ(all.size(), static_cast<size_t>(OURO_OWNER_LAST - OURO_OWNER_FIRST + 1));
    EXPECT_EQ(all.back()->index(), static_cast<uint32_t>(OURO_OWNER_LAST));
    ASSERT_EQ(world.remove(all[1000]), Error::kNone);
    EXPECT_EQ(world.add(), all[1000]);
    EXPECT_EQ(world.add(), nullptr);
    for (Thread* t : all) {
        ASSERT_EQ(world.remove(t), Error::kNone);
    }
    EXPECT_EQ(world.size(), 0u);
}

TEST(OwnerIndexes, AreFewForManyShortThreads) {
    World world;
    constexpr unsigned kAtOnce = 4;
    const size_t each = test::scaled(3000, 100);
    std::atomic<uint32_t> greatest{0};
    std::atomic<int> used[kAtOnce + 2] = {};
    std::vector<std::thread> makers;
    for (unsigned i = 0; i < kAtOnce; ++i) {
        makers.emplace_back([&] {
            for (size_t k = 0; k < each; ++k) {
                std::thread([&] {
                    Thread* t = world.add();
                    uint32_t seen = greatest.load();
                    while (seen < t->index() && !greatest.compare_exchange_weak(seen, t->index())) {
                    }
                    ASSERT_LT(t->index(), std::size(used));
                    EXPECT_EQ(used[t->index()].fetch_add(1), 0);  // nobody else's
                    EXPECT_EQ(world.attach(t), Error::kNone);
                    EXPECT_EQ(world.detach(t), Error::kNone);
                    EXPECT_EQ(used[t->index()].fetch_sub(1), 1);
                    EXPECT_EQ(world.remove(t), Error::kNone);
                }).join();
            }
        });
    }
    for (std::thread& maker : makers) {
        maker.join();
    }
    EXPECT_LE(greatest.load(), OURO_OWNER_FIRST + kAtOnce - 1);
    EXPECT_EQ(world.size(), 0u);
}

}  // namespace
}  // namespace ouro::thread
