// What is not tracked is never traversed, finalized, cleared or collected, and its references are
// references from outside: what they lead to is alive.
// Source: "Supporting Cyclic Garbage Collection", PyObject_GC_Track and PyObject_GC_UnTrack.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Untracked = Things;

void forbid_traversal_of(int id) {
    record.on_traverse = [id](Thing* op) {
        EXPECT_FALSE(op->id == id && !PyObject_GC_IsTracked(object(op)))
            << "an untracked object is traversed";
    };
}

TEST_P(Untracked, AnObjectIsNotCollectedWithItsCycle) {
    const std::vector<PyObject*> nodes = ring(3, &ObservedType);
    PyObject_GC_UnTrack(nodes[1]);
    forbid_traversal_of(1);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 0) << "node 1 holds node 2, which holds node 0";
    EXPECT_THAT(record.calls, testing::IsEmpty());
    PyObject_GC_Track(nodes[1]);
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_P(Untracked, AnObjectsReferencesKeepWhatTheyLeadTo) {
    PyObject* holder = new_thing(1);
    PyObject* held = new_thing(2);
    refer(holder, 0, held);
    refer(held, 0, held);
    Py_DECREF(held);
    PyObject_GC_UnTrack(holder);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.live, 2);
    Py_DECREF(holder);
    EXPECT_EQ(PyGC_Collect(), 1);
}

TEST_P(Untracked, ADeadObjectInFrontOfOneIsCollectedAlone) {
    const std::vector<PyObject*> nodes = ring(2, &ObservedType);
    PyObject* tail = new_thing(7, &ObservedType);
    PyObject_GC_UnTrack(tail);
    refer(nodes[0], 1, tail);
    drop(nodes);
    forbid_traversal_of(7);
    EXPECT_EQ(PyGC_Collect(), 2) << "the tail is no unreachable object that the collector knows";
    EXPECT_EQ(record.count(Call::kClear, 7), 0);
    EXPECT_EQ(record.live, 1);
    Py_DECREF(tail);
}

// Untracking in a finalizer takes the object out of the collection that is under way: its fields
// may be invalid from then on.
TEST_P(Untracked, AnObjectUntrackedByAFinalizerIsLeftAlone) {
    const std::vector<PyObject*> nodes = ring(3, &ObservedType);
    record.on_finalize = [&](Thing* op) {
        if (op->id == 0) {
            PyObject_GC_UnTrack(nodes[1]);
            forbid_traversal_of(1);
        }
    };
    drop(nodes);
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kClear, 1), 0);
    EXPECT_EQ(record.live, 3) << "what the untracked object leads to is alive";
    PyObject_GC_Track(nodes[1]);
    EXPECT_EQ(PyGC_Collect(), 3);
}

// Whichever it is of those whose turn is still to come: objects are cleared in the order of addresses.
TEST_P(Untracked, AnObjectUntrackedByAClearIsLeftAlone) {
    for (const int victim : {1, 2, 8, 9, 15, 19}) {
        std::vector<PyObject*> nodes = ring(20, &ObservedType);
        std::ranges::sort(nodes);
        for (size_t i = 0; i < nodes.size(); ++i) {
            thing(nodes[i])->id = static_cast<int>(i);
        }
        record.on_clear = [&](Thing* op) {
            if (op->id == 0) {
                PyObject_GC_UnTrack(nodes[static_cast<size_t>(victim)]);
                forbid_traversal_of(victim);
            }
            return true;
        };
        drop(nodes);
        EXPECT_EQ(PyGC_Collect(), 20);
        EXPECT_EQ(record.count(Call::kClear, 0), 1);
        EXPECT_EQ(record.count(Call::kClear, victim), 0);
        EXPECT_EQ(record.live, 0) << "its neighbours' clears freed it";
        record.clear();
    }
}

EVERY_RUNTIME(Untracked);

}  // namespace
}  // namespace ouro::test
