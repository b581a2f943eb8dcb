// label: concurrency
// An executor calls a job once for each of its workers, on as many threads as it can have, and is back
// when all are done, however often it is asked; CPU time of the threads that help is accounted for.

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "concurrency/worklist/executor.hpp"
#include "tests/support/scale.hpp"

namespace ouro::worklist {
namespace {

TEST(AnExecutor, CallsAJobOnceForEachWorker) {
    for (const unsigned workers : {1u, 2u, 3u, 8u}) {
        Executor executor(workers);
        EXPECT_EQ(executor.workers(), workers);
        std::vector<unsigned> calls(workers);  // no atomics: each worker has its own
        const size_t rounds = test::scaled(200, 20);
        for (size_t round = 0; round < rounds; ++round) {
            executor.run([&](unsigned worker) { ++calls.at(worker); });
        }
        for (const unsigned count : calls) {
            EXPECT_EQ(count, rounds);
        }
    }
}

TEST(AnExecutor, IsBackWhenAllAreDone) {
    Executor executor(4);
    for (size_t round = 0; round < test::scaled(100, 10); ++round) {
        std::vector<int> done(4);
        executor.run([&](unsigned worker) {
            std::this_thread::sleep_for(std::chrono::microseconds(100 * worker));
            done[worker] = 1;
        });
        EXPECT_EQ(done, std::vector<int>(4, 1));
    }
}

// Two workers that wait for each other can only both end if they run at once.
TEST(AnExecutor, RunsWorkersAtOnceWhereThereAreThreads) {
    if (std::thread::hardware_concurrency() < 2) {
        GTEST_SKIP() << "one processor";
    }
    Executor executor(2);
    std::atomic<int> here{0};
    bool met = false;
    for (int round = 0; round < 50 && !met; ++round) {
        here = 0;
        executor.run([&](unsigned) {
            ++here;
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
            while (here < 2 && std::chrono::steady_clock::now() < end) {
                std::this_thread::yield();
            }
        });
        met = here == 2;
    }
    EXPECT_TRUE(met);
}

// A thread that is bound to one processor has the others help it all the same.
TEST(AnExecutor, HelpsWhereItsMakerMightRun) {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2) {
        GTEST_SKIP() << "one processor";
    }
    Executor executor(2);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<bool> helped{false};
    cpu_set_t helpers;
    for (int round = 0; round < 1000 && !helped; ++round) {
        executor.run([&](unsigned) {
            if (std::this_thread::get_id() != here && !helped.exchange(true)) {
                sched_getaffinity(0, sizeof helpers, &helpers);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
    ASSERT_TRUE(helped);
    EXPECT_TRUE(CPU_EQUAL(&helpers, &all));
}

TEST(AnExecutor, CountsTheTimeOfThoseWhoHelp) {
    Executor alone(1);
    const auto spin = [](unsigned) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
        while (std::chrono::steady_clock::now() < end) {
        }
    };
    alone.run(spin);
    EXPECT_EQ(alone.helpers_cpu_ns(), 0);
    Executor two(2);
    for (int round = 0; round < 50 && two.helpers_cpu_ns() == 0; ++round) {
        two.run(spin);
    }
    if (std::thread::hardware_concurrency() >= 2) {
        EXPECT_GT(two.helpers_cpu_ns(), 0);
    }
}

}  // namespace
}  // namespace ouro::worklist
