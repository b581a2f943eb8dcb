// PyObject_ClearWeakRefs is for tp_dealloc, before anything else is taken apart: the object's
// count is zero. Called for anything else it is a SystemError and changes nothing. Source: "Weak
// Reference Objects", PyObject_ClearWeakRefs.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Clearing = Things;

TEST_P(Clearing, IsRefusedForALivingObject) {
    PyObject* op = new_thing();
    PyObject* reference = watched(op, 1);
    PyObject_ClearWeakRefs(op);
    expect_raised(PyExc_SystemError);
    EXPECT_FALSE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kCallback), 0);
    drop({reference, op});
}

TEST_P(Clearing, IsRefusedForATypeWithoutWeakReferences) {
    PyObject* list = PyList_New(0);
    PyObject_ClearWeakRefs(list);
    expect_raised(PyExc_SystemError);
    PyObject_ClearWeakRefs(nullptr);
    expect_raised(PyExc_SystemError);
    Py_DECREF(list);
}

TEST_P(Clearing, DoesNothingASecondTime) {
    PyObject* op = new_thing();
    PyObject* reference = watched(op, 1);
    record.on_dealloc = [](Thing* self) {  // once more than thing_dealloc
        EXPECT_EQ(self->weak_references, nullptr);
        PyObject_ClearWeakRefs(object(self));
        EXPECT_EQ(PyErr_Occurred(), nullptr);
    };
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

struct Atom {
    PyObject ob_base;
    PyObject* weak_references;
};

// A type of objects outside the heap, to be readied, whose death is that function's.
PyTypeObject& atom_type(destructor die) {
    static PyTypeObject type;
    type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Atom",
            .tp_basicsize = sizeof(Atom),
            .tp_dealloc = die,
            .tp_flags = Py_TPFLAGS_DEFAULT,
            .tp_weaklistoffset = offsetof(Atom, weak_references)};
    return type;
}

TEST_P(Clearing, WithoutCallbacksCallsNone) {
    PyTypeObject& type = atom_type(PyUnstable_Object_ClearWeakRefsNoCallbacks);
    ASSERT_EQ(PyType_Ready(&type), 0);
    Atom atom{};
    PyObject* op = PyObject_Init(&atom.ob_base, &type);
    PyObject* reference = watched(op, 1);
    Py_DECREF(op);
    EXPECT_TRUE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kCallback), 0);
    Py_DECREF(reference);
}

// Objects outside the heap have weak references too.
TEST_P(Clearing, WorksForObjectsOutsideTheHeap) {
    PyTypeObject& type = atom_type(PyObject_ClearWeakRefs);
    ASSERT_EQ(PyType_Ready(&type), 0);
    Atom atom{};
    PyObject* op = PyObject_Init(&atom.ob_base, &type);
    PyObject* reference = watched(op, 1);
    EXPECT_FALSE(is_dead(reference));
    Py_DECREF(op);
    EXPECT_TRUE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

EVERY_RUNTIME(Clearing);

}  // namespace
}  // namespace ouro::test
