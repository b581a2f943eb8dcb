// A weak reference gives its object while it lives and None, or nothing, afterwards; it adds
// nothing to the object's count. Source: "Weak Reference Objects", PyWeakref_NewRef,
// PyWeakref_GetRef, PyWeakref_GetObject, PyWeakref_IsDead, PyWeakref_Check.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Weak = Things;

TEST_P(Weak, GivesItsObjectWhileItLives) {
    PyObject* op = new_thing();
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    ASSERT_NE(reference, nullptr);
    EXPECT_EQ(Py_REFCNT(op), 1);
    PyObject* found = nullptr;
    EXPECT_EQ(PyWeakref_GetRef(reference, &found), 1);
    EXPECT_EQ(found, op);
    EXPECT_EQ(Py_REFCNT(op), 2) << "a new reference";
    Py_DECREF(found);
    EXPECT_EQ(PyWeakref_GetObject(reference), op);
    EXPECT_EQ(Py_REFCNT(op), 1) << "a borrowed one";
    EXPECT_EQ(PyWeakref_IsDead(reference), 0);
    found = PyObject_CallNoArgs(reference);
    EXPECT_EQ(found, op);
    EXPECT_EQ(Py_REFCNT(op), 2);
    drop({found, op, reference});
}

TEST_P(Weak, IsDeadAfterItsObject) {
    PyObject* op = new_thing();
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    Py_DECREF(op);
    EXPECT_EQ(record.live, 0);
    PyObject* found = Py_None;
    EXPECT_EQ(PyWeakref_GetRef(reference, &found), 0);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(PyWeakref_GetObject(reference), Py_None);
    EXPECT_EQ(PyWeakref_IsDead(reference), 1);
    found = PyObject_CallNoArgs(reference);
    EXPECT_EQ(found, Py_None);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(reference);
}

TEST_P(Weak, MayDieBeforeItsObject) {
    PyObject* op = new_thing();
    Py_DECREF(PyWeakref_NewRef(op, nullptr));
    EXPECT_EQ(thing(op)->weak_references, nullptr);
    PyObject* with_callback = watched(op, 1);
    Py_DECREF(with_callback);
    EXPECT_EQ(thing(op)->weak_references, nullptr);
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback), 0);
}

// An object's weak references may go in any order.
TEST_P(Weak, LeavesTheOthersInPlace) {
    PyObject* op = new_thing();
    std::vector<PyObject*> references = {PyWeakref_NewRef(op, nullptr)};
    for (int i = 1; i <= 5; ++i) {
        references.push_back(watched(op, i));
    }
    for (const size_t gone : {3u, 0u, 5u}) {
        Py_CLEAR(references[gone]);
    }
    Py_DECREF(op);
    EXPECT_THAT(record.ids(Call::kCallback), testing::UnorderedElementsAre(1, 2, 4));
    for (PyObject* reference : references) {
        Py_XDECREF(reference);
    }
}

TEST_P(Weak, IsKnownByItsType) {
    PyObject* op = new_thing();
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    PyObject* proxy = PyWeakref_NewProxy(op, nullptr);
    EXPECT_TRUE(PyWeakref_Check(reference));
    EXPECT_TRUE(PyWeakref_CheckRef(reference));
    EXPECT_TRUE(PyWeakref_CheckRefExact(reference));
    EXPECT_FALSE(PyWeakref_CheckProxy(reference));
    EXPECT_TRUE(PyWeakref_Check(proxy));
    EXPECT_FALSE(PyWeakref_CheckRef(proxy));
    EXPECT_TRUE(PyWeakref_CheckProxy(proxy));
    EXPECT_FALSE(PyWeakref_Check(op));
    drop({proxy, reference, op});
}

TEST_P(Weak, IsItselfAContainer) {
    PyObject* op = new_thing();
    PyObject* reference = watched(op, 1);
    EXPECT_TRUE(PyObject_IS_GC(reference));
    EXPECT_TRUE(PyObject_GC_IsTracked(reference)) << "it owns its callback";
    drop({reference, op});
}

TEST_P(Weak, ToABoundMethod) {
    EXPECT_TRUE(PyType_SUPPORTS_WEAKREFS(&PyMethod_Type));
    PyObject* self = new_thing();
    PyObject* op = PyMethod_New(reinterpret_cast<PyObject*>(&PyList_Type), self);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    ASSERT_NE(reference, nullptr);
    PyObject* with_callback = watched(op, 1);
    EXPECT_EQ(PyWeakref_GetObject(reference), op);
    EXPECT_EQ(Py_REFCNT(op), 1);
    Py_DECREF(op);
    EXPECT_EQ(PyWeakref_GetObject(reference), Py_None);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    drop({reference, with_callback, self});
}

TEST_P(Weak, CannotBeMadeToEveryType) {
    PyObject* list = PyList_New(0);
    PyObject* number = PyLong_FromLong(100000);
    for (PyObject* op : {list, number, Py_None}) {
        EXPECT_FALSE(PyType_SUPPORTS_WEAKREFS(Py_TYPE(op)));
        EXPECT_EQ(PyWeakref_NewRef(op, nullptr), nullptr);
        expect_raised(PyExc_TypeError, "cannot create weak reference to '" +
                                           std::string(Py_TYPE(op)->tp_name) + "' object");
        EXPECT_EQ(PyWeakref_NewProxy(op, nullptr), nullptr);
        expect_raised(PyExc_TypeError);
    }
    EXPECT_TRUE(PyType_SUPPORTS_WEAKREFS(&ThingType));
    EXPECT_TRUE(PyType_SUPPORTS_WEAKREFS(&FinalThingType)) << "inherited";
    drop({list, number});
}

TEST_P(Weak, IsAskedForByItsOwnFunctionsAlone) {
    PyObject* op = new_thing();
    PyObject* found = op;
    EXPECT_EQ(PyWeakref_GetRef(op, &found), -1);
    EXPECT_EQ(found, nullptr);
    expect_raised(PyExc_TypeError);
    found = op;
    EXPECT_EQ(PyWeakref_GetRef(nullptr, &found), -1);
    EXPECT_EQ(found, nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyWeakref_GetObject(op), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyWeakref_IsDead(op), -1);
    expect_raised(PyExc_TypeError);
    Py_DECREF(op);
}

TEST_P(Weak, IsCalledWithoutArguments) {
    PyObject* op = new_thing();
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    EXPECT_EQ(PyObject_CallOneArg(reference, op), nullptr);
    expect_raised(PyExc_TypeError);
    drop({reference, op});
}

// While its deallocation runs an object has no references left and gets none.
TEST_P(Weak, DoesNotGiveADyingObject) {
    PyObject* op = new_thing(1);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    int asked = 0;
    record.on_dealloc = [&](Thing*) {
        ++asked;
        EXPECT_TRUE(is_dead(reference));
    };
    Py_DECREF(op);
    EXPECT_EQ(asked, 1);
    Py_DECREF(reference);
}

EVERY_RUNTIME(Weak);

}  // namespace
}  // namespace ouro::test
