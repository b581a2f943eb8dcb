// A mutator that allocates faster than a collection beside it ends is held back: while one is in flight the heap
// holds growth-limit per cent more than what survived the last one, and a batch for each wait; however many
// collections follow one another. Who holds it back is the collector, never a finalizer that blocks.
// label: concurrency

#include <algorithm>
#include <chrono>
#include <iterator>

#include "tests/contract/flight.hpp"

namespace ouro::test {
namespace {

constexpr int kLiveThings = 30'000;
constexpr long kBatch = 513;  // allocations between two looks at the limit
// At the limit a mutator makes so many, in whole rings, between two waits of a budget.
constexpr long kBetweenWaits = 32 + 2;
constexpr long kBudgetUs = 500;

class GrowthLimit : public Flight {
protected:
    const char* settings() const override { return ",growth-limit=50,pause-budget-us=500"; }
    void SetUp() override {
        Flight::SetUp();
        live_ = PyList_New(0);
        for (int i = 0; i < kLiveThings / 3; ++i) {
            PyObject* op = thing_ring(3, kUncounted);
            PyList_Append(live_, op);
            Py_DECREF(op);
        }
        PyGC_Collect();
    }
    void TearDown() override {
        Py_DECREF(live_);
        Flight::TearDown();
    }

    // By what the heap may have grown: up to the limit, and from then on by some for each wait since `begin`, by
    // milliseconds().
    static long growth_since(int64_t begin) {
        const long waits = (milliseconds() - begin) * 1000 / kBudgetUs + 1;
        return kLiveThings / 2 + 2 * kBatch + waits * kBetweenWaits;
    }

private:
    PyObject* live_ = nullptr;
};

TEST_P(GrowthLimit, IsLimitedWhileACollectionIsInFlight) {
    take_off();
    const long before = record.live.load();
    const int64_t start = milliseconds();
    // Until the limit, and from then on some for each wait.
    while (milliseconds() < start + 200) {
        Py_DECREF(thing_ring(3, kUncounted));
    }
    const long allowed = growth_since(start);
    const long growth = record.live.load() - before;
    gate().closed = false;
    PyGC_Collect();
    EXPECT_GT(growth, kBatch) << "it was blocked";
    EXPECT_LT(growth, allowed);
}

// What dies beside one collection is looked at by the next, and must not count as heap that may grow.
TEST_P(GrowthLimit, DoesNotAddUp) {
    for (int round = 0; round < 6; ++round) {
        const int64_t begin = milliseconds();
        take_off();
        const int64_t start = milliseconds();
        while (milliseconds() < start + 50) {
            Py_DECREF(thing_ring(3, kUncounted));
        }
        EXPECT_LT(record.live.load(), kLiveThings + growth_since(begin));
        const int ended = heard.ended.load();
        gate().closed = false;
        const Detached outside;
        wait_until([&] { return heard.ended.load() > ended; });
    }
}

// Holds up who ends a collection, and so cannot begin the next, until the mutator has had time to allocate.
struct HeldUp {
    std::atomic<bool> is_there{false};
    std::atomic<bool> is_over{false};
    long live = 0;
};

void hold_up(const OuroEvent* event, void* arg) {
    auto* held = static_cast<HeldUp*>(arg);
    if (event->phase == OURO_PHASE_CYCLE && !held->is_there) {
        held->is_there = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        held->live = record.live.load();
        held->is_over = true;
    }
}

TEST_P(GrowthLimit, HoldsWhileACollectionThatIsDueCannotBegin) {
    HeldUp held;
    take_off();
    ASSERT_EQ(Ouro_AddListener(hold_up, &held), 0);
    gate().closed = false;
    {
        const Detached outside;
        wait_until([&] { return held.is_there.load(); });
    }
    while (!held.is_over) {
        Py_DECREF(thing_ring(3, kUncounted));
    }
    PyGC_Collect();
    Ouro_RemoveListener(hold_up, &held);
    EXPECT_LT(held.live, kLiveThings + growth_since(milliseconds()));
}

TEST_P(GrowthLimit, WaitsForNoFinalizerThatBlocks) {
    std::atomic<bool> blocked{false};
    std::atomic<bool> go_on{false};
    record.on_finalize = [&](Thing*) {
        if (std::this_thread::get_id() != test_thread) {
            const Detached outside;
            blocked = true;
            wait_until([&] { return go_on.load(); });
        }
    };
    Fate fate;
    Py_DECREF(thing_ring(1, &fate, &FinalThingType));
    while (!blocked) {
        Py_DECREF(thing_ring(3, kUncounted));
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    // Far beyond the limit: the finalizer waits for that, so whoever waited for it would wait for ever.
    for (int i = 0; i < 6000; ++i) {
        Py_DECREF(thing_ring(3, kUncounted));
    }
    go_on = true;
    PyGC_Collect();
    EXPECT_EQ(fate.died.load(), 1);
}

EVERY_FLIGHT(GrowthLimit);

// Where the program's threads do the collector's work, a slice now and then, they do more of it if that takes
// longer than usual.
void spend(std::chrono::microseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
}

int slow_traverse(PyObject* op, visitproc visit, void* arg) {
    spend(std::chrono::microseconds(5));
    return thing_traverse(op, visit, arg);
}

PyTypeObject SlowType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Slow",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = slow_traverse,
    .tp_clear = thing_clear,
    .tp_base = &ThingType,
};

class SlicedGrowth : public testing::TestWithParam<const char*> {};

TEST_P(SlicedGrowth, IsLimitedWhateverATraversalCosts) {
    ASSERT_EQ(Ouro_Configure(
                  settings_for(GetParam(), "verify=off,generations=off,growth-limit=50").c_str(),
                  nullptr),
              0);
    Py_Initialize();
    for (PyTypeObject* type : {&ThingType, &SlowType}) {
        ASSERT_EQ(PyType_Ready(type), 0);
    }
    constexpr long live = 6000;
    PyObject* list = PyList_New(0);
    for (long i = 0; i < live; ++i) {
        PyObject* op = new_thing(kUncounted, &SlowType);
        PyList_Append(list, op);
        Py_DECREF(op);
    }
    PyGC_Collect();
    heard.ended = 0;
    ASSERT_EQ(Ouro_AddListener(hear_flight, nullptr), 0);
    long most = 0;
    while (heard.ended < 8 && most < 10 * live) {
        Py_DECREF(thing_ring(3, kUncounted));
        most = std::max(most, record.live.load());
    }
    Ouro_RemoveListener(hear_flight, nullptr);
    Py_DECREF(list);
    PyGC_Collect();
    EXPECT_EQ(record.live.load(), 0);
    Py_FinalizeEx();
    EXPECT_LT(most, live * 3 / 2 + 3 * kBatch);
}

// A full collection of a small heap leaves the program the time that its slices took, as long as there is room.
struct SlicesHeard {
    static constexpr int kFirst = 8;  // of the first such collection
    int count = 0;
    int64_t last_end_ns = 0;
    int64_t least_gap_ns = INT64_MAX;
    // The processor was taken away in one; the program then runs as much longer, and the room may be used up.
    bool disturbed = false;
};

void hear_slices(const OuroEvent* event, void* arg) {
    if (event->phase != OURO_PHASE_PAUSE || event->generation != 2) {
        return;
    }
    auto* slices = static_cast<SlicesHeard*>(arg);
    if (slices->count == SlicesHeard::kFirst) {
        return;
    }
    if (slices->count++ > 0) {
        slices->least_gap_ns =
            std::min(slices->least_gap_ns, event->start_ns - slices->last_end_ns);
    }
    slices->last_end_ns = event->end_ns;
    slices->disturbed =
        slices->disturbed || event->end_ns - event->start_ns > event->cpu_ns + 100'000;
}

// Until the first slices of the first full collection have been heard.
SlicesHeard first_slices(const char* runtime) {
    SlicesHeard slices;
    EXPECT_EQ(
        Ouro_Configure(settings_for(runtime, "verify=off,generations=on,growth-limit=200").c_str(),
                       nullptr),
        0);
    Py_Initialize();
    EXPECT_EQ(PyType_Ready(&ThingType), 0);
    EXPECT_EQ(Ouro_AddListener(hear_slices, &slices), 0);
    PyObject* live[1000] = {};
    for (size_t i = 0; slices.count < SlicesHeard::kFirst && i < 10'000'000; ++i) {
        PyObject*& oldest = live[i % std::size(live)];
        Py_XSETREF(oldest, thing_ring(3, kUncounted));
        spend(
            std::chrono::microseconds(1));  // or the room is used up before the collection is over
    }
    Ouro_RemoveListener(hear_slices, &slices);
    for (PyObject* op : live) {
        Py_XDECREF(op);
    }
    PyGC_Collect();
    EXPECT_EQ(record.live.load(), 0);
    Py_FinalizeEx();
    return slices;
}

class SlicesOfASmallHeap : public testing::TestWithParam<const char*> {};

TEST_P(SlicesOfASmallHeap, LeaveTheProgramTime) {
    SlicesHeard slices = first_slices(GetParam());
    for (int i = 0; slices.disturbed && i < 50; ++i) {
        slices = first_slices(GetParam());
    }
    EXPECT_FALSE(slices.disturbed) << "the machine is too busy for a slice of a millisecond";
    EXPECT_EQ(slices.count, SlicesHeard::kFirst);
    EXPECT_GE(slices.least_gap_ns, 200'000);
}

// Between two slices of a large budget lie more allocations, by its usual rate, than there is room for.
#ifdef OURO_REFCOUNT_PLAIN
INSTANTIATE_TEST_SUITE_P(Engines, SlicedGrowth,
                         testing::Values("plain,engine=incremental",
                                         "plain,engine=incremental,pause-budget-us=5000"),
                         runtime_name);
INSTANTIATE_TEST_SUITE_P(Engines, SlicesOfASmallHeap, testing::Values("plain,engine=incremental"),
                         runtime_name);
#else
INSTANTIATE_TEST_SUITE_P(Engines, SlicedGrowth,
                         testing::Values("gil,engine=incremental", "biased,engine=incremental",
                                         "gil,engine=incremental,pause-budget-us=5000",
                                         "biased,engine=incremental,pause-budget-us=5000",
                                         "gil,engine=local,pause-budget-us=2000"),
                         runtime_name);
INSTANTIATE_TEST_SUITE_P(Engines, SlicesOfASmallHeap,
                         testing::Values("gil,engine=incremental", "biased,engine=incremental"),
                         runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
