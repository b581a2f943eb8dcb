// Engine local: around what was let go of and is alive it is searched for garbage, so old cycles that die are found
// without a collection of everything. What a search misses waits for one. Source: Bacon and Rajan, "Concurrent Cycle
// Collection in Reference Counted Systems" (2001), possible roots.
// a process for each case

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/contract/things.hpp"
#include "tests/support/attached.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class Searches : public Things {
protected:
    // More of them than are searched around at once, so that after a few allocations at least that many have been.
    static constexpr int kRings = 400;
    static constexpr int kFound = 200;  // of four, in a budget of 200 us: 800 members
    static constexpr std::chrono::microseconds kBudget{200};

    // Each one's first thing (new references); old.
    static std::vector<PyObject*> old_rings(int size, Fate* fate, PyTypeObject* type = &ThingType,
                                            int number = kRings) {
        std::vector<PyObject*> all;
        for (int i = 0; i < number; ++i) {
            all.push_back(thing_ring(size, fate, type));
        }
        PyGC_Collect();
        record.cycles.clear();
        return all;
    }
    // Allocates, far less than a young collection needs to be due, in so many rounds: searches are made with every 64
    // new objects, and a pause budget after one that found nothing.
    static void go_on(int rounds = 4) {
        std::vector<PyObject*> kept;
        for (int round = 0; round < rounds; ++round) {
            std::this_thread::sleep_for(kBudget);
            for (int i = 0; i < 80; ++i) {
                kept.push_back(new_thing(kUncounted));
            }
        }
        drop(kept);
    }
    // By those that searched: how many objects they looked at, and found.
    static uint64_t seen() {
        uint64_t objects = 0;
        for (const OuroEvent& cycle : record.cycles) {
            EXPECT_EQ(cycle.trigger, OURO_TRIGGER_SUSPECTS);
            EXPECT_EQ(cycle.generation, 1u);
            objects += cycle.objects;
        }
        return objects;
    }
};

TEST_P(Searches, OldCyclesDieWithoutAFullCollection) {
    Fate fate;
    drop(old_rings(4, &fate));
    EXPECT_EQ(fate.died, 0);
    go_on();
    EXPECT_GE(fate.died, 4 * kFound);
    EXPECT_GE(seen(), 4u * kFound);
    PyGC_Collect();
    EXPECT_EQ(fate.died, 4 * kRings);
}

TEST_P(Searches, LoseNoSuspect) {
    constexpr int kMany = 12'000;
    constexpr int kWaiting = 256 + 64;  // as many as make a search due, and a thread's own
    Fate fate;
    drop(old_rings(4, &fate, &ThingType, kMany));
    std::vector<PyObject*> kept;  // what dies at once makes nothing due
    for (int i = 0; i < kMany / 2; ++i) {
        kept.push_back(new_thing(kUncounted));
    }
    EXPECT_GE(fate.died, 4 * (kMany - kWaiting));
    drop(kept);
    PyGC_Collect();
    EXPECT_EQ(fate.died, 4 * kMany);
}

TEST_P(Searches, WhatIsReferredToFromOutsideLives) {
    Fate fate;
    const std::vector<PyObject*> all = old_rings(4, &fate);
    // Only some member of each is held now, not the one that is let go of.
    std::vector<PyObject*> held;
    for (PyObject* first : all) {
        held.push_back(Py_NewRef(thing(thing(first)->slots[0])->slots[0]));
    }
    drop(all);
    go_on();
    EXPECT_GT(seen(), 0u);
    EXPECT_EQ(fate.died, 0);
    drop(held);
    go_on();
    EXPECT_GE(fate.died, 4 * kFound);
    PyGC_Collect();
    EXPECT_EQ(fate.died, 4 * kRings);
}

// Young objects are part of what lies around an old one.
TEST_P(Searches, ACycleOfOldAndYoungIsFound) {
    Fate fate;
    const std::vector<PyObject*> all = old_rings(2, &fate);
    for (PyObject* first : all) {
        PyObject* young = new_thing(&fate);
        refer(young, 0, first);
        refer(first, 1, young);
        Py_DECREF(young);
    }
    drop(all);
    go_on();
    EXPECT_GE(fate.died, 3 * kFound);
    EXPECT_GT(seen(), 0u);
    PyGC_Collect();
    EXPECT_EQ(fate.died, 3 * kRings);
}

TEST_P(Searches, FinalizersRunOnceAndWhatTheyReviveStays) {
    Fate fate;
    std::vector<PyObject*> revived;
    std::vector<PyObject*> all = old_rings(4, &fate, &FinalThingType);
    record.on_finalize = [&](Thing* self) {
        if (revived.empty()) {
            revived.push_back(Py_NewRef(object(self)));
        }
    };
    drop(all);
    go_on();
    EXPECT_GE(fate.finalized, 4 * kFound);
    ASSERT_EQ(revived.size(), 1u);
    PyObject* op = revived[0];
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(is_whole(op));
        op = thing(op)->slots[0];
    }
    EXPECT_EQ(op, revived[0]);
    drop(revived);
    PyGC_Collect();
    EXPECT_EQ(fate.finalized, 4 * kRings);
    EXPECT_EQ(fate.died, 4 * kRings);
    record.on_finalize = nullptr;
}

TEST_P(Searches, WeakReferencesToTheDeadAreClearedAndCallBack) {
    Fate fate;
    const std::vector<PyObject*> all = old_rings(3, &fate);
    std::vector<PyObject*> references;
    for (PyObject* op : all) {
        references.push_back(watched(op, 1));
    }
    drop(all);
    go_on();
    long dead = 0;
    for (PyObject* reference : references) {
        dead += is_dead(reference) ? 1 : 0;
    }
    EXPECT_GE(dead, kFound);
    EXPECT_EQ(record.count(Call::kCallback), dead);
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kCallback), kRings);
    drop(references);
}

// A search is bounded: its pause is.
TEST_P(Searches, WhatIsTooLargeWaitsForAFullCollection) {
    Fate large;
    Fate small;
    PyObject* giant = thing_ring(100'000, &large);
    const std::vector<PyObject*> all = old_rings(4, &small);
    Py_DECREF(giant);
    drop(all);
    go_on();
    EXPECT_GE(small.died, 4 * kFound - 64);  // search-bound: what is seen of the large one
    EXPECT_EQ(large.died, 0);
    EXPECT_LT(seen(), 10'000u);
    PyGC_Collect();
    EXPECT_EQ(large.died, 100'000);
    EXPECT_EQ(small.died, 4 * kRings);
}

// Nobody looks for ever at a structure that is used all the time.
TEST_P(Searches, TheLivingAreSoonLeftAlone) {
    constexpr int kSize = 20'000;
    constexpr int kTouches = 200'000;
    Fate fate;
    const std::vector<PyObject*> things = ring(kSize);
    PyGC_Collect();
    record.cycles.clear();
    for (int i = 0; i < kTouches; ++i) {
        PyObject* op = things[static_cast<size_t>(i) * 7919 % kSize];
        Py_INCREF(op);
        Py_DECREF(op);
        Py_DECREF(new_thing(kUncounted));
    }
    EXPECT_GT(seen(), 0u);
    EXPECT_LT(seen(), 10u * kSize);
    EXPECT_EQ(record.count(Call::kDealloc), 0);
    drop(things);
    PyGC_Collect();
}

// A structure that is let go of all over makes more suspects than one search takes.
TEST_P(Searches, ThatFoundNothingLeaveTheProgramABudget) {
    const std::vector<PyObject*> things = ring(50'000);
    PyGC_Collect();
    record.cycles.clear();
    for (PyObject* op : things) {
        Py_INCREF(op);
        Py_DECREF(op);
    }
    go_on(20);
    EXPECT_GT(seen(), 0u);
    const std::vector<OuroEvent>& searches = record.cycles;
    ASSERT_GT(searches.size(), 2u);
    for (size_t i = 1; i < searches.size(); ++i) {
        EXPECT_GE(searches[i].start_ns - searches[i - 1].end_ns,
                  std::chrono::nanoseconds(kBudget).count() * 9 / 10);
    }
    drop(things);
    PyGC_Collect();
}

// Old ones that are found leave the young where they are.
TEST_P(Searches, MakeNoYoungCollectionLate) {
    constexpr int kSize = 4;
    constexpr int kMany = 5'000;
    constexpr size_t kYoung = 2'000;  // make one due
    std::vector<PyObject*> live = old_rings(kSize, kUncounted, &ThingType, kMany);
    for (PyObject*& op : live) {
        Py_SETREF(op, thing_ring(kSize, kUncounted));
    }
    for (size_t i = 0; i < 2 * kYoung; ++i) {
        live.push_back(new_thing(kUncounted));
    }
    const auto young = std::ranges::count(record.cycles, 0u, &OuroEvent::generation);
    uint64_t most = 0;
    for (const OuroEvent& cycle : record.cycles) {
        most = std::max(most, cycle.generation == 0 ? cycle.objects : 0);
    }
    EXPECT_GE(static_cast<size_t>(young), kSize * kMany / kYoung);
    EXPECT_LT(most, 2 * kYoung);
    drop(live);
    PyGC_Collect();
}

TEST_P(Searches, ThreadsLeaveTheirSuspectsWhenTheyEnd) {
    constexpr size_t kThreads = 4;
    Fate fate;
    const std::vector<PyObject*> all = old_rings(4, &fate);
    for (size_t i = 0; i < kThreads; ++i) {
        const Detached outside;
        std::thread([&] {
            const Attached inside;
            drop({all.begin() + static_cast<ptrdiff_t>(i * all.size() / kThreads),
                  all.begin() + static_cast<ptrdiff_t>((i + 1) * all.size() / kThreads)});
        }).join();
    }
    go_on();
    EXPECT_GE(fate.died, 4 * kFound);
    EXPECT_GT(seen(), 0u);
    PyGC_Collect();
    EXPECT_EQ(fate.died, 4 * kRings);
}

TEST_P(Searches, AForkedChildSearches) {
    Fate fate;
    const std::vector<PyObject*> all = old_rings(4, &fate);
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
        alarm(60);
        drop(all);
        go_on();
        _exit(fate.died >= 4 * kFound ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    drop(all);
    go_on();
    EXPECT_GE(fate.died, 4 * kFound);
    PyGC_Collect();
    EXPECT_EQ(fate.died, 4 * kRings);
}

// While collection is disabled nothing is searched; what was let go of is not forgotten.
TEST_P(Searches, NotWhileCollectionIsDisabled) {
    Fate fate;
    const std::vector<PyObject*> all = old_rings(4, &fate);
    PyGC_Disable();
    drop(all);
    go_on();
    EXPECT_EQ(fate.died, 0);
    PyGC_Enable();
    go_on();
    EXPECT_GE(fate.died, 4 * kFound);
    PyGC_Collect();
    EXPECT_EQ(fate.died, 4 * kRings);
}

class SearchesWithoutGenerations : public Searches {
protected:
    const char* settings() const override { return "verify=on,generations=off"; }
};

// What searches find has not made the heap grow: no full collection is due for what took its place.
TEST_P(SearchesWithoutGenerations, LeaveNothingForAFullCollection) {
    constexpr int rings = 4000;
    std::vector<PyObject*> live = old_rings(3, kUncounted, &ThingType, rings);
    const long before = record.live.load();
    long most = 0;
    for (PyObject*& op : live) {
        Py_SETREF(op, thing_ring(3, kUncounted));
        most = std::max(most, record.live.load());
    }
    const auto full = std::ranges::count(record.cycles, 2u, &OuroEvent::generation);
    drop(live);
    PyGC_Collect();
    EXPECT_EQ(full, 0);
    EXPECT_LT(most, before + before / 4);
}

const auto kSearching = testing::Values("gil,engine=local,pause-budget-us=200",
                                        "biased,engine=local,pause-budget-us=200",
                                        "atomic,engine=local,pause-budget-us=200");
INSTANTIATE_TEST_SUITE_P(Counts, Searches, kSearching, runtime_name);
INSTANTIATE_TEST_SUITE_P(Counts, SearchesWithoutGenerations, kSearching, runtime_name);

}  // namespace
}  // namespace ouro::test
