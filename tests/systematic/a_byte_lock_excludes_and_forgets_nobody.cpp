// One holder at a time; everybody who waits gets the lock (inv.lock.no-lost-wakeup); who has waited for a
// millisecond gets it next (inv.lock.handed-over); a wait with an end ends; a wait never delays a stop.

#include "concurrency/thread/byte_lock.hpp"
#include "tests/systematic/threads.hpp"

namespace ouro::test {
namespace {

using Lock = thread::BasicByteLock<Sync>;
using thread::Inside;

struct State {
    World world;
    Lock lock;
    long held = 0;  // plain
};

void hold(State& s) {
    const long before = s.held;
    point("held");
    s.held = before + 1;
}

TEST(AByteLock, ExcludesWithEverySchedule) {
    exhaust(3, [](Execution& run) {
        auto s = std::make_shared<State>();
        for (const char* name : {"a", "b"}) {
            run.thread(name, [s] {
                s->lock.lock(Inside{});
                hold(*s);
                EXPECT_EQ(s->lock.unlock(), Error::kNone);
            });
        }
        run.after([s] {
            EXPECT_EQ(s->held, 2);
            EXPECT_FALSE(s->lock.is_locked());
        });
    });
}

TEST(AByteLock, ExcludesAndForgetsNobody) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        constexpr int kRounds = OURO_SYS ? 4 : 400;
        for (const char* name : {"a", "b", "c"}) {
            run.thread(name, [s] {
                for (int i = 0; i < kRounds; ++i) {
                    s->lock.lock(Inside{});
                    hold(*s);
                    EXPECT_EQ(s->lock.unlock(), Error::kNone);
                }
            });
        }
        run.after([s] { EXPECT_EQ(s->held, 3 * kRounds); });
    });
}

TEST(AByteLock, WaitsNoLongerThanAsked) {
    explore(2000, [](Execution& run) {
        auto s = std::make_shared<State>();
        auto timed_out = std::make_shared<Atomic<int>>(0);
        for (const char* name : {"a", "b", "c"}) {
            run.thread(name, [s, timed_out] {
                for (int i = 0; i < 3; ++i) {
                    const int64_t deadline = Sync::now_ns() + 3'000;
                    if (s->lock.lock_until(deadline, Inside{})) {
                        hold(*s);
                        EXPECT_EQ(s->lock.unlock(), Error::kNone);
                    } else {
                        EXPECT_GE(Sync::now_ns(), deadline);
                        timed_out->fetch_add(1, kRelaxed);
                    }
                }
            });
        }
        run.after([s, timed_out] { EXPECT_EQ(s->held + timed_out->load(kRelaxed), 9); });
    });
}

// Inside a world: the wait is outside, so a stop by the holder ends.
TEST(AByteLock, IsWaitedForOutside) {
    explore(2000, [](Execution& run) {
        auto s = std::make_shared<State>();
        struct Outside {
            World& world;
            Thread* self;
            void detach() const { EXPECT_EQ(world.detach(self), Error::kNone); }
            void woken(const Lock&, bool) const {}
            void attach() const { EXPECT_EQ(world.attach(self), Error::kNone); }
        };
        for (const char* name : {"a", "b", "c"}) {
            run.thread(name, [s] {
                Attached self(s->world);
                for (int i = 0; i < 2; ++i) {
                    s->lock.lock(Outside{s->world, self.get()});
                    EXPECT_EQ(self.get()->state(), thread::State::kAttached);
                    hold(*s);
                    ASSERT_EQ(s->world.stop(self.get()), Error::kNone);
                    ASSERT_EQ(s->world.start(self.get()), Error::kNone);
                    EXPECT_EQ(s->lock.unlock(), Error::kNone);
                    self.safepoint();
                }
            });
        }
        run.after([s] { EXPECT_EQ(s->held, 6); });
    });
}

// Who is woken and goes away has to leave its turn to another, whether it was handed the lock or not.
TEST(AByteLock, IsNobodysWhoGoesAwayInsteadOfComingBack) {
    struct Gone {};
    struct Outside {
        Lock* its = nullptr;
        bool handed_over = false;
        void detach() const {}
        void woken(Lock& lock, bool handed) {
            its = &lock;
            handed_over = handed;
        }
        void attach() const {
            if (its == nullptr) {
                return;
            }
            if (handed_over) {
                EXPECT_EQ(its->unlock(), Error::kNone);
            } else {
                its->pass_on();
            }
            throw Gone{};
        }
    };
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        auto gone = std::make_shared<Atomic<int>>(0);
        for (const char* name : {"a", "b"}) {
            run.thread(name, [s] {
                for (int i = 0; i < 3; ++i) {
                    s->lock.lock(Inside{});
                    hold(*s);
                    EXPECT_EQ(s->lock.unlock(), Error::kNone);
                }
            });
        }
        for (const char* name : {"c", "d"}) {
            run.thread(name, [s, gone] {
                try {
                    s->lock.lock(Outside{});
                    hold(*s);
                    EXPECT_EQ(s->lock.unlock(), Error::kNone);
                } catch (const Gone&) {
                    gone->fetch_add(1, kRelaxed);
                }
            });
        }
        run.after([s, gone] {
            EXPECT_EQ(s->held + gone->load(kRelaxed), 8);
            EXPECT_FALSE(s->lock.is_locked());
        });
    });
}

// The holder unlocks and locks again without a pause. Without the hand-over it would keep the lock for
// as long as the scheduler, or the speed of a core, lets it come first.
TEST(AByteLock, IsHandedToWhoHasWaited) {
    explore(500, [](Execution& run) {
        auto s = std::make_shared<State>();
        auto waiting = std::make_shared<Atomic<bool>>(false);
        auto got = std::make_shared<Atomic<bool>>(false);
        auto held_long = std::make_shared<int>(0);
        run.thread("greedy", [s, waiting, got, held_long] {
            while (!got->load(kRelaxed)) {
                s->lock.lock(Inside{});
                if (waiting->load(kRelaxed) && !got->load(kRelaxed)) {
                    ++*held_long;
                    const int64_t end = Sync::now_ns() + 3 * Lock::kFairNs;
                    while (Sync::now_ns() < end) {
                        Sync::relax();
                    }
                }
                EXPECT_EQ(s->lock.unlock(), Error::kNone);
            }
        });
        run.thread("patient", [s, waiting, got] {
            waiting->store(true, kRelaxed);
            s->lock.lock(Inside{});
            got->store(true, kRelaxed);
            EXPECT_EQ(s->lock.unlock(), Error::kNone);
        });
        // It waits throughout the first of these, which comes as soon as it is about to wait, or the
        // second: then it is its turn. Real threads may be kept from waiting for longer than that.
        run.after([held_long] { EXPECT_LE(*held_long, OURO_SYS ? 2 : 1000); });
    });
}

}  // namespace
}  // namespace ouro::test
