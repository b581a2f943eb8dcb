// The scheduler of the systematic tests finds what it is for: a lost update, a deadlock, a lost wake-up, a
// loop without an end; the same seed gives the same run; every choice comes up exactly once.

#define OURO_POINTS 1
#include "concurrency/point/point.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "tests/support/scheduler.hpp"
#include "tests/support/sys_sync.hpp"

namespace ouro::test {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Two increments that are a load and a store each.
int lossy_sum(Choices& choices, std::string* order = nullptr, Threads kind = Threads::kFibers) {
    SysSync::Atomic<int> sum{0};
    Scheduler scheduler(choices, kind);
    for (const char* name : {"a", "b"}) {
        scheduler.add(name, [&sum, order, name] {
            const int before = sum.load(kRelaxed);
            if (order != nullptr) {
                *order += name;
            }
            OURO_POINT("between");
            sum.store(before + 1, kRelaxed);
            if (order != nullptr) {
                *order += name;
            }
        });
    }
    EXPECT_EQ(scheduler.run(), "");
    return sum.load(kRelaxed);
}

TEST(AScheduler, FindsALostUpdate) {
    std::set<int> sums;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        SeededChoices choices(seed);
        sums.insert(lossy_sum(choices));
    }
    EXPECT_EQ(sums, (std::set<int>{1, 2}));
}

TEST(AScheduler, RepeatsARunByItsSeed) {
    std::set<std::string> orders;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        std::string once;
        std::string again;
        SeededChoices choices(seed);
        SeededChoices same(seed);
        EXPECT_EQ(lossy_sum(choices, &once), lossy_sum(same, &again));
        EXPECT_EQ(once, again);
        orders.insert(once);
    }
    // Two a and two b in every order but for what the first step allows.
    EXPECT_EQ(orders.size(), 6u);
}

TEST(AScheduler, InterleavesThreadsOfTheSystemAsFibers) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        std::string fibers;
        std::string threads;
        SeededChoices choices(seed);
        SeededChoices same(seed);
        EXPECT_EQ(lossy_sum(choices, &fibers), lossy_sum(same, &threads, Threads::kSystem));
        EXPECT_EQ(fibers, threads);
    }
}

TEST(AScheduler, LeavesThreadsOfTheSystemTheirThreadLocalVariables) {
    static thread_local int mine = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        SeededChoices choices(seed);
        Scheduler scheduler(choices, Threads::kSystem);
        for (int id = 1; id <= 3; ++id) {
            scheduler.add("thread", [id] {
                mine = id;
                OURO_POINT("set");
                EXPECT_EQ(mine, id);
            });
        }
        EXPECT_EQ(scheduler.run(), "");
        EXPECT_EQ(mine, 0);
    }
}

// Each waits for the other by spinning: whoever spins lets the other go on.
TEST(AScheduler, EndsLoopsThatYieldInEverySchedule) {
    EveryChoice choices(1);
    do {
        SysSync::Atomic<int> turn{0};
        Scheduler scheduler(choices);
        for (int id = 0; id < 2; ++id) {
            scheduler.add("thread", [&turn, id] {
                for (int round = 0; round < 2; ++round) {
                    while (turn.load(kRelaxed) != id) {
                        SysSync::yield();
                    }
                    turn.store(1 - id, kRelaxed);
                }
            });
        }
        EXPECT_EQ(scheduler.run(), "");
    } while (choices.advance());
}

TEST(AScheduler, TriesEverySchedule) {
    for (const unsigned preemptions : {0u, 1u, 4u}) {
        EveryChoice choices(preemptions);
        std::multiset<int> sums;
        do {
            sums.insert(lossy_sum(choices));
        } while (choices.advance());
        EXPECT_EQ(sums.count(1) > 0, preemptions > 0);
        EXPECT_GT(sums.count(2), 1u);
    }
}

class ASchedulerOf : public testing::TestWithParam<Threads> {};

TEST_P(ASchedulerOf, FindsADeadlock) {
    int deadlocks = 0;
    EveryChoice choices(1);
    do {
        auto a = std::make_shared<SysSync::Mutex>();
        auto b = std::make_shared<SysSync::Mutex>();
        const auto both = [](SysSync::Mutex& first, SysSync::Mutex& second) {
            first.lock();
            second.lock();
            second.unlock();
            first.unlock();
        };
        Scheduler scheduler(choices, GetParam());
        scheduler.add("a b", [=] { both(*a, *b); });
        scheduler.add("b a", [=] { both(*b, *a); });
        const std::string failure = scheduler.run();
        if (!failure.empty()) {
            EXPECT_NE(failure.find("everybody waits"), std::string::npos);
            ++deadlocks;
        }
    } while (choices.advance());
    EXPECT_GT(deadlocks, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ASchedulerOf, testing::Values(Threads::kFibers, Threads::kSystem));

TEST(AScheduler, FindsALostWakeUp) {
    int lost = 0;
    EveryChoice choices(1);
    do {
        auto go = std::make_shared<SysSync::Atomic<uint32_t>>(0);
        Scheduler scheduler(choices);
        scheduler.add("sleeper", [=] {
            if (go->load(kRelaxed) == 0) {
                // Wrong: asleep whatever the word is by now.
                Scheduler::current()->point("between");
                Scheduler::current()->block(go.get(), INT64_MAX);
            }
        });
        scheduler.add("waker", [=] {
            go->store(1, kRelaxed);
            SysSync::wake(*go, 1);
        });
        lost += scheduler.run().empty() ? 0 : 1;
    } while (choices.advance());
    EXPECT_GT(lost, 0);
}

TEST(AScheduler, EndsALoopWithoutAnEnd) {
    SeededChoices choices(1);
    SysSync::Atomic<int> never{0};
    Scheduler scheduler(choices);
    scheduler.add("spins", [&] {
        while (never.load(kRelaxed) == 0) {
        }
    });
    EXPECT_NE(scheduler.run().find("nobody ends"), std::string::npos);
}

TEST(AScheduler, LetsTimePassWhereAllWaitForIt) {
    SeededChoices choices(1);
    Scheduler scheduler(choices);
    int64_t woke_ns = 0;
    scheduler.add("sleeper", [&] {
        SysSync::Atomic<uint32_t> word{0};
        while (SysSync::wait(word, 0, 1'000'000)) {
        }
        woke_ns = SysSync::now_ns();
    });
    EXPECT_EQ(scheduler.run(), "");
    EXPECT_GE(woke_ns, 1'000'000);
}

}  // namespace
}  // namespace ouro::test
