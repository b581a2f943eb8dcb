// A full collection that begins concurrently with the program while finalizers of a young one run takes nothing from
// it: what that has condemned is freed by it, once. Here the collector's thread hardly gets a processor but where a
// finalizer waits, so that full collections, asked for by allocations, begin there. Source: core/collector/README.md,
// inv.exact.one-owner.
// label: concurrency

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstdlib>
#include <set>

#include "core/heap/tables.hpp"
#include "tests/contract/flight.hpp"

namespace ouro::test {
namespace {

std::set<pid_t> threads_of_this_process() {
    std::set<pid_t> found;
    DIR* tasks = opendir("/proc/self/task");
    while (const dirent* entry = readdir(tasks)) {
        if (const int id = std::atoi(entry->d_name); id > 0) {
            found.insert(id);
        }
    }
    closedir(tasks);
    return found;
}

std::atomic<bool> has_begun{false};

void hear_a_full_one_begin(const OuroEvent* event, void*) {
    if (event->phase == OURO_PHASE_PAUSE && event->generation == 2) {
        has_begun = true;
    }
}

// On one processor, on which the test's thread goes first.
class AFullCollection : public Flight {
protected:
    const char* settings() const override { return ",generations=on"; }

    void SetUp() override {
        ASSERT_EQ(sched_getaffinity(0, sizeof(before_), &before_), 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
        const std::set<pid_t> mine = threads_of_this_process();
        Flight::SetUp();
        for (const pid_t id : threads_of_this_process()) {
            if (!mine.contains(id)) {
                ASSERT_EQ(setpriority(PRIO_PROCESS, static_cast<id_t>(id), 19), 0);
            }
        }
        has_begun = false;
        ASSERT_EQ(Ouro_AddListener(hear_a_full_one_begin, nullptr), 0);
    }
    void TearDown() override {
        Ouro_RemoveListener(hear_a_full_one_begin, nullptr);
        Flight::TearDown();
        EXPECT_EQ(sched_setaffinity(0, sizeof(before_), &before_), 0);
    }

private:
    cpu_set_t before_{};
};

TEST_P(AFullCollection, MayBeginAmidAYoungOne) {
    Fate fate;
    int made = 0;
    // One of many waits, outside.
    record.on_finalize = [calls = std::make_shared<std::atomic<int>>(0)](Thing*) {
        if (++*calls % 300 == 0) {
            const Detached outside;
            usleep(1000);
        }
    };
    PyObject* kept = PyList_New(0);
    for (int i = 0, ended = 0; ended < 2; ++i) {
        ASSERT_LT(i, 1'000'000);
        if (has_begun) {
            const Detached outside;
            wait_until([&] { return heard.ended.load() > ended; });
            ended = heard.ended.load();
            has_begun = false;
        }
        PyObject* ring = thing_ring(3, &fate, &FinalThingType);
        made += 3;
        // As if what was there before had died while a collection marked.
        heap::store_mark(&heap::tables.mark[heap::slot_of(ring)], heap::kGrey);
        if (i % 10 == 0) {
            ASSERT_EQ(PyList_Append(kept, ring), 0);
        }
        Py_DECREF(ring);
    }
    Py_DECREF(kept);
    PyGC_Collect();
    EXPECT_EQ(fate.finalized.load(), made);
    EXPECT_EQ(fate.died.load(), made);
}

EVERY_FLIGHT(AFullCollection);

}  // namespace
}  // namespace ouro::test
