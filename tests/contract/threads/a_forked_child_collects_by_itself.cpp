// A program may fork while a full collection is in flight on the collector's thread. The child has no such
// thread; it collects all the same, and the parent's collection goes on.
// a process for each case

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/contract/things.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

// Whether a full collection has had a pause, and is not over.
std::atomic<bool> in_flight{false};

void hear_flight(const OuroEvent* event, void*) {
    if (event->generation == 2 &&
        (event->phase == OURO_PHASE_PAUSE || event->phase == OURO_PHASE_CYCLE)) {
        in_flight = event->phase == OURO_PHASE_PAUSE;
    }
}

// Whether a full collection was in its last phase; who is in it waits a little then, for a fork to be begun.
std::atomic<bool> ends{false};

void hear_end(const OuroEvent* event, void*) {
    if (event->generation == 2 && event->phase == OURO_PHASE_PURGE && !ends.exchange(true)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

class Forks : public Things {
protected:
    static constexpr int kRings = 3000;
    static constexpr int kSize = 3;
    static constexpr int kFiller = 1000000;

    // Alive until they are dropped; old.
    static std::vector<PyObject*> rings() {
        std::vector<PyObject*> all;
        for (int i = 0; i < kRings; ++i) {
            const std::vector<PyObject*> one = ring(kSize);
            all.push_back(one[0]);
            drop({one.begin() + 1, one.end()});
        }
        return all;
    }
    // Slowly, and slower once there is enough to begin a collection: each pause looks at all that there is once more.
    static void make_garbage_until(const std::atomic<bool>& enough) {
        for (int made = 0; !enough; ++made) {
            drop_ring(2, &ThingType, kFiller);
            if (made % 10 == 0 || made > kRings) {
                Py_BEGIN_ALLOW_THREADS;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                Py_END_ALLOW_THREADS;
            }
        }
    }
    // Ends with _exit: nothing of the test may run twice.
    [[noreturn]] static void child(const std::vector<PyObject*>& all) {
        alarm(60);
        drop(all);
        const int before = record.live;
        PyGC_Collect();
        const int left = record.live;
        for (int i = 0; i < 3000; ++i) {
            drop_ring(2, &ThingType, kFiller);
        }
        PyGC_Collect();
        _exit(before >= kRings * kSize && left < kSize && record.live <= left ? 0 : 1);
    }
};

// Where a thread of its own collects, a fork may come between the last slice of a collection and its end.
class ForksBesideACollector : public Forks {};

TEST_P(ForksBesideACollector, WhenACollectionHasNothingLeftToDo) {
    const std::vector<PyObject*> all = rings();
    ASSERT_EQ(Ouro_AddListener(hear_end, nullptr), 0);
    for (int attempt = 0; attempt < 3; ++attempt) {
        ends = false;
        make_garbage_until(ends);
        const pid_t pid = fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            alarm(60);
            for (int i = 0; i < 300; ++i) {
                drop_ring(2, &ThingType, kFiller);
            }
            child(all);
        }
        int status = -1;
        ASSERT_EQ(waitpid(pid, &status, 0), pid);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    }
    ASSERT_EQ(Ouro_RemoveListener(hear_end, nullptr), 0);
    drop(all);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

TEST_P(Forks, WhileACollectionIsInFlight) {
    const std::vector<PyObject*> all = rings();
    in_flight = false;
    ASSERT_EQ(Ouro_AddListener(hear_flight, nullptr), 0);
    int forked_in_flight = 0;
    for (size_t attempt = 0; attempt < scaled(8, 3); ++attempt) {
        // Until one has begun, beside this thread, and a little more.
        make_garbage_until(in_flight);
        for (size_t i = 0; i < 200 * attempt; ++i) {
            drop_ring(2, &ThingType, kFiller);
        }
        forked_in_flight += in_flight ? 1 : 0;
        const pid_t pid = fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            child(all);
        }
        int status = -1;
        ASSERT_EQ(waitpid(pid, &status, 0), pid);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
            << "status " << status << ", attempt " << attempt;
    }
    EXPECT_GT(forked_in_flight, 0);
    Ouro_RemoveListener(hear_flight, nullptr);
    drop(all);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Counts, Forks,
    testing::Values("gil,engine=concurrent,generations=off,growth-limit=10000",
                    "biased,engine=concurrent,generations=off,growth-limit=10000",
                    "gil,engine=snapshot,generations=off,growth-limit=10000",
                    "biased,engine=incremental,generations=off"),
    runtime_name);

INSTANTIATE_TEST_SUITE_P(
    Counts, ForksBesideACollector,
    testing::Values("gil,engine=concurrent,generations=off,growth-limit=10000",
                    "biased,engine=concurrent,generations=off,growth-limit=10000",
                    "gil,engine=snapshot,generations=off,growth-limit=10000"),
    runtime_name);

}  // namespace
}  // namespace ouro::test
