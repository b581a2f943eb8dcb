// With refcount=gil at most one thread is attached, and it yields at a safepoint when it has run for
// 5 ms and somebody waits.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Alone = Threads;

TEST_P(Alone, ACounterNeedsNoLock) {
    long counter = 0;
    std::atomic<int> inside{0};
    Crew crew;
    for (int t = 0; t < 4; ++t) {
        crew.add([&] {
            for (int i = 0; i < 100'000; ++i) {
                EXPECT_EQ(++inside, 1);
                ++counter;
                --inside;
                EXPECT_EQ(Py_MakePendingCalls(), 0);
                if (i % 100 == 0) {
                    const Detached outside;
                }
            }
        });
    }
    crew.join();
    EXPECT_EQ(counter, 400'000);
}

// What the switch interval promises to who waits, and to who runs.
TEST_P(Alone, ARunningThreadYieldsAfterFiveMilliseconds) {
    std::atomic<bool> waiting{false}, attached{false}, done{false};
    Crew crew;
    std::thread waiter([&] {
        PyThreadState* state = PyThreadState_New(PyInterpreterState_Main());
        waiting = true;
        PyEval_RestoreThread(state);
        attached = true;
        PyThreadState_Clear(state);
        PyThreadState_DeleteCurrent();
    });
    wait_until([&] { return waiting.load(); });
    sleep_ms(100);
    EXPECT_FALSE(attached) << "without a safepoint nobody else runs";
    const int64_t before = milliseconds();
    run_until([&] { return attached.load(); });
    EXPECT_LT(milliseconds() - before, 2000);
    {
        const Detached outside;
        waiter.join();
    }
    // Two that run: each gets turns of 5 ms, not of one safepoint.
    std::atomic<int> turns{0}, last{0};
    const auto work = [&](int me) {
        run_until([&] {
            if (last.exchange(me) != me) {
                ++turns;
            }
            return done.load();
        });
    };
    crew.add([&] { work(1); });
    crew.add([&] { work(2); });
    {
        const Detached outside;
        sleep_ms(500);
    }
    done = true;
    crew.join();
    EXPECT_GE(turns, 5);
    EXPECT_LE(turns, 120) << "a turn lasts 5 ms";
}

// An allocation is a safepoint too.
TEST_P(Alone, AllocatingYields) {
    std::atomic<bool> attached{false};
    std::thread other([&] {
        const Attached here;
        attached = true;
    });
    while (!attached) {
        Py_DECREF(new_thing(kUncounted));
    }
    const Detached outside;
    other.join();
}

INSTANTIATE_TEST_SUITE_P(Counts, Alone, testing::Values(kOwnedCounts), runtime_name);

}  // namespace
}  // namespace ouro::test
