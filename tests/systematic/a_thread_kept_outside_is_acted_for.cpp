// Who suspends a detached thread may act for it: the thread does not come in meanwhile, a stop waits, and
// what is asked of the thread by then is told to who acts (inv.thread.suspended-stays,
// inv.stop.counted-once). A thread that is told to drain drains before it goes out
// (inv.thread.one-word), so whatever is queued for it is drained by one or the other.

#include "tests/systematic/threads.hpp"

namespace ouro::test {
namespace {

using thread::kDrainQueue;
using thread::Word;

// A queue for one owner, with the lock that a queue of references has.
struct State {
    World world;
    Sync::Mutex mutex;
    int queued = 0;
    int drained = 0;
    long owners_own = 0;  // touched by the owner inside, and by who has it suspended
    Thread* owner = nullptr;
    long stops = 0;

    void drain() {
        ++owners_own;
        point("drain");
        const std::lock_guard guard(mutex);
        drained += queued;
        queued = 0;
        ++owners_own;
    }

    void push(Thread* self) {
        {
            const std::lock_guard guard(mutex);
            ++queued;
        }
        world.request(owner, kDrainQueue);
        while (world.try_suspend(self, owner)) {
            world.take_requests(owner, kDrainQueue);
            drain();
            point("acted for");
            if ((world.resume(owner) & kDrainQueue) == 0) {
                break;
            }
        }
    }
};

void own(State& s, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        ASSERT_EQ(s.world.attach(s.owner), Error::kNone);
        ++s.owners_own;
        point("inside");
        ++s.owners_own;
        if (s.owner->poll() && (s.world.safepoint(s.owner) & kDrainQueue) != 0) {
            s.drain();
        }
        for (;;) {
            Word pending = 0;
            ASSERT_EQ(s.world.detach(s.owner, kDrainQueue, &pending), Error::kNone);
            if (pending == 0) {
                break;
            }
            ASSERT_EQ(pending, kDrainQueue);
            s.drain();
        }
    }
}

void push(State& s, int rounds) {
    Attached self(s.world);
    for (int i = 0; i < rounds; ++i) {
        s.push(self.get());
        self.safepoint();
    }
}

void stop(State& s, int rounds) {
    Attached self(s.world);
    for (int i = 0; i < rounds; ++i) {
        ASSERT_EQ(s.world.stop(self.get()), Error::kNone);
        const long before = s.owners_own;
        EXPECT_EQ(before % 2, 0);
        point("stopped");
        EXPECT_EQ(s.owners_own, before);
        ++s.stops;
        // Who queued while the stop was coming could not suspend the owner.
        if (!s.owner->waits() && s.world.take_requests(s.owner, kDrainQueue) != 0) {
            s.drain();
        }
        ASSERT_EQ(s.world.start(self.get()), Error::kNone);
    }
}

void check(State& s, int pushed) {
    EXPECT_EQ(s.queued, 0);
    EXPECT_EQ(s.drained, pushed);
    EXPECT_EQ(s.world.remove(s.owner), Error::kNone);
}

TEST(AThreadKeptOutside, IsActedForByEverySchedule) {
    exhaust(2, [](Execution& run) {
        auto s = std::make_shared<State>();
        s->owner = s->world.add();
        run.thread("owner", [s] { own(*s, 1); });
        run.thread("pusher", [s] { push(*s, 1); });
        run.after([s] { check(*s, 1); });
    });
}

TEST(AThreadKeptOutside, IsActedFor) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        s->owner = s->world.add();
        run.thread("owner", [s] { own(*s, 3); });
        run.thread("pusher", [s] { push(*s, 3); });
        run.thread("another", [s] { push(*s, 3); });
        run.after([s] { check(*s, 6); });
    });
}

TEST(AThreadKeptOutside, IsWaitedForByAStop) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        s->owner = s->world.add();
        run.thread("owner", [s] { own(*s, 3); });
        run.thread("pusher", [s] { push(*s, 3); });
        run.thread("stopper", [s] { stop(*s, 3); });
        run.after([s] {
            check(*s, 3);
            EXPECT_EQ(s->stops, 3);
        });
    });
}

}  // namespace
}  // namespace ouro::test
