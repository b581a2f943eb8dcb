// One thread at a time holds the global lock; a holder who is asked to yield hands it to the longest
// waiter (inv.lock.turns), so threads that never block take turns; a holder who blocks lets others run.

#include "concurrency/thread/global_lock.hpp"
#include "tests/systematic/threads.hpp"

namespace ouro::test {
namespace {

using GlobalLock = thread::BasicGlobalLock<Sync>;

struct State {
    World world;
    GlobalLock lock{world, OURO_SYS ? 5'000 : 200'000};
    long held = 0;  // plain
    Atomic<int> in{0};
    Atomic<int> left{0};

    void come_in(Thread* t) {
        EXPECT_EQ(lock.take(t), Error::kNone);
        EXPECT_EQ(world.attach(t), Error::kNone);
    }
    void go_out(Thread* t) {
        EXPECT_EQ(world.detach(t), Error::kNone);
        EXPECT_EQ(lock.release(t), Error::kNone);
    }
    void step(Thread* t) {
        const long before = held;
        point("held");
        held = before + 1;
        if (t->poll() && (world.safepoint(t) & thread::kYield) != 0) {
            EXPECT_EQ(world.detach(t), Error::kNone);
            EXPECT_EQ(lock.yield(t), Error::kNone);
            EXPECT_EQ(world.attach(t), Error::kNone);
        }
    }
};

TEST(TheGlobalLock, ExcludesWithEverySchedule) {
    exhaust(2, [](Execution& run) {
        auto s = std::make_shared<State>();
        for (const char* name : {"a", "b"}) {
            run.thread(name, [s] {
                Thread* t = s->world.add();
                s->come_in(t);
                s->step(t);
                s->go_out(t);
                EXPECT_EQ(s->world.remove(t), Error::kNone);
            });
        }
        run.after([s] { EXPECT_EQ(s->held, 2); });
    });
}

TEST(TheGlobalLock, ExcludesAndLetsOthersRunWhileOneBlocks) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        constexpr int kRounds = OURO_SYS ? 3 : 100;
        for (const char* name : {"a", "b", "c"}) {
            run.thread(name, [s] {
                Thread* t = s->world.add();
                for (int i = 0; i < kRounds; ++i) {
                    s->come_in(t);
                    s->step(t);
                    s->step(t);
                    s->go_out(t);
                    point("blocks");
                }
                EXPECT_EQ(s->world.remove(t), Error::kNone);
            });
        }
        run.after([s] { EXPECT_EQ(s->held, 3 * 2 * kRounds); });
    });
}

// Each goes on until the other has had a turn: without turns, for ever.
TEST(TheGlobalLock, TakesTurnsWhenNobodyBlocks) {
    explore(500, [](Execution& run) {
        auto s = std::make_shared<State>();
        for (const char* name : {"a", "b"}) {
            run.thread(name, [s] {
                Thread* t = s->world.add();
                s->come_in(t);
                s->in.fetch_add(1, kRelaxed);
                while (s->in.load(kRelaxed) < 2) {
                    s->step(t);
                }
                s->go_out(t);
                EXPECT_EQ(s->world.remove(t), Error::kNone);
            });
        }
        run.after([s] { EXPECT_GE(s->lock.switches(), 2u); });
    });
}

TEST(TheGlobalLock, LeavesAStopToItsHolder) {
    explore(1000, [](Execution& run) {
        auto s = std::make_shared<State>();
        for (const char* name : {"a", "b"}) {
            run.thread(name, [s] {
                Thread* t = s->world.add();
                s->come_in(t);
                ASSERT_EQ(s->world.stop(t), Error::kNone);
                s->step(t);
                ASSERT_EQ(s->world.start(t), Error::kNone);
                s->step(t);
                s->go_out(t);
                EXPECT_EQ(s->world.remove(t), Error::kNone);
            });
        }
        run.after([s] { EXPECT_EQ(s->held, 4); });
    });
}

}  // namespace
}  // namespace ouro::test
