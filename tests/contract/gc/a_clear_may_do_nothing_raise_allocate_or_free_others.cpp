// tp_clear is the author's: it may drop nothing, raise, allocate, or free objects near and far; the
// rest of the collection goes on. Source: "Supporting Cyclic Garbage Collection", inquiry and
// PyGC_Collect; "The Python GC API", tp_clear.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Clearing = Things;

TEST_P(Clearing, ThatDropsNothingLeavesTheObjectTrackedAndFoundAgain) {
    const std::vector<PyObject*> nodes = ring(3);
    record.on_clear = [](Thing*) { return false; };
    drop(nodes);
    for (int round = 1; round <= 3; ++round) {
        EXPECT_EQ(PyGC_Collect(), 3) << "unreachable, though not collected";
        EXPECT_EQ(record.count(Call::kClear), 3 * round);
        EXPECT_EQ(record.live, 3);
        for (PyObject* op : nodes) {
            EXPECT_TRUE(PyObject_GC_IsTracked(op));
            EXPECT_EQ(Py_REFCNT(op), 1);
        }
    }
    record.on_clear = nullptr;
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Clearing, OneMemberIsEnoughToFreeTheCycle) {
    record.on_clear = [](Thing* op) { return op->id == 3; };
    drop_ring(6);
    EXPECT_EQ(PyGC_Collect(), 6);
    EXPECT_EQ(record.live, 0);
}

// A cycle of a type without tp_clear cannot be collected, but is counted.
TEST_P(Clearing, IsNotCalledWhereThereIsNone) {
    PyObject* tuple = PyTuple_New(1);
    PyTuple_SET_ITEM(tuple, 0, Py_NewRef(tuple));
    Py_DECREF(tuple);
    EXPECT_EQ(PyGC_Collect(), 1);
    ASSERT_TRUE(PyObject_GC_IsTracked(tuple));
    ASSERT_EQ(Py_REFCNT(tuple), 1);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(PyTuple_SetItem(tuple, 0, Py_NewRef(Py_None)), 0) << "broken by hand, it dies";
}

TEST_P(Clearing, ThatRaisesIsReportedAndTheRestGoesOn) {
    record.on_clear = [](Thing* op) {
        if (op->id % 2 == 0) {
            PyErr_Format(PyExc_ValueError, "clear of %d", op->id);
        }
        return true;
    };
    drop_ring(4);
    Ouro_SetUnraisableHook(nullptr, nullptr);  // what cannot be raised is printed
    testing::internal::CaptureStderr();
    EXPECT_EQ(PyGC_Collect(), 4);
    const std::string report = testing::internal::GetCapturedStderr();
    EXPECT_THAT(report, testing::HasSubstr("ValueError: clear of 0"));
    EXPECT_THAT(report, testing::HasSubstr("ValueError: clear of 2"));
    EXPECT_THAT(report, testing::HasSubstr("contract.Thing"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Clearing, MayAllocate) {
    std::vector<PyObject*> made;
    record.on_clear = [&](Thing* op) {
        if (op->id < 100) {
            for (int i = 0; i < 20; ++i) {
                made.push_back(new_thing(100));
                Py_DECREF(PyTuple_New(i));
            }
            drop_ring(2, &ThingType, 200);
        }
        return true;
    };
    drop_ring(50);
    EXPECT_EQ(PyGC_Collect(), 50);
    for (PyObject* op : made) {
        ASSERT_EQ(Py_REFCNT(op), 1);
        ASSERT_EQ(thing(op)->id, 100);
        ASSERT_TRUE(PyObject_GC_IsTracked(op));
    }
    drop(made);
    EXPECT_EQ(PyGC_Collect(), 100) << "the rings made meanwhile";
}

// A clear may bring an object that it owned into a live container: it lives, cleared or not.
TEST_P(Clearing, MayHandOnAReferenceThatItOwned) {
    PyObject* live = PyList_New(0);
    record.on_clear = [&](Thing* op) {
        if (op->id == 0) {
            EXPECT_EQ(PyList_Append(live, op->slots[1]), 0);
        }
        return true;
    };
    const std::vector<PyObject*> nodes = ring(2);
    PyObject* tail = new_thing(7);
    refer(nodes[0], 1, tail);
    Py_DECREF(tail);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.live, 1);
    EXPECT_EQ(Py_REFCNT(tail), 1);
    EXPECT_TRUE(PyObject_GC_IsTracked(tail));
    Py_DECREF(live);
}

// Each clear empties all members, not its own object alone: their turn comes when nothing is left.
TEST_P(Clearing, MayDropWhatOthersHold) {
    const std::vector<PyObject*> nodes = ring(30);
    PyObject* bystander = new_thing(99);
    refer(nodes[20], 2, bystander);
    Py_DECREF(bystander);
    record.on_clear = [&](Thing*) {
        for (PyObject* op : nodes) {
            drop_slots(op);
        }
        return true;
    };
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 31);
    for (int id = 0; id < 30; ++id) {
        EXPECT_EQ(record.count(Call::kDealloc, id), 1) << id;
    }
}

// Every deallocation drops the last reference to something else, far from the garbage.
TEST_P(Clearing, DeallocationsMayFreeObjectsOutsideTheGarbage) {
    std::vector<PyObject*> outside;
    for (int i = 0; i < 20; ++i) {
        outside.push_back(new_thing(100 + i));
    }
    record.on_dealloc = [&](Thing* op) {
        if (op->id < 100 && !outside.empty()) {
            PyObject* last = outside.back();
            outside.pop_back();
            Py_DECREF(last);
        }
    };
    drop_ring(20);
    EXPECT_EQ(PyGC_Collect(), 20);
    EXPECT_TRUE(outside.empty());
    EXPECT_EQ(record.live, 0);
}

EVERY_RUNTIME(Clearing);

}  // namespace
}  // namespace ouro::test
