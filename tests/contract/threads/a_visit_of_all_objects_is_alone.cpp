// PyUnstable_GC_VisitObjects: collection is disabled and all other threads are stopped from the first call of the
// callback to the last, whatever the callback does, and whoever else visits. Source: "Supporting Cyclic Garbage
// Collection", PyUnstable_GC_VisitObjects; core/include/ouroboros/gc.h.
// label: concurrency

#include <functional>

#include "core/mutator/state.hpp"
#include "tests/contract/threads.hpp"
#include "tests/support/processes.hpp"

namespace ouro::test {
namespace {

// One call of a callback.
void visit_once(const std::function<void()>& work) {
    std::pair<const std::function<void()>&, bool> once{work, false};
    PyUnstable_GC_VisitObjects(
        [](PyObject*, void* arg) {
            auto& [called, done] = *static_cast<decltype(once)*>(arg);
            if (!done) {
                done = true;
                called();
            }
            return 0;
        },
        &once);
}

using Visit = Threads;

// Who comes second finds collection disabled, too, though the first has enabled it again.
TEST_P(Visit, FindsCollectionDisabledAfterAnother) {
    std::atomic<bool> is_ready{false};
    int enabled = -1;
    Crew crew;
    crew.add([&] {
        is_ready = true;
        wait_until([] { return mutator::poll(); });
        visit_once([&] { enabled = PyGC_IsEnabled(); });
    });
    wait_until([&] { return is_ready.load(); });
    visit_once([] {});
    crew.join();
    EXPECT_EQ(enabled, 0);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
}

// A stop inside of it does not end it: that of a collection on request, or of a fork.
TEST_P(Visit, IsAloneThoughItsCallbackStops) {
    std::atomic<bool> ends{false};
    std::atomic<long> steps{0};
    Crew crew;
    crew.add([&] {
        while (!ends) {
            ++steps;
            EXPECT_EQ(Py_MakePendingCalls(), 0);
        }
    });
    wait_until([&] { return steps.load() > 0; });
    visit_once([&] {
        OuroHeapStatistics statistics;
        Ouro_GetHeapStatistics(&statistics);
        EXPECT_EQ(in_a_process([] { return 0; }), 0);
        visit_once([] {});
        const long before = steps.load();
        sleep_ms(5);
        EXPECT_EQ(steps.load(), before);
    });
    ends = true;
    crew.join();
}

#ifdef OURO_REFCOUNT_PLAIN
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Visit);
#else
INSTANTIATE_TEST_SUITE_P(Counts, Visit, testing::Values("biased", "atomic"), runtime_name);
#endif

using VisitWithTheLock = Threads;

// Who waits for the lock waits until it is over.
TEST_P(VisitWithTheLock, KeepsIt) {
    std::atomic<bool> comes{false}, has_run{false};
    Crew crew;
    crew.add([&] {
        comes = true;
        wait_until([] { return (mutator::current->thread->requests() & thread::kYield) != 0; });
        EXPECT_EQ(Py_MakePendingCalls(), 0);
        has_run = true;
    });
    {
        const Detached outside;
        wait_until([&] { return comes.load(); });
    }
    std::thread other([&] {
        const Attached attached;
        has_run = true;
    });
    has_run = false;
    visit_once([&] {
        wait_until([] { return (mutator::current->thread->requests() & thread::kYield) != 0; });
        has_run = false;
        for (int i = 0; i < 100; ++i) {
            Py_DECREF(PyDict_New());
            EXPECT_EQ(Py_MakePendingCalls(), 0);
        }
        EXPECT_FALSE(has_run.load());
    });
    run_until([&] { return has_run.load(); });
    const Detached outside;
    other.join();
}

#ifdef OURO_REFCOUNT_PLAIN
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VisitWithTheLock);
#else
INSTANTIATE_TEST_SUITE_P(Counts, VisitWithTheLock, testing::Values("gil"), runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
