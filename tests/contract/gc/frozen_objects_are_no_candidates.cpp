// gc.freeze takes all that is tracked out of every collection: frozen garbage is not found, and what frozen
// objects refer to is alive. gc.unfreeze gives it back as old objects. They are tracked meanwhile, and die by
// their counts as others do. Source: "gc - Garbage Collector interface", freeze, unfreeze, get_freeze_count.

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

class Freezing : public ModuleTest {
protected:
    static Py_ssize_t frozen() { return number(call("gc", "get_freeze_count")); }
    static void freeze() { EXPECT_EQ(repr_or_error(call("gc", "freeze")), "None"); }
    static void unfreeze() { EXPECT_EQ(repr_or_error(call("gc", "unfreeze")), "None"); }
    static bool is_listed(PyObject* op) {
        PyObject* all = call("gc", "get_objects");
        const bool found = has(all, op);
        Py_DECREF(all);
        return found;
    }
};

TEST_P(Freezing, NoCollectionFindsThem) {
    drop_ring(3, &FinalThingType);
    const auto tracked = static_cast<Py_ssize_t>(tracked_objects());
    EXPECT_EQ(frozen(), 0);
    freeze();
    EXPECT_EQ(frozen(), tracked);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(number(call("gc", "collect", "(i)", 0)), 0);
    EXPECT_EQ(record.live, 3);
    drop_ring(2, &ThingType, 10);
    EXPECT_EQ(PyGC_Collect(), 2) << "what is made later is found";
    unfreeze();
    EXPECT_EQ(frozen(), 0);
    EXPECT_EQ(number(call("gc", "collect", "(i)", 0)), 0) << "they are old now";
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.count(Call::kFinalize), 3);
}

TEST_P(Freezing, WhatTheyReferToIsAlive) {
    PyObject* holder = new_thing(1);
    freeze();
    const std::vector<PyObject*> held = ring(2, &ThingType, 10);
    refer(holder, 0, held[0]);
    drop(held);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.live, 3);
    refer(holder, 0, nullptr);
    EXPECT_EQ(PyGC_Collect(), 2);
    unfreeze();
    Py_DECREF(holder);
}

// A cycle of which a part is frozen is garbage when that is over.
TEST_P(Freezing, ACycleThroughThemWaits) {
    PyObject* frozen_one = new_thing(1);
    freeze();
    PyObject* other = new_thing(2);
    refer(frozen_one, 0, other);
    refer(other, 0, frozen_one);
    drop({frozen_one, other});
    EXPECT_EQ(PyGC_Collect(), 0);
    unfreeze();
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_P(Freezing, TheyAreTrackedAndDieByTheirCounts) {
    PyObject* op = new_thing(1, &FinalThingType);
    PyObject* reference = watched(op, 1);
    PyObject* kept = new_thing(2);
    freeze();
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    const Py_ssize_t before = frozen();
    Py_DECREF(op);
    EXPECT_EQ(record.live, 1) << "the callback has gone with the thing";
    EXPECT_TRUE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    EXPECT_LT(frozen(), before);
    Py_DECREF(reference);
    unfreeze();
    Py_DECREF(kept);
}

TEST_P(Freezing, TheyCanBeUntrackedAndTrackedAgain) {
    PyObject* op = new_thing(1);
    freeze();
    const Py_ssize_t before = frozen();
    PyObject_GC_UnTrack(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    EXPECT_EQ(frozen(), before - 1);
    PyObject_GC_Track(op);
    EXPECT_EQ(frozen(), before - 1) << "it is thawed";
    refer(op, 0, op);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
    unfreeze();
}

TEST_P(Freezing, TheyAreNotListedButVisited) {
    PyObject* op = new_thing(1);
    freeze();
    EXPECT_FALSE(is_listed(op));
    struct Visit {
        PyObject* wanted;
        bool found;
    } visit{op, false};
    PyUnstable_GC_VisitObjects(
        [](PyObject* each, void* arg) {
            auto* its = static_cast<Visit*>(arg);
            its->found |= each == its->wanted;
            return 1;
        },
        &visit);
    EXPECT_TRUE(visit.found);
    unfreeze();
    EXPECT_TRUE(is_listed(op));
    Py_DECREF(op);
}

// What a collection has condemned stays that one's.
TEST_P(Freezing, FromAFinalizer) {
    record.on_finalize = [](Thing*) { freeze(); };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.live, 0);
    record.on_finalize = nullptr;
    EXPECT_GT(frozen(), 0);
    unfreeze();
}

TEST_P(Freezing, TheCountsBeginAnew) {
    const std::vector<PyObject*> things = ring(100);
    freeze();
    PyObject* counts = call("gc", "get_count");
    EXPECT_LT(PyLong_AsLong(PyTuple_GetItem(counts, 0)), 20);
    Py_DECREF(counts);
    unfreeze();
    drop(things);
    PyGC_Collect();
}

// The runtime that ends thaws them.
TEST_P(Freezing, IsOverWhenTheRuntimeEnds) {
    drop_ring(2);
    freeze();
    Ouro_RemoveListener(note_cycle, nullptr);
    Py_Finalize();
    EXPECT_EQ(record.live, 0);
    begin("verify=on,generations=on");
    EXPECT_EQ(frozen(), 0);
}

EVERY_RUNTIME(Freezing);

}  // namespace
}  // namespace ouro::test
