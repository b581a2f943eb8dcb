// Tracking: new memory is not tracked, an object is tracked at most once and only where the
// collector can see it, and untracking may be repeated and undone. Source: "Supporting Cyclic
// Garbage Collection", PyObject_GC_Track, PyObject_GC_UnTrack, PyObject_GC_IsTracked,
// PyObject_IS_GC.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Tracking : public Things {
protected:
    static Thing* new_untracked() {
        Thing* op = PyObject_GC_New(Thing, &ThingType);
        std::ranges::fill(op->slots, nullptr);
        op->weak_references = nullptr;
        begin_thing(object(op));
        return op;
    }
};
using TrackingDeathTest = Tracking;

TEST_P(Tracking, NewMemoryIsNotTrackedUntilItsAuthorSaysSo) {
    Thing* op = new_untracked();
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_TRUE(Py_IS_TYPE(op, &ThingType));
    EXPECT_EQ(PyObject_GC_IsTracked(object(op)), 0);
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsTracked(object(op)), 1);
    Py_DECREF(op);
}

TEST_P(Tracking, TheDefaultAllocationIsZeroedAndTracked) {
    PyObject* op = begin_thing(PyType_GenericAlloc(&ThingType, 0));
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    EXPECT_THAT(thing(op)->slots, testing::Each(nullptr));
    Py_DECREF(op);
}

TEST_P(Tracking, UntrackingMayBeRepeatedAndUndone) {
    PyObject* op = new_thing();
    for (int i = 0; i < 3; ++i) {
        PyObject_GC_UnTrack(op);
        EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    }
    const size_t others = tracked_objects();
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    EXPECT_EQ(tracked_objects(), others + 1);
    Py_DECREF(op);
}

TEST_P(Tracking, OnlyContainersImplementTheProtocol) {
    PyObject* number = PyLong_FromLong(1'000'000);
    PyObject* container = new_thing();
    EXPECT_NE(PyObject_IS_GC(container), 0);
    EXPECT_EQ(PyObject_IS_GC(number), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(number), 0);
    EXPECT_EQ(PyObject_GC_IsFinalized(number), 0);
    EXPECT_EQ(PyObject_IS_GC(Py_None), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(object(&ThingType)), 0) << "a static type is outside the heap";
    Py_DECREF(container);
    Py_DECREF(number);
}

// tp_is_gc, where a type has it, decides for the single object.
TEST_P(Tracking, ATypeMayDecideForEachObject) {
    static PyTypeObject type = {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Sometimes",
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_base = &ThingType,
        .tp_is_gc = [](PyObject* op) { return thing(op)->id == 1 ? 1 : 0; },
    };
    ASSERT_EQ(PyType_Ready(&type), 0);
    PyObject* yes = new_thing(1, &type);
    PyObject* no = new_thing(2, &type);
    EXPECT_NE(PyObject_IS_GC(yes), 0);
    EXPECT_EQ(PyObject_IS_GC(no), 0);
    drop({yes, no});
}

TEST_P(TrackingDeathTest, TwiceIsFatal) {
    PyObject* op = new_thing();
    EXPECT_DEATH(PyObject_GC_Track(op), "PyObject_GC_Track.*contract\\.Thing.*already tracked");
    Py_DECREF(op);
}

TEST_P(TrackingDeathTest, OutsideTheHeapIsFatal) {
    static Thing outside = {PyObject_HEAD_INIT(&ThingType){}, 0};
    EXPECT_EQ(PyObject_GC_IsTracked(object(&outside)), 0);
    PyObject_GC_UnTrack(&outside);
    EXPECT_DEATH(PyObject_GC_Track(&outside), "PyObject_GC_Track.*contract\\.Thing");
}

TEST_P(TrackingDeathTest, MemoryOfAnotherFamilyIsFatal) {
    PyObject* op = PyObject_New(PyObject, &PyBaseObject_Type);
    EXPECT_DEATH(PyObject_GC_Track(op), "PyObject_GC_Track.*object.*not allocated as a container");
    Py_DECREF(op);
}

EVERY_RUNTIME(Tracking);
EVERY_RUNTIME(TrackingDeathTest);

}  // namespace
}  // namespace ouro::test
