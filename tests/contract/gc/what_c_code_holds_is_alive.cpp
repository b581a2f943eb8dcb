// A reference in a C variable keeps an object and all that it reaches, wherever the object stands
// in a structure that is dead otherwise; a collection changes none of them. Source: "Supporting
// Cyclic Garbage Collection", tp_traverse: what no traversal visits is a reference from outside.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Held = Things;

TEST_P(Held, AnyMemberOfARingKeepsAllOfIt) {
    for (size_t held = 0; held < 5; ++held) {
        const std::vector<PyObject*> nodes = ring(5);
        Py_INCREF(nodes[held]);
        drop(nodes);
        EXPECT_EQ(PyGC_Collect(), 0) << held;
        for (size_t i = 0; i < 5; ++i) {
            EXPECT_EQ(thing(nodes[i])->slots[0], nodes[(i + 1) % 5]);
            EXPECT_EQ(Py_REFCNT(nodes[i]), i == held ? 2 : 1);
            EXPECT_TRUE(PyObject_GC_IsTracked(nodes[i]));
        }
        EXPECT_THAT(record.calls, testing::IsEmpty());
        Py_DECREF(nodes[held]);
        EXPECT_EQ(PyGC_Collect(), 5);
        record.calls.clear();
    }
}

// Two rings, the first refers to the second. Holding the second does not keep the first.
TEST_P(Held, WhatOnlyRefersToTheLivingIsDead) {
    const std::vector<PyObject*> front = ring(3, &ThingType, 0);
    const std::vector<PyObject*> back = ring(4, &ThingType, 10);
    refer(front[1], 1, back[2]);
    PyObject* held = Py_NewRef(back[0]);
    drop(front);
    drop(back);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.live, 4);
    EXPECT_EQ(Py_REFCNT(back[2]), 1);
    Py_DECREF(held);
    EXPECT_EQ(PyGC_Collect(), 4);
}

// The far end of a long chain, later and earlier in memory than what leads to it.
TEST_P(Held, ThroughALongChainInEitherDirection) {
    constexpr int kLength = 20'000;
    for (const bool forward : {true, false}) {
        const std::vector<PyObject*> nodes = ring(kLength);
        if (!forward) {
            for (size_t i = 0; i < nodes.size(); ++i) {
                refer(nodes[i], 0, nodes[(i + nodes.size() - 1) % nodes.size()]);
            }
        }
        Py_INCREF(nodes[kLength / 2]);
        drop(nodes);
        EXPECT_EQ(PyGC_Collect(), 0);
        EXPECT_EQ(record.live, kLength);
        Py_DECREF(nodes[kLength / 2]);
        EXPECT_EQ(PyGC_Collect(), kLength);
    }
}

// The same object many times in one container and once in C.
TEST_P(Held, EvenIfManyReferencesAreInternal) {
    PyObject* op = new_thing();
    for (size_t slot = 0; slot < kSlots; ++slot) {
        refer(op, slot, op);
    }
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Py_REFCNT(op), 1 + static_cast<Py_ssize_t>(kSlots));
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
}

EVERY_RUNTIME(Held);

}  // namespace
}  // namespace ouro::test
