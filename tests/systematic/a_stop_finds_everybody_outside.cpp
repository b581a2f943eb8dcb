// Between stop and start no other thread is inside, whatever it was about to do: attach, detach, take a
// safepoint, register or exit (inv.stop.alone, inv.stop.counted-once); what it did before is there to be
// read (inv.stop.visible); two who stop take turns (inv.stop.one-stopper). A suspended thread stays so
// (inv.thread.suspended-stays).

#include "tests/systematic/threads.hpp"

namespace ouro::test {
namespace {

// A thread's own data, which only a stop lets another read: plain, so that the thread sanitizer sees
// whether a stop orders it.
struct Own {
    long steps = 0;
    bool inside = false;
};

struct State {
    World world;
    Own own[4];
    long stops = 0;

    // Inside: from here to the next safepoint nobody may have the world stopped.
    void work(int who) {
        own[who].inside = true;
        ++own[who].steps;
        point("inside");
        ++own[who].steps;
        point("inside");
        own[who].inside = false;
    }

    void stop(Thread* self) {
        ASSERT_EQ(world.stop(self), Error::kNone);
        EXPECT_TRUE(world.stopped_by(self));
        long before = 0;
        for (const Own& one : own) {
            EXPECT_FALSE(one.inside);
            before += one.steps;
        }
        world.for_each([&](Thread& t) {
            if (&t != self) {
                EXPECT_EQ(t.state(), thread::State::kSuspended);
            }
        });
        ++stops;  // plain: by one at a time
        point("stopped");
        point("stopped");
        long after = 0;
        for (const Own& one : own) {
            after += one.steps;
        }
        EXPECT_EQ(before, after);
        ASSERT_EQ(world.start(self), Error::kNone);
    }
};

// At safepoints and by going out and in.
void worker(State& s, int who, int rounds) {
    Attached self(s.world);
    for (int i = 0; i < rounds; ++i) {
        s.work(who);
        self.safepoint();
        s.work(who);
        EXPECT_EQ(s.world.detach(self.get()), Error::kNone);
        point("outside");
        EXPECT_EQ(s.world.attach(self.get()), Error::kNone);
    }
}

void stopper(State& s, int who, int rounds) {
    Attached self(s.world);
    for (int i = 0; i < rounds; ++i) {
        s.stop(self.get());
        s.work(who);
        self.safepoint();
    }
}

TEST(AStop, FindsAWorkerOutside) {
    exhaust(2, [](Execution& run) {
        auto s = std::make_shared<State>();
        run.thread("stopper", [s] { stopper(*s, 0, 1); });
        run.thread("worker", [s] { worker(*s, 1, 1); });
        run.after([s] {
            EXPECT_EQ(s->stops, 1);
            EXPECT_EQ(s->world.size(), 0u);
        });
    });
}

TEST(AStop, FindsWorkersOutsideAndNewOnes) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        run.thread("stopper", [s] { stopper(*s, 0, 3); });
        run.thread("worker", [s] { worker(*s, 1, 3); });
        run.thread("short", [s] {
            for (int i = 0; i < 3; ++i) {
                worker(*s, 2, 1);
            }
        });
        run.after([s] { EXPECT_EQ(s->stops, 3); });
    });
}

TEST(AStop, IsOneAtATime) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        run.thread("stopper", [s] { stopper(*s, 0, 3); });
        run.thread("another", [s] { stopper(*s, 1, 3); });
        run.thread("worker", [s] { worker(*s, 2, 2); });
        run.after([s] { EXPECT_EQ(s->stops, 6); });
    });
}

TEST(AStop, IsOneAtATimeWithEverySchedule) {
    exhaust(2, [](Execution& run) {
        auto s = std::make_shared<State>();
        run.thread("stopper", [s] { stopper(*s, 0, 1); });
        run.thread("another", [s] { stopper(*s, 1, 1); });
        run.after([s] { EXPECT_EQ(s->stops, 2); });
    });
}

// What remove() waits for is a safepoint of the caller's own.
TEST(AStop, DoesNotWaitForWhoRemovesAnother) {
    explore(2000, [](Execution& run) {
        auto s = std::make_shared<State>();
        Thread* other = s->world.add();
        run.thread("stopper", [s] { stopper(*s, 0, 2); });
        run.thread("remover", [s, other] {
            Attached self(s->world);
            s->work(1);
            EXPECT_EQ(s->world.remove(other, self.get()), Error::kNone);
            s->work(1);
        });
        run.after([s] { EXPECT_EQ(s->world.size(), 0u); });
    });
}

// Blocked for ever, as far as the stop can know.
TEST(AStop, DoesNotWaitForWhoIsOutside) {
    explore(500, [](Execution& run) {
        auto s = std::make_shared<State>();
        Thread* blocked = s->world.add();
        run.thread("stopper", [s, blocked] {
            Attached self(s->world);
            thread::BasicStopReport<Sync> report;
            ASSERT_EQ(s->world.stop(self.get(), &report), Error::kNone);
            EXPECT_EQ(report.running, 0u);
            EXPECT_EQ(report.blocked, 1u);
            EXPECT_EQ(report.last, nullptr);
            EXPECT_EQ(blocked->time_to_safepoint_ns(), Thread::kBlocked);
            ASSERT_EQ(s->world.start(self.get(), &report), Error::kNone);
            EXPECT_GE(report.started_ns, report.starting_ns);
            EXPECT_GE(report.starting_ns, report.stopped_ns);
        });
        run.after([s, blocked] { EXPECT_EQ(s->world.remove(blocked), Error::kNone); });
    });
}

// Who had to be waited for is named, with the time it took.
TEST(AStop, NamesTheLastToArrive) {
    explore(500, [](Execution& run) {
        auto s = std::make_shared<State>();
        auto go = std::make_shared<Atomic<int>>(0);
        auto late = std::make_shared<Thread*>();
        run.thread("late", [s, go, late] {
            Attached self(s->world);
            *late = self.get();
            go->store(1, std::memory_order_release);
            while (go->load(std::memory_order_acquire) != 2) {
                self.safepoint();
                Sync::relax();
            }
        });
        run.thread("stopper", [s, go, late] {
            Attached self(s->world);
            while (go->load(std::memory_order_acquire) != 1) {
                Sync::relax();
            }
            thread::BasicStopReport<Sync> report;
            ASSERT_EQ(s->world.stop(self.get(), &report), Error::kNone);
            EXPECT_EQ(report.running, 1u);
            EXPECT_EQ(report.last, *late);
            EXPECT_EQ(report.last_ns, (*late)->time_to_safepoint_ns());
            EXPECT_LE(report.last_ns, report.stop_ns());
            ASSERT_EQ(s->world.start(self.get(), &report), Error::kNone);
            go->store(2, std::memory_order_release);
        });
    });
}

}  // namespace
}  // namespace ouro::test
