// tp_finalize runs once in an object's life, on an object that is still whole, and every finalizer
// of what is condemned runs before the first tp_clear. Source: "Type Objects", tp_finalize;
// "Supporting Cyclic Garbage Collection", PyObject_GC_IsFinalized.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Finalizing = Things;

TEST_P(Finalizing, AllOfThemComeBeforeTheFirstClear) {
    drop_ring(20, &FinalThingType);
    drop_ring(20, &FinalThingType, 20);
    ASSERT_EQ(PyGC_Collect(), 40);
    EXPECT_EQ(record.count(Call::kFinalize), 40);
    EXPECT_EQ(record.count(Call::kClear), 40);
    for (int id = 0; id < 40; ++id) {
        EXPECT_EQ(record.count(Call::kFinalize, id), 1) << id;
    }
    EXPECT_TRUE(
        std::ranges::all_of(record.calls.begin(), record.calls.begin() + 40,
                            [](const auto& entry) { return entry.call == Call::kFinalize; }));
}

TEST_P(Finalizing, FindsItsObjectAndItsNeighboursWhole) {
    const std::vector<PyObject*> nodes = ring(4, &FinalThingType);
    record.on_finalize = [&](Thing* op) {
        EXPECT_EQ(op->slots[0], nodes[static_cast<size_t>(op->id + 1) % 4]);
        EXPECT_EQ(PyObject_GC_IsFinalized(object(op)), 1);
        EXPECT_EQ(PyObject_GC_IsTracked(object(op)), 1);
        EXPECT_EQ(record.live, 4);
    };
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 4);
}

TEST_P(Finalizing, IsRememberedByTheObject) {
    PyObject* op = new_thing(0, &FinalThingType);
    refer(op, 0, op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 0);
    record.on_finalize = [](Thing* self) { Py_INCREF(self); };  // an owner outside the heap
    Py_DECREF(op);
    ASSERT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    PyObject_GC_UnTrack(op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(record.count(Call::kFinalize), 1);
}

TEST_P(Finalizing, IsNotCalledForTheLiving) {
    const std::vector<PyObject*> nodes = ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.count(Call::kFinalize), 0);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_P(Finalizing, MayAllocateAndDropOthers) {
    PyObject* bystander = new_thing(50);
    std::vector<PyObject*> kept;
    record.on_finalize = [&](Thing*) {
        kept.push_back(new_thing(60));
        Py_DECREF(PyList_New(10));
        if (bystander != nullptr) {
            Py_CLEAR(bystander);
        }
    };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.count(Call::kDealloc, 50), 1);
    EXPECT_EQ(record.live, 3) << "what the finalizers made is no part of this collection";
    drop(kept);
}

// A finalizer that breaks the cycle itself: the objects die of their counts, once each, and were not collected.
// Their deallocations call those finalizers that have not run.
TEST_P(Finalizing, MayBreakTheCycle) {
    record.on_finalize = [](Thing* op) { refer(object(op), 0, nullptr); };
    drop_ring(5, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.count(Call::kFinalize), 5);
    EXPECT_EQ(record.count(Call::kClear), 0);
    EXPECT_EQ(record.count(Call::kDealloc), 5);
}

TEST_P(Finalizing, RunsForATailToo) {
    const std::vector<PyObject*> nodes = ring(2);
    PyObject* tail = new_thing(9, &FinalThingType);
    refer(nodes[0], 1, tail);
    Py_DECREF(tail);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.calls.front(), (Record::Entry{Call::kFinalize, 9}));
}

EVERY_RUNTIME(Finalizing);

}  // namespace
}  // namespace ouro::test
