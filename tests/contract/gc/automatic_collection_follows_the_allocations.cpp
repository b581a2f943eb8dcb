// A collection begins by itself when containers allocated exceed those deallocated by more than
// 2,000 since the last one: of the young; of the middle generation after ten of those; of
// everything after ten of the middle, if what became old since is at least a quarter of what
// survived the last full one. Not while collection is disabled, nor while an exception is set.
// Source: "gc", set_threshold, and "Supporting Cyclic Garbage Collection", PyGC_Enable,
// PyGC_Disable; thresholds and the rule of a quarter as in CPython 3.13.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

constexpr size_t kYoung = 2000;

class Automatic : public Things {
protected:
    void TearDown() override {
        drop(kept_);
        kept_.clear();
        PyGC_Collect();
        Things::TearDown();
    }
    // That many more containers, all kept.
    void keep_more(size_t count) {
        for (size_t i = 0; i < count; ++i) {
            kept_.push_back(PyList_New(0));
        }
    }
    // Allocates until the next collection has begun, keeping nothing but what a collection frees.
    static void wait_for_a_collection() {
        const size_t before = record.cycles.size();
        while (record.cycles.size() == before) {
            drop_ring(1);
        }
    }
    static unsigned last_generation() { return record.cycles.back().generation; }
    std::vector<PyObject*> kept_;
};

TEST_P(Automatic, BeginsAfterTwoThousandMoreContainers) {
    keep_more(kYoung);
    EXPECT_EQ(record.cycles.size(), 0u);
    keep_more(1);
    ASSERT_EQ(record.cycles.size(), 1u);
    EXPECT_EQ(last_generation(), 0u);
    keep_more(kYoung - 1);
    EXPECT_EQ(record.cycles.size(), 1u);
    keep_more(2);
    EXPECT_EQ(record.cycles.size(), 2u) << "the count began anew";
}

TEST_P(Automatic, DeallocationsCountAgainstAllocations) {
    keep_more(kYoung - 1);
    for (int i = 0; i < 100000; ++i) {
        Py_DECREF(PyList_New(0));
    }
    EXPECT_EQ(record.cycles.size(), 0u);
    for (int i = 0; i < 1000; ++i) {
        Py_DECREF(kept_.back());
        kept_.pop_back();
    }
    keep_more(1001);
    EXPECT_EQ(record.cycles.size(), 0u);
    keep_more(1);
    EXPECT_EQ(record.cycles.size(), 1u);
}

TEST_P(Automatic, AtomsDoNotCount) {
    std::vector<PyObject*> atoms;
    for (long i = 0; i < 10000; ++i) {
        atoms.push_back(PyLong_FromLong(100000 + i));
        atoms.push_back(PyFloat_FromDouble(1.5));
    }
    EXPECT_EQ(record.cycles.size(), 0u);
    drop(atoms);
}

TEST_P(Automatic, EveryWayToAllocateAContainerCounts) {
    const std::function<PyObject*()> ways[] = {
        [] { return PyList_New(0); },
        [] { return PyTuple_New(1); },
        [] { return PyDict_New(); },
        [] { return new_thing(); },
        [] { return PyType_GenericNew(&PyList_Type, nullptr, nullptr); },
        [] {
            PyObject* op = object(PyObject_GC_New(Thing, &ThingType));
            std::fill_n(thing(op)->slots, kSlots, nullptr);
            thing(op)->weak_references = nullptr;
            begin_thing(op);
            PyObject_GC_Track(op);
            return op;
        },
    };
    for (const auto& make : ways) {
        PyGC_Collect();
        record.cycles.clear();
        for (size_t i = 0; i <= kYoung; ++i) {
            kept_.push_back(make());
        }
        EXPECT_EQ(record.cycles.size(), 1u) << "way " << &make - ways;
    }
}

TEST_P(Automatic, FreesGarbageByItself) {
    for (int i = 0; i < 100000; ++i) {
        drop_ring(2);
        ASSERT_LT(record.live, 2500);
    }
    EXPECT_GT(record.cycles.size(), 50u);
}

TEST_P(Automatic, EveryEleventhIsOfTheMiddle) {
    for (int i = 0; i < 24; ++i) {
        wait_for_a_collection();
    }
    std::vector<unsigned> expected(24, 0);
    expected[11] = expected[23] = 1;  // eleven of the young between two of the middle
    EXPECT_EQ(record.generations(), expected);
}

TEST_P(Automatic, AFullOneComesAfterElevenOfTheMiddleIfEnoughBecameOld) {
    while (record.cycles.size() < 12 * 11) {
        keep_more(50);  // becomes old: in all far more than a quarter of what was there
        wait_for_a_collection();
    }
    EXPECT_EQ(std::ranges::count(record.generations(), 2u), 0);
    wait_for_a_collection();
    EXPECT_EQ(last_generation(), 2u);
    EXPECT_EQ(std::ranges::count(record.generations(), 1u), 11);
}

// The rule of a quarter: with a large old heap, and little that becomes old, none comes.
TEST_P(Automatic, NoFullOneForLittleThatBecameOld) {
    keep_more(10000);
    PyGC_Collect();
    record.cycles.clear();
    for (int i = 0; i < 12 * 25; ++i) {
        wait_for_a_collection();  // next to nothing survives
    }
    EXPECT_EQ(std::ranges::count(record.generations(), 2u), 0);
    EXPECT_EQ(std::ranges::count(record.generations(), 1u), 25);
    // A quarter of the old heap more, and it comes with the next that is due.
    keep_more(4000);
    for (int i = 0; i < 13 && last_generation() != 2; ++i) {
        wait_for_a_collection();
    }
    EXPECT_EQ(last_generation(), 2u);
}

TEST_P(Automatic, NeverWhileDisabled) {
    ASSERT_EQ(PyGC_Disable(), 1);
    for (int i = 0; i < 10000; ++i) {
        drop_ring(2);
    }
    EXPECT_EQ(record.cycles.size(), 0u);
    EXPECT_EQ(record.live, 20000);
    ASSERT_EQ(PyGC_Enable(), 0);
    EXPECT_EQ(record.cycles.size(), 0u) << "enabling is no safepoint";
    Py_DECREF(PyList_New(0));
    ASSERT_EQ(record.cycles.size(), 1u) << "the next allocation is";
    EXPECT_EQ(record.live, 0);
}

TEST_P(Automatic, NeverWhileAnExceptionIsSet) {
    PyErr_SetString(PyExc_KeyError, "pending");
    for (int i = 0; i < 10000; ++i) {
        drop_ring(2);
    }
    EXPECT_EQ(record.cycles.size(), 0u);
    expect_raised(PyExc_KeyError, "pending");
    Py_DECREF(PyList_New(0));
    EXPECT_EQ(record.cycles.size(), 1u);
    EXPECT_EQ(record.live, 0);
}

// What the new object will refer to is the caller's own; all else may be collected before it is
// made.
TEST_P(Automatic, ComesBeforeTheNewObjectExists) {
    keep_more(kYoung - 2);
    drop_ring(2, &FinalThingType);
    size_t tracked_in_finalizer = 0;
    record.on_finalize = [&](Thing*) { tracked_in_finalizer = tracked_objects(); };
    const size_t before = tracked_objects();
    PyObject* list = PyList_New(0);
    EXPECT_EQ(record.cycles.size(), 1u);
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(tracked_in_finalizer, before) << "the list was not there yet";
    Py_DECREF(list);
}

TEST_P(Automatic, DoesNotBeginInsideAnother) {
    record.on_finalize = [this](Thing*) { keep_more(kYoung + 10); };
    drop_ring(2, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(record.cycles.size(), 1u);
    keep_more(1);
    EXPECT_EQ(record.cycles.size(), 2u) << "but soon after";
}

EVERY_RUNTIME_WITH_A_MIDDLE(Automatic);

// young-threshold: another number than CPython's, or none at all.
class Threshold : public Automatic {
protected:
    void begin_with(const char* number) {
        stop_runtime();
        start_runtime(settings_for(GetParam(), "verify=on,generations=on") +
                      ",young-threshold=" + number);
        record.cycles.clear();
    }
    void TearDown() override {
        Automatic::TearDown();
        ASSERT_EQ(Ouro_Configure("young-threshold=2000", nullptr), 0);
    }
};

TEST_P(Threshold, IsTheOneThatIsSet) {
    begin_with("300");
    keep_more(300);
    EXPECT_EQ(record.cycles.size(), 0u);
    keep_more(1);
    EXPECT_EQ(record.cycles.size(), 1u);
}

TEST_P(Threshold, OfNothingBeginsNothing) {
    begin_with("0");
    keep_more(10 * kYoung);
    EXPECT_EQ(record.cycles.size(), 0u);
}

EVERY_RUNTIME_WITH_A_MIDDLE(Threshold);

// generations=off: one generation, collected when the excess is over 2,000 and at least a quarter
// of what survived the last time.
class OneGeneration : public Automatic {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure("generations=off", nullptr), 0);
        start_runtime(std::string("verify=on,generations=off,refcount=") + GetParam());
    }
    void TearDown() override {
        drop(kept_);
        kept_.clear();
        PyGC_Collect();
        stop_runtime();
        ASSERT_EQ(Ouro_Configure("generations=on", nullptr), 0);
    }
};

TEST_P(OneGeneration, EveryCollectionIsFull) {
    for (int i = 0; i < 30; ++i) {
        wait_for_a_collection();
        EXPECT_EQ(last_generation(), 2u);
        EXPECT_LE(record.live, 1);
    }
}

TEST_P(OneGeneration, WaitsForAQuarterOfTheHeap) {
    keep_more(40000);
    PyGC_Collect();
    record.cycles.clear();
    keep_more(9990);
    EXPECT_EQ(record.cycles.size(), 0u);
    keep_more(30);
    EXPECT_EQ(record.cycles.size(), 1u);
}

EVERY_RUNTIME_WITH_A_MIDDLE(OneGeneration);

}  // namespace
}  // namespace ouro::test
