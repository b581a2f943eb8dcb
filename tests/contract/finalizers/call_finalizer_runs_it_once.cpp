// PyObject_CallFinalizer runs tp_finalize once in a container's life, whoever calls; an object
// without the slot is left alone; one that is no container has no memory of it.
// CallFinalizerFromDealloc tells tp_dealloc whether the object lives on. Source: "Object Life
// Cycle" and "Type Objects", PyObject_CallFinalizer, PyObject_CallFinalizerFromDealloc,
// tp_finalize.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using CallFinalizer = Things;

TEST_P(CallFinalizer, Once) {
    PyObject* op = new_thing(1, &FinalThingType);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 0);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 1);
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kFinalize), 1) << "nor when it dies";
}

TEST_P(CallFinalizer, OnceAlsoIfACollectionComesLater) {
    const std::vector<PyObject*> things = ring(2, &FinalThingType);
    PyObject_CallFinalizer(things[0]);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_THAT(record.ids(Call::kFinalize), testing::ElementsAre(0, 1));
}

// One that is running has begun: a finalizer that asks for itself does not nest.
TEST_P(CallFinalizer, NotAgainFromInside) {
    record.on_finalize = [](Thing* self) { PyObject_CallFinalizer(object(self)); };
    PyObject* op = new_thing(1, &FinalThingType);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    Py_DECREF(op);
}

TEST_P(CallFinalizer, NothingWithoutTheSlot) {
    PyObject* op = new_thing(1);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 0);
    EXPECT_EQ(record.count(Call::kFinalize), 0);
    PyObject* number = PyLong_FromLong(100000);
    PyObject_CallFinalizer(number);
    drop({op, number});
}

// CPython keeps the mark in the collector's header, which an atom has not.
TEST_P(CallFinalizer, AnAtomEachTime) {
    static int ran;
    static PyTypeObject type;
    ran = 0;
    type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Atom",
            .tp_basicsize = sizeof(PyObject),
            .tp_flags = Py_TPFLAGS_DEFAULT,
            .tp_finalize = [](PyObject*) { ++ran; }};
    ASSERT_EQ(PyType_Ready(&type), 0);
    PyObject* op = PyObject_New(PyObject, &type);
    PyObject_CallFinalizer(op);
    PyObject_CallFinalizer(op);
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 0);
    Py_DECREF(op);
}

TEST_P(CallFinalizer, ADeallocationGoesOnUnlessTheObjectIsRevived) {
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* self) {
        EXPECT_EQ(Py_REFCNT(object(self)), 1) << "alive while its finalizer runs";
        saved = Py_NewRef(object(self));
    };
    PyObject* op = new_thing(1, &FinalThingType);
    refer(op, 0, Py_None);
    PyObject* reference = watched(op, 1);
    Py_DECREF(op);
    ASSERT_EQ(saved, op);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(record.count(Call::kDealloc), 0);
    EXPECT_EQ(thing(op)->slots[0], Py_None) << "nothing of it was touched";
    EXPECT_TRUE(PyObject_GC_IsTracked(op));
    EXPECT_TRUE(PyObject_GC_IsFinalized(op));
    EXPECT_FALSE(is_dead(reference)) << "this type finalizes before it kills weak references";
    record.on_finalize = nullptr;
    Py_DECREF(saved);
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    EXPECT_EQ(record.count(Call::kDealloc), 1);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

TEST_P(CallFinalizer, AFinalizerMayUseTheObjectAndLetItGo) {
    record.on_finalize = [](Thing* self) {
        PyObject* list = PyList_New(0);
        PyList_Append(list, object(self));
        EXPECT_EQ(Py_REFCNT(object(self)), 2);
        Py_DECREF(list);
    };
    Py_DECREF(new_thing(1, &FinalThingType));
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    EXPECT_EQ(record.count(Call::kDealloc), 1);
}

// Revived into a cycle, the object is later found by a collection like any other.
TEST_P(CallFinalizer, TheRevivedIsCollectedWithoutAFinalizer) {
    record.on_finalize = [](Thing* self) { refer(object(self), 0, object(self)); };
    Py_DECREF(new_thing(1, &FinalThingType));
    EXPECT_EQ(record.live, 1);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    EXPECT_EQ(record.live, 0);
}

TEST_P(CallFinalizer, FromDeallocIsForAnObjectWithoutReferences) {
    PyObject* op = new_thing(1, &FinalThingType);
    EXPECT_DEATH(PyObject_CallFinalizerFromDealloc(op),
                 "PyObject_CallFinalizerFromDealloc called on object with a non-zero refcount");
    Py_DECREF(op);
}

EVERY_RUNTIME(CallFinalizer);

}  // namespace
}  // namespace ouro::test
