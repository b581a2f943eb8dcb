// A handshake runs its function once for each thread, never while that thread is inside a piece of work,
// and is back when all have run (inv.thread.handshake-once); stops and other handshakes get in between.

#include "tests/systematic/threads.hpp"

namespace ouro::test {
namespace {

struct State {
    World world;
    // Of each worker, plain: written by it inside, and by the handshake for it.
    struct Own {
        bool inside = false;
        long shaken = 0;
    };
    Own own[4];
    Atomic<long> shaken{0};
    Atomic<long> registered{0};
};

void work(State& s, State::Own& own) {
    own.inside = true;
    point("inside");
    own.inside = false;
    static_cast<void>(s);
}

void worker(State& s, int who, int rounds) {
    Attached self(s.world, &s.own[who]);
    s.registered.fetch_add(1, std::memory_order_release);
    for (int i = 0; i < rounds; ++i) {
        work(s, s.own[who]);
        self.safepoint();
        work(s, s.own[who]);
        EXPECT_EQ(s.world.detach(self.get()), Error::kNone);
        point("outside");
        EXPECT_EQ(s.world.attach(self.get()), Error::kNone);
    }
}

void shaker(State& s, int who, int rounds) {
    Attached self(s.world, &s.own[who]);
    for (int i = 0; i < rounds; ++i) {
        long ran = 0;
        const long own_before = s.own[who].shaken;
        Atomic<long> counted{0};
        ASSERT_EQ(s.world.handshake(self.get(),
                                    [&](Thread& t) {
                                        auto* own = static_cast<State::Own*>(t.user);
                                        if (own != nullptr) {
                                            EXPECT_FALSE(own->inside);
                                            ++own->shaken;
                                        }
                                        counted.fetch_add(1, kRelaxed);
                                    }),
                  Error::kNone);
        ran = counted.load(kRelaxed);
        EXPECT_GE(ran, 1);
        EXPECT_LE(ran, 4);
        // Others that shake hands do it for this thread too.
        EXPECT_GE(s.own[who].shaken, own_before + 1);
        s.shaken.fetch_add(1, kRelaxed);
        self.safepoint();
    }
}

TEST(AHandshake, RunsOnceForEachWithEverySchedule) {
    exhaust(2, [](Execution& run) {
        auto s = std::make_shared<State>();
        Thread* outside = s->world.add(&s->own[2]);
        run.thread("shaker", [s] { shaker(*s, 0, 1); });
        run.thread("worker", [s] { worker(*s, 1, 1); });
        run.after([s, outside] {
            EXPECT_EQ(s->own[0].shaken, 1);
            EXPECT_LE(s->own[1].shaken, 1);
            EXPECT_EQ(s->own[2].shaken, 1);
            EXPECT_EQ(s->world.remove(outside), Error::kNone);
        });
    });
}

TEST(AHandshake, GetsAlongWithStopsAndOthers) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        run.thread("shaker", [s] { shaker(*s, 0, 2); });
        run.thread("another", [s] { shaker(*s, 1, 2); });
        run.thread("worker", [s] { worker(*s, 2, 2); });
        run.thread("stopper", [s] {
            Attached self(s->world);
            for (int i = 0; i < 2; ++i) {
                ASSERT_EQ(s->world.stop(self.get()), Error::kNone);
                for (const State::Own& own : s->own) {
                    EXPECT_FALSE(own.inside);
                }
                // In a stop the function runs for all at once.
                size_t registered = 0;  // more may come, none leaves
                s->world.for_each([&](Thread&) { ++registered; });
                size_t ran = 0;
                ASSERT_EQ(s->world.handshake(self.get(), [&](Thread&) { ++ran; }), Error::kNone);
                EXPECT_GE(ran, registered);
                ASSERT_EQ(s->world.start(self.get()), Error::kNone);
                self.safepoint();
            }
        });
        run.after([s] {
            EXPECT_EQ(s->shaken.load(kRelaxed), 4);
            EXPECT_EQ(s->world.size(), 0u);
        });
    });
}

TEST(AHandshake, IsNotWaitedForByWhoRemovesAnother) {
    explore(2000, [](Execution& run) {
        auto s = std::make_shared<State>();
        Thread* other = s->world.add();
        run.thread("shaker", [s] { shaker(*s, 0, 2); });
        run.thread("remover", [s, other] {
            Attached self(s->world);
            EXPECT_EQ(s->world.remove(other, self.get()), Error::kNone);
        });
        run.after([s] { EXPECT_EQ(s->world.size(), 0u); });
    });
}

}  // namespace
}  // namespace ouro::test
