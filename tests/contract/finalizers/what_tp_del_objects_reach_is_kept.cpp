// The collector does not call tp_del, for nothing says in which order. Objects with it that are
// found in garbage, and all that they reach, are kept whole and counted as uncollectable; only the
// objects with tp_del go on the list of garbage, where a program can break the cycle by hand.
// Source: "Supporting Cyclic Garbage Collection" and "gc", garbage; PyGC_Collect.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

int dels = 0;
PyTypeObject DelType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Del",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &ThingType,
    .tp_del = [](PyObject*) { ++dels; },
};

class Legacy : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&DelType), 0);
        dels = 0;
    }
    // What is on the list of garbage, as ids.
    static std::vector<int> listed() {
        std::vector<int> ids;
        for (Py_ssize_t i = 0; i < PyList_Size(Ouro_Garbage()); ++i) {
            ids.push_back(thing(PyList_GetItem(Ouro_Garbage(), i))->id);
        }
        return ids;
    }
    // Breaks the cycles of what is listed and empties the list.
    static void break_by_hand() {
        std::vector<PyObject*> things;
        for (Py_ssize_t i = 0; i < PyList_Size(Ouro_Garbage()); ++i) {
            things.push_back(Py_NewRef(PyList_GetItem(Ouro_Garbage(), i)));
        }
        PyList_Type.tp_clear(Ouro_Garbage());
        for (PyObject* op : things) {
            drop_slots(op);
            Py_DECREF(op);
        }
    }
};

TEST_P(Legacy, TheWholeCycleIsKept) {
    PyObject* with_del = new_thing(1, &DelType);
    PyObject* without = new_thing(2);
    refer(with_del, 0, without);
    refer(without, 0, with_del);
    drop({with_del, without});
    EXPECT_EQ(PyGC_Collect(), 2) << "the uncollectable are counted";
    ASSERT_EQ(record.cycles.size(), 1u);
    EXPECT_EQ(record.cycles[0].uncollectable, 2u);
    EXPECT_EQ(record.cycles[0].freed, 0u);
    EXPECT_EQ(record.live, 2);
    EXPECT_EQ(dels, 0);
    EXPECT_THAT(listed(), testing::ElementsAre(1));
    EXPECT_EQ(thing(with_del)->slots[0], without) << "intact";
    EXPECT_EQ(thing(without)->slots[0], with_del);
    EXPECT_EQ(Py_REFCNT(with_del), 2) << "the list's and the cycle's";
    EXPECT_EQ(record.count(Call::kClear), 0);
    break_by_hand();
    EXPECT_EQ(record.live, 0);
}

TEST_P(Legacy, WhatItReachesIsKeptAndWhatReachesItGoes) {
    PyObject* del = new_thing(1, &DelType);
    refer(del, 0, del);
    PyObject* cargo = new_thing(2, &FinalThingType);
    refer(del, 1, cargo);
    const std::vector<PyObject*> inner = ring(2, &FinalThingType, 10);  // reached from the cargo
    refer(cargo, 0, inner[0]);
    const std::vector<PyObject*> outer = ring(3, &ThingType, 20);  // reaches del
    refer(outer[0], 1, del);
    drop({del, cargo});
    drop(inner);
    drop(outer);
    EXPECT_EQ(PyGC_Collect(), 7);
    EXPECT_EQ(record.cycles[0].uncollectable, 4u);
    EXPECT_EQ(record.cycles[0].freed, 3u);
    EXPECT_EQ(record.live, 4);
    EXPECT_EQ(record.count(Call::kFinalize), 0) << "the kept are not finalized";
    EXPECT_THAT(listed(), testing::ElementsAre(1)) << "what it reaches is not listed";
    break_by_hand();
    EXPECT_EQ(record.live, 2) << "a cycle is left, without tp_del now";
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(record.count(Call::kFinalize), 3);
}

TEST_P(Legacy, UnrelatedGarbageIsFreed) {
    drop_ring(2, &DelType, 0);
    drop_ring(3, &FinalThingType, 10);
    EXPECT_EQ(PyGC_Collect(), 5);
    EXPECT_EQ(record.count(Call::kFinalize), 3);
    EXPECT_EQ(record.live, 2);
    EXPECT_THAT(listed(), testing::UnorderedElementsAre(0, 1));
    break_by_hand();
}

TEST_P(Legacy, AreAliveOnceListed) {
    drop_ring(2, &DelType);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(PyGC_Collect(), 0) << "the list keeps them";
    EXPECT_EQ(PyList_Size(Ouro_Garbage()), 2);
    break_by_hand();
    EXPECT_EQ(record.live, 0);
}

TEST_P(Legacy, KeepTheirWeakReferences) {
    const std::vector<PyObject*> things = ring(2, &DelType);
    PyObject* reference = watched(things[0], 1);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_FALSE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kCallback), 0);
    break_by_hand();
    EXPECT_TRUE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

TEST_P(Legacy, WithoutACycleTheyDieByCount) {
    Py_DECREF(new_thing(1, &DelType));
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(PyList_Size(Ouro_Garbage()), 0);
}

TEST_P(Legacy, AreFoundByAYoungCollectionToo) {
    drop_ring(2, &DelType);
    while (record.cycles.empty()) {  // until an automatic one
        drop_ring(1, &ThingType, 100);
    }
    EXPECT_EQ(record.cycles[0].generation, 0u);
    EXPECT_EQ(record.cycles[0].uncollectable, 2u);
    EXPECT_THAT(listed(), testing::UnorderedElementsAre(0, 1));
    break_by_hand();
    PyGC_Collect();
}

EVERY_RUNTIME(Legacy);

}  // namespace
}  // namespace ouro::test
