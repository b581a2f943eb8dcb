// Callbacks that a collection calls are ordinary code: they may ask for a collection (and get 0),
// make containers, raise, and revive nothing, since what they could revive is out of reach.
// Source: "Supporting Cyclic Garbage Collection", PyGC_Collect; "weakref", ref; CPython's
// test_callback_gcs.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Calling : public Things {
protected:
    // A garbage ring with ids 0, 1, ... whose first member is watched with `action`.
    void make_garbage(std::function<void(PyObject*)> action, PyTypeObject* type = &ThingType) {
        const std::vector<PyObject*> things = ring(3, type);
        reference_ = watched(things[0], 1, std::move(action));
        drop(things);
    }
    void TearDown() override {
        Py_CLEAR(reference_);
        Things::TearDown();
    }
    PyObject* reference_ = nullptr;
};

TEST_P(Calling, ACollectionInsideFindsNothing) {
    Py_ssize_t found = -1;
    make_garbage([&](PyObject*) {
        drop_ring(2, &ThingType, 10);
        found = PyGC_Collect();
    });
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(found, 0);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_P(Calling, OutsideACollectionItMayCollect) {
    Py_ssize_t found = -1;
    PyObject* op = new_thing();
    PyObject* reference = watched(op, 1, [&](PyObject*) { found = PyGC_Collect(); });
    drop_ring(2, &ThingType, 10);
    Py_DECREF(op);
    EXPECT_EQ(found, 2);
    Py_DECREF(reference);
}

TEST_P(Calling, ManyContainersCanBeMade) {
    make_garbage([&](PyObject*) {
        for (int i = 0; i < 5000; ++i) {  // more than start an automatic collection
            drop_ring(1, &ThingType, 10);
        }
    });
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.cycles.size(), 1u) << "no collection inside a collection";
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

TEST_P(Calling, ItFindsNothingToRevive) {
    PyObject* got = Py_None;
    make_garbage([&](PyObject* reference) { PyWeakref_GetRef(reference, &got); });
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(got, nullptr);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Calling, WhatItRaisesGoesToTheHook) {
    make_garbage([](PyObject*) { PyErr_SetString(PyExc_ValueError, "in a collection"); },
                 &FinalThingType);
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_EQ(PyGC_Collect(), 3);
    expect_raised(PyExc_KeyError, "the caller's");
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: in a collection"));
    EXPECT_EQ(record.count(Call::kFinalize), 3) << "the collection went on";
}

// Dropping the last reference to something that lives, in a callback, is ordinary too.
TEST_P(Calling, ItMayLetTheLivingDie) {
    PyObject* alive = new_thing(50, &FinalThingType);
    make_garbage([&](PyObject*) { Py_CLEAR(alive); });
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.count(Call::kDealloc, 50), 1);
    EXPECT_EQ(record.count(Call::kFinalize, 50), 1);
}

// Both weak references to a pair of garbage call back; each finds the other's object dead as well.
TEST_P(Calling, EachFindsAllOfTheGarbageDead) {
    const std::vector<PyObject*> things = ring(2);
    PyObject *a = nullptr, *b = nullptr;
    a = watched(things[0], 1, [&](PyObject*) { EXPECT_TRUE(is_dead(b)); });
    b = watched(things[1], 2, [&](PyObject*) { EXPECT_TRUE(is_dead(a)); });
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_THAT(record.ids(Call::kCallback), testing::UnorderedElementsAre(1, 2));
    drop({a, b});
}

// A weak reference can be asked for while every allocation may collect.
TEST_P(Calling, WeakReferencesCanBeMadeWhileCollectionsRun) {
    std::vector<PyObject*> kept;
    PyObject* op = new_thing();
    for (int i = 0; i < 6000; ++i) {
        drop_ring(1, &ThingType, 10);
        kept.push_back(watched(op, i));
        PyObject* shared = PyWeakref_NewRef(op, nullptr);
        EXPECT_FALSE(is_dead(shared));
        Py_DECREF(shared);
    }
    EXPECT_GT(record.cycles.size(), 2u);
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback), 6000);
    drop(kept);
    PyGC_Collect();
}

EVERY_RUNTIME(Calling);

}  // namespace
}  // namespace ouro::test
