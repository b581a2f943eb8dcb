// PyGC_Collect called while a collection runs concurrently with the program: all that was garbage at the call is gone
// when it returns, what died after that collection began too; however long the other takes to come to an end.
// PyGC_Disable with one in flight: no finalizer begins. From a finalizer on the collector's thread PyGC_Collect
// returns 0. Source: "Supporting Cyclic Garbage Collection", PyGC_Collect, PyGC_Disable.
// label: concurrency

#include <algorithm>
#include <vector>

#include "tests/contract/flight.hpp"

namespace ouro::test {
namespace {

class Requests : public Flight {};

void open_the_gate_after(int ms) {
    sleep_ms(ms);
    gate().closed = false;
}

// The traversal holds the collection up for longer than a request waits for user code.
TEST_P(Requests, AreCompleteHoweverLongTheOtherTakes) {
    for (const int ms : {0, 20, 350}) {
        SCOPED_TRACE(ms);
        Fate fate;
        PyObject* ring = thing_ring(1000, &fate, &FinalThingType);
        take_off();
        Py_DECREF(ring);
        Py_DECREF(thing_ring(1000, &fate, &FinalThingType));  // born during it
        std::thread opener([ms] { open_the_gate_after(ms); });
        EXPECT_GE(PyGC_Collect(), 2000);
        EXPECT_EQ(fate.finalized.load(), 2000);
        EXPECT_EQ(fate.died.load(), 2000);
        const Detached outside;
        opener.join();
    }
    EXPECT_GT(heard.ended.load(), 3);
    EXPECT_EQ(heard.fallbacks.load(), 0);
}

TEST_P(Requests, FromAFinalizerOnTheCollectorsThreadReturnZero) {
    Fate fate;
    std::atomic<int> elsewhere{0};
    std::atomic<Py_ssize_t> found{0};
    record.on_finalize = [&](Thing*) {
        if (std::this_thread::get_id() != test_thread) {
            ++elsewhere;
            for (int i = 0; i < 1000; ++i) {  // and whoever asks meanwhile is not refused
                found = std::max(found.load(), PyGC_Collect());
            }
        }
    };
    Py_DECREF(thing_ring(4, &fate, &FinalThingType));
    while (elsewhere.load() == 0) {
        Py_DECREF(thing_ring(3, kUncounted));
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    PyGC_Collect();
    EXPECT_EQ(found.load(), 0);
    EXPECT_EQ(fate.finalized.load(), 4);
    EXPECT_EQ(fate.died.load(), 4);
}

// What the finalizer's collection has condemned stays that one's; all other garbage is freed.
TEST_P(Requests, DoNotWaitForAFinalizerThatDoesNotComeBack) {
    Fate fate;
    std::atomic<bool> is_held{false};
    std::atomic<bool> may_go_on{false};
    record.on_finalize = [&](Thing*) {
        if (std::this_thread::get_id() != test_thread && !is_held.exchange(true)) {
            const Detached outside;
            wait_until([&] { return may_go_on.load(); });
        }
    };
    Py_DECREF(thing_ring(1000, &fate, &FinalThingType));
    while (!is_held.load()) {
        Py_DECREF(thing_ring(3, kUncounted));
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    Fate others;
    Py_DECREF(thing_ring(10, &others, &FinalThingType));
    EXPECT_GE(PyGC_Collect(), 10);
    EXPECT_EQ(others.died.load(), 10);
    EXPECT_EQ(fate.died.load(), 0);
    may_go_on = true;
    PyGC_Collect();
    EXPECT_EQ(fate.finalized.load(), 1000);
    EXPECT_EQ(fate.died.load(), 1000);
}

std::atomic<bool> slow_is_held{false};
std::atomic<bool> slow_may_go_on{false};

// No container. Its deallocation, off the test's thread, takes until the test lets it go on.
PyTypeObject SlowType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Slow",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc =
        [](PyObject* op) {
            if (std::this_thread::get_id() != test_thread && !slow_is_held.exchange(true)) {
                const Detached outside;
                wait_until([] { return slow_may_go_on.load(); });
            }
            PyObject_Free(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

// While some of the garbage is being freed the rest is not tested yet: no other collection takes it.
TEST_P(Requests, LeaveToACollectionAmidItsTestWhatIsItsOwn) {
    constexpr int kRings = 20'000;
    ASSERT_EQ(PyType_Ready(&SlowType), 0);
    slow_is_held = slow_may_go_on = false;
    // A collection that took it would be amid its own work when the other goes on.
    record.on_finalize = [](Thing*) {
        if (std::this_thread::get_id() == test_thread && !slow_may_go_on.exchange(true)) {
            const Detached outside;
            sleep_ms(300);
        }
    };
    Fate fate;
    std::vector<PyObject*> rings;
    for (int i = 0; i < kRings; ++i) {
        rings.push_back(thing_ring(3, &fate, i % 1000 == 0 ? &FinalThingType : &ThingType));
        if (i % 100 == 0) {
            PyObject* slow = PyObject_New(PyObject, &SlowType);
            refer(rings.back(), 1, slow);
            Py_DECREF(slow);
        }
    }
    PyGC_Collect();
    for (PyObject* ring : rings) {
        Py_DECREF(ring);
    }
    while (!slow_is_held.load()) {
        Py_DECREF(thing_ring(3, kUncounted));
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    PyGC_Collect();
    slow_may_go_on = true;
    for (int i = 0; i < 100 && fate.died.load() < 3 * kRings; ++i) {
        PyGC_Collect();
        const Detached outside;
        sleep_ms(10);
    }
    EXPECT_EQ(fate.died.load(), 3 * kRings);
}

TEST_P(Requests, ToDisableEndWhatHasNotBegun) {
    Fate fate;
    Py_DECREF(thing_ring(10, &fate, &FinalThingType));
    take_off();
    EXPECT_EQ(PyGC_Disable(), 1);
    const int before = heard.ended.load();
    gate().closed = false;
    {
        const Detached outside;
        wait_until([&] { return heard.ended.load() > before; });
        sleep_ms(20);
    }
    EXPECT_EQ(fate.finalized.load(), 0) << "a finalizer began after the collector was disabled";
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(PyGC_Enable(), 0);
    EXPECT_GE(PyGC_Collect(), 10);
    EXPECT_EQ(fate.died.load(), 10);
}

EVERY_FLIGHT(Requests);

// Where references that others drop wait for the thread that owns the object, until a collection begins.
class RequestsOfOwners : public Flight {};

// What died so is deallocated before anything is looked for, and that may not come back either.
TEST_P(RequestsOfOwners, DoNotWaitForADeallocationThatDoesNotComeBack) {
    ASSERT_EQ(PyType_Ready(&SlowType), 0);
    slow_is_held = slow_may_go_on = false;
    const OwnedElsewhere slow([] { return PyObject_New(PyObject, &SlowType); });
    Py_DECREF(slow.get());
    while (!slow_is_held.load()) {
        Py_DECREF(thing_ring(3, kUncounted));
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    Fate fate;
    Py_DECREF(thing_ring(10, &fate));
    EXPECT_EQ(PyGC_Collect(), 0);
    slow_may_go_on = true;
    EXPECT_GE(PyGC_Collect(), 10);
    EXPECT_EQ(fate.died.load(), 10);
}

#ifdef OURO_REFCOUNT_PLAIN
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RequestsOfOwners);
#else
INSTANTIATE_TEST_SUITE_P(Engines, RequestsOfOwners,
                         testing::Values("biased,engine=concurrent", "biased,engine=snapshot"),
                         runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
