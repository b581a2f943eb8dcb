// A weak reference that is garbage together with its object does not call back: there is nobody
// left who asked. One that is alive does, exactly once, also when its callback is reachable from
// nothing but the weak reference. Source: "weakref" and CPython's notes on weak references and the
// collector; the situations are those of CPython's own tests of callbacks in cycles.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Condemned = Things;

// The weak reference, its callback and its object in one cycle.
TEST_P(Condemned, InTheSameCycle) {
    const std::vector<PyObject*> things = ring(2);
    PyObject* reference = watched(things[0], 1);
    refer(things[1], 1, reference);
    Py_DECREF(reference);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 4) << "two things, the weak reference and its callback";
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// The object is not in the cycle, but is reached from it.
TEST_P(Condemned, HangingOffACycle) {
    PyObject* tail = new_thing(5);
    const std::vector<PyObject*> things = ring(2);
    refer(things[0], 1, tail);
    PyObject* reference = watched(tail, 1);
    refer(things[1], 1, reference);
    drop({reference, tail});
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 5);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// The callback itself refers back to the object's cycle.
TEST_P(Condemned, WhoseCallbackClosesTheCycle) {
    PyObject* op = new_thing(1);
    PyObject* call = new_callback(1);
    callback(call)->held = Py_NewRef(op);
    PyObject* reference = PyWeakref_NewRef(op, call);
    refer(op, 0, reference);
    drop({call, reference, op});
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// The garbage reaches the callback, but the weak reference is alive: it runs.
TEST_P(Condemned, NotThoseThatAreAlive) {
    const std::vector<PyObject*> things = ring(2);
    PyObject* call = new_callback(1);
    refer(things[1], 1, call);
    PyObject* reference = PyWeakref_NewRef(things[0], call);
    Py_DECREF(call);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

// A living weak reference's callback holds part of the garbage: then it is no garbage.
TEST_P(Condemned, ACallbackKeepsWhatItHolds) {
    const std::vector<PyObject*> things = ring(2);
    PyObject* call = new_callback(1);
    callback(call)->held = Py_NewRef(things[1]);
    PyObject* reference = PyWeakref_NewRef(things[0], call);
    Py_DECREF(call);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_FALSE(is_dead(reference));
    Py_DECREF(reference);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(record.count(Call::kCallback), 0) << "it went before its object";
}

// Two cycles, each with a weak reference to the other: all of it is garbage at once.
TEST_P(Condemned, AcrossCycles) {
    const std::vector<PyObject*> a = ring(2, &ThingType, 0);
    const std::vector<PyObject*> b = ring(2, &ThingType, 10);
    PyObject* to_a = watched(a[0], 1);
    PyObject* to_b = watched(b[0], 2);
    refer(a[0], 1, to_b);
    refer(b[0], 1, to_a);
    drop({to_a, to_b});
    drop(a);
    drop(b);
    EXPECT_EQ(PyGC_Collect(), 8);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// A weak reference to garbage, itself garbage, to whose own death a living one listens.
TEST_P(Condemned, AWeakReferenceInGarbageToALivingObject) {
    PyObject* alive = new_thing(1);
    const std::vector<PyObject*> things = ring(2, &ThingType, 10);
    PyObject* reference = watched(alive, 1);
    refer(things[0], 1, reference);
    Py_DECREF(reference);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 4);
    EXPECT_EQ(thing(alive)->weak_references, nullptr);
    Py_DECREF(alive);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// The same, but the living object dies while finalizers of the garbage run.
TEST_P(Condemned, AWeakReferenceInGarbageToWhatAFinalizerKills) {
    PyObject* alive = new_thing(1);
    const std::vector<PyObject*> things = ring(2, &FinalThingType, 10);
    PyObject* reference = watched(alive, 1);
    refer(things[0], 1, reference);
    Py_DECREF(reference);
    record.on_finalize = [&](Thing*) { Py_CLEAR(alive); };
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 4);
    EXPECT_EQ(alive, nullptr);
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// Finalizers run in between and change nothing of it.
TEST_P(Condemned, AlsoWithFinalizers) {
    const std::vector<PyObject*> things = ring(3, &FinalThingType);
    for (PyObject* op : things) {
        PyObject* reference = watched(op, thing(op)->id);
        refer(op, 1, reference);
        Py_DECREF(reference);
    }
    PyObject* outside = watched(things[1], 7);
    drop(things);
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kFinalize), 3);
    EXPECT_THAT(record.ids(Call::kCallback), testing::ElementsAre(7));
    EXPECT_EQ(record.live, 0);
    Py_DECREF(outside);
}

// A reference whose callback is due is dropped by another callback before its turn.
TEST_P(Condemned, ADueCallbackRunsThoughItsReferenceIsDropped) {
    const std::vector<PyObject*> things = ring(2);
    PyObject *a = nullptr, *b = nullptr;
    const auto drop_both = [&](PyObject*) {
        Py_CLEAR(a);
        Py_CLEAR(b);
    };
    a = watched(things[0], 1, drop_both);
    b = watched(things[1], 2, drop_both);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_THAT(record.ids(Call::kCallback), testing::UnorderedElementsAre(1, 2));
}

EVERY_RUNTIME(Condemned);

}  // namespace
}  // namespace ouro::test
