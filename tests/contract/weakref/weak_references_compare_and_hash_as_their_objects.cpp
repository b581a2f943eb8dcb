// Weak references to living objects compare as the objects do; if either is dead, only by identity.
// The hash is the object's, remembered; asked for the first time after its death it is a TypeError.
// Source: "weakref", class ref.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

int hashed = 0;
Py_hash_t id_hash(PyObject* op) {
    ++hashed;
    return thing(op)->id;
}

PyTypeObject ValueType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Value",
    .tp_hash = id_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = id_compare,
    .tp_base = &ThingType,
};

Py_hash_t no_hash(PyObject*) {
    PyErr_SetString(PyExc_TypeError, "no hash here");
    return -1;
}

PyTypeObject UnhashableType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Unhashable",
    .tp_hash = no_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &ThingType,
};

class Comparing : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&ValueType), 0);
        ASSERT_EQ(PyType_Ready(&UnhashableType), 0);
        hashed = 0;
    }
    static bool equal(PyObject* a, PyObject* b) {
        const int result = PyObject_RichCompareBool(a, b, Py_EQ);
        EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_NE), !result);
        return result == 1;
    }
};

TEST_P(Comparing, AliveAsTheObjects) {
    PyObject* one = new_thing(1, &ValueType);
    PyObject* same = new_thing(1, &ValueType);
    PyObject* other = new_thing(2, &ValueType);
    PyObject* to_one = PyWeakref_NewRef(one, nullptr);
    PyObject* to_same = PyWeakref_NewRef(same, nullptr);
    PyObject* to_other = PyWeakref_NewRef(other, nullptr);
    EXPECT_TRUE(equal(to_one, to_same));
    EXPECT_FALSE(equal(to_one, to_other));
    EXPECT_FALSE(equal(to_one, one)) << "a weak reference is not its object";
    drop({to_one, to_same, to_other, one, same, other});
}

TEST_P(Comparing, DeadByIdentity) {
    PyObject* one = new_thing(1, &ValueType);
    PyObject* same = new_thing(1, &ValueType);
    PyObject* to_one = PyWeakref_NewRef(one, nullptr);
    PyObject* to_same = PyWeakref_NewRef(same, nullptr);
    Py_DECREF(one);
    EXPECT_FALSE(equal(to_one, to_same)) << "one is dead";
    EXPECT_TRUE(equal(to_one, to_one));
    Py_DECREF(same);
    EXPECT_FALSE(equal(to_one, to_same)) << "both are dead";
    drop({to_one, to_same});
}

TEST_P(Comparing, HaveNoOrder) {
    PyObject* op = new_thing(1, &ValueType);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    PyObject* other = watched(op, 1);
    EXPECT_EQ(PyObject_RichCompareBool(reference, other, Py_LT), -1);
    expect_raised(PyExc_TypeError);
    drop({reference, other, op});
}

TEST_P(Comparing, HashIsTheObjectsAndStays) {
    PyObject* op = new_thing(77, &ValueType);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    EXPECT_EQ(PyObject_Hash(reference), 77);
    EXPECT_EQ(PyObject_Hash(reference), 77);
    EXPECT_EQ(hashed, 1) << "asked of the object once";
    Py_DECREF(op);
    EXPECT_EQ(PyObject_Hash(reference), 77) << "remembered after the object's death";
    Py_DECREF(reference);
}

TEST_P(Comparing, TheDeadHaveNoHashUnlessTheyHadOne) {
    PyObject* op = new_thing(77, &ValueType);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    Py_DECREF(op);
    EXPECT_EQ(PyObject_Hash(reference), -1);
    expect_raised(PyExc_TypeError, "weak object has gone away");
    Py_DECREF(reference);
}

TEST_P(Comparing, UnhashableObjectsHaveUnhashableReferences) {
    PyObject* op = new_thing(1, &UnhashableType);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    EXPECT_EQ(PyObject_Hash(reference), -1);
    expect_raised(PyExc_TypeError, "no hash here");
    drop({reference, op});
}

TEST_P(Comparing, AreKeysOfADict) {
    PyObject* op = new_thing(5, &ValueType);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    PyObject* equal_one = watched(op, 1);
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItem(dict, reference, Py_True), 0);
    EXPECT_EQ(PyDict_GetItem(dict, equal_one), Py_True);
    Py_DECREF(op);
    EXPECT_EQ(PyDict_GetItem(dict, reference), Py_True) << "dead, it is found by identity";
    drop({dict, reference, equal_one});
}

EVERY_RUNTIME(Comparing);

}  // namespace
}  // namespace ouro::test
