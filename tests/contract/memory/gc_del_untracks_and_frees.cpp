// PyObject_GC_Del takes a container out of the collector's sight and gives its memory back; who
// gets the memory next gets a new object. Source: "Supporting Cyclic Garbage Collection",
// PyObject_GC_Del.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using GcDel = Things;

TEST_P(GcDel, OfATrackedObjectUntracksIt) {
    const size_t before = tracked_objects();
    PyObject* op = PyType_GenericAlloc(&ThingType, 0);
    EXPECT_EQ(tracked_objects(), before + 1);
    PyObject_GC_Del(op);
    EXPECT_EQ(tracked_objects(), before);
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_P(GcDel, GivesTheMemoryBack) {
    OuroHeapStatistics before;
    for (int round = 0; round < 20'000; ++round) {
        if (round == 1000) {
            Ouro_GetHeapStatistics(&before);
        }
        PyObject_GC_Del(PyObject_GC_New(Thing, &ThingType));
        PyObject_GC_Del(PyObject_GC_NewVar(PyTupleObject, &PyTuple_Type, 20'000));
    }
    OuroHeapStatistics after;
    Ouro_GetHeapStatistics(&after);
    EXPECT_EQ(after.heap_bytes, before.heap_bytes);
}

TEST_P(GcDel, ReusedMemoryIsAnObjectThatNothingHappenedTo) {
    PyObject* old = new_thing(0, &FinalThingType);
    refer(old, 0, old);
    Py_DECREF(old);
    ASSERT_EQ(PyGC_Collect(), 1);
    ASSERT_EQ(record.count(Call::kFinalize), 1);
    std::vector<PyObject*> fresh;
    bool reused = false;
    for (int i = 0; i < 100'000 && !reused; ++i) {
        fresh.push_back(new_thing(i, &FinalThingType));
        reused = fresh.back() == old;
        ASSERT_EQ(PyObject_GC_IsFinalized(fresh.back()), 0);
        ASSERT_EQ(PyObject_GC_IsTracked(fresh.back()), 1);
    }
    EXPECT_TRUE(reused) << "the memory was not given out again";
    drop(fresh);
}

EVERY_RUNTIME(GcDel);

}  // namespace
}  // namespace ouro::test
