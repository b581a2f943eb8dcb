// PyGC_Collect returns the number of unreachable objects, whatever they are and however they hang
// together, and touches nothing that is alive. Source: "Supporting Cyclic Garbage Collection",
// PyGC_Collect and tp_clear.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Collecting = Things;

TEST_P(Collecting, NothingFindsNothing) {
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_P(Collecting, CountsTheMembersOfEveryCycle) {
    for (const int size : {1, 2, 3, 50, 5000}) {
        drop_ring(size);
        EXPECT_EQ(PyGC_Collect(), size);
        EXPECT_EQ(record.live, 0);
    }
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_P(Collecting, CallsClearOfEachAndThenDeallocatesEachOnce) {
    drop_ring(10);
    ASSERT_EQ(PyGC_Collect(), 10);
    for (int id = 0; id < 10; ++id) {
        EXPECT_EQ(record.count(Call::kClear, id), 1) << id;
        EXPECT_EQ(record.count(Call::kDealloc, id), 1) << id;
    }
}

TEST_P(Collecting, WhatIsOnlyCountedAwayIsNotCountedAsUnreachable) {
    PyObject* chain = new_thing(1);
    refer(chain, 0, new_thing(2));
    Py_DECREF(thing(chain)->slots[0]);
    Py_DECREF(chain);
    EXPECT_EQ(record.live, 0) << "no collector is needed for this";
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_P(Collecting, AListADictAndATupleInOneCycle) {
    PyObject* list = PyList_New(0);
    PyObject* dict = PyDict_New();
    PyObject* tuple = PyTuple_New(1);
    ASSERT_EQ(PyList_Append(list, dict), 0);
    ASSERT_EQ(PyDict_SetItemString(dict, "tuple", tuple), 0);
    EXPECT_EQ(PyGC_Collect(), 0);
    Py_DECREF(tuple);  // the dict's reference remains
    ASSERT_EQ(PyTuple_SetItem(tuple, 0, Py_NewRef(list)), 0);
    Py_DECREF(dict);
    EXPECT_EQ(PyGC_Collect(), 0) << "the list is held here";
    EXPECT_EQ(PyList_Size(list), 1);
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_P(Collecting, AListInItselfAndADictInItself) {
    PyObject* list = PyList_New(1);
    PyList_SET_ITEM(list, 0, Py_NewRef(list));
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 1);
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItemString(dict, "self", dict), 0);
    Py_DECREF(dict);
    EXPECT_EQ(PyGC_Collect(), 1);
}

TEST_P(Collecting, ACycleThroughADictsKey) {
    PyObject* dict = PyDict_New();
    PyObject* key = new_thing();
    refer(key, 0, dict);
    ASSERT_EQ(PyDict_SetItem(dict, key, Py_None), 0);
    drop({key, dict});
    EXPECT_EQ(PyGC_Collect(), 2);
}

// Tuples have no tp_clear: another member of the cycle must break it.
TEST_P(Collecting, TuplesThatANodeTiesTogether) {
    PyObject* knot = new_thing();
    PyObject* inner = PyTuple_New(1);
    PyTuple_SET_ITEM(inner, 0, Py_NewRef(knot));
    PyObject* outer = PyTuple_New(2);
    PyTuple_SET_ITEM(outer, 0, inner);
    PyTuple_SET_ITEM(outer, 1, Py_NewRef(inner));
    refer(knot, 0, outer);
    drop({outer, knot});
    EXPECT_EQ(PyGC_Collect(), 3);
}

// The tail is unreachable too: counted, cleared if it can be, and freed.
TEST_P(Collecting, ATailThatHangsOffADeadCycle) {
    const std::vector<PyObject*> nodes = ring(3);
    PyObject* end = nodes[0];
    for (int i = 0; i < 50; ++i) {
        PyObject* next = new_thing(100 + i);
        refer(end, 1, next);
        Py_DECREF(next);
        end = next;
    }
    PyObject* last = PyLong_FromLong(123'456);
    refer(end, 1, last);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 53) << "3 in the cycle, 50 in the tail; an int is no container";
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(Py_REFCNT(last), 1) << "the tail's reference was dropped";
    Py_DECREF(last);
}

TEST_P(Collecting, GarbageBetweenLiveNeighbours) {
    std::vector<PyObject*> live;
    std::vector<PyObject*> garbage;
    PyObject* shared = new_thing(-1);
    for (int i = 0; i < 2000; ++i) {
        PyObject* op = new_thing(i);
        refer(op, 0, op);
        refer(op, 1, shared);
        (i % 3 == 0 ? garbage : live).push_back(op);
    }
    drop(garbage);
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(garbage.size()));
    EXPECT_EQ(Py_REFCNT(shared), 1 + static_cast<Py_ssize_t>(live.size()));
    for (PyObject* op : live) {
        ASSERT_EQ(thing(op)->slots[0], op);
        ASSERT_EQ(thing(op)->slots[1], shared);
        ASSERT_EQ(Py_REFCNT(op), 2);
    }
    EXPECT_EQ(PyGC_Collect(), 0);
    drop(live);
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(live.size()));
    Py_DECREF(shared);
}

EVERY_RUNTIME(Collecting);

}  // namespace
}  // namespace ouro::test
