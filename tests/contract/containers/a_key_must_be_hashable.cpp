// A key of a type that cannot be hashed is a TypeError for every dict function, and changes nothing.
// Types that define equality and no hash are such, and so are the mutable built-in containers.
// Source: "Type Objects", tp_hash and tp_richcompare; "Dictionary Objects", PyDict_SetItem.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

PyObject* equal_to_nothing(PyObject*, PyObject*, int) {
    return Py_NewRef(Py_False);
}

PyTypeObject ComparedType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Compared",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = equal_to_nothing,
    .tp_base = &ThingType,
};

class Hashable : public Things {
protected:
    static void expect_unhashable(PyObject* key) {
        PyObject* dict = PyDict_New();
        EXPECT_EQ(PyObject_Hash(key), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(PyDict_SetItem(dict, key, Py_None), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(PyDict_GetItemWithError(dict, key), nullptr);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(PyDict_Contains(dict, key), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(PyDict_DelItem(dict, key), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(PyDict_GetItem(dict, key), nullptr);
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        EXPECT_EQ(PyDict_Size(dict), 0);
        EXPECT_EQ(Py_REFCNT(key), 1);
        drop({dict, key});
    }
};

TEST_P(Hashable, ATypeThatDefinesEqualityAloneIsNot) {
    ASSERT_EQ(PyType_Ready(&ComparedType), 0);
    EXPECT_EQ(ComparedType.tp_hash, PyObject_HashNotImplemented)
        << "hash and equality are inherited together";
    expect_unhashable(new_thing(0, &ComparedType));
}

TEST_P(Hashable, AListIsNot) {
    expect_unhashable(PyList_New(0));
}

TEST_P(Hashable, ADictIsNot) {
    expect_unhashable(PyDict_New());
}

TEST_P(Hashable, AnObjectWithoutEqualityIsByItsIdentity) {
    PyObject* a = new_thing();
    PyObject* b = new_thing();
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItem(dict, a, Py_True), 0);
    EXPECT_EQ(PyDict_GetItemWithError(dict, a), Py_True);
    EXPECT_EQ(PyDict_Contains(dict, b), 0);
    drop({dict, a, b});
}

// Equal numbers and texts are one key, and an int and a bool too.
TEST_P(Hashable, EqualValuesAreOneKey) {
    PyObject* dict = PyDict_New();
    PyObject* a = PyLong_FromLong(1'000'000);
    PyObject* b = PyLong_FromLong(1'000'000);
    ASSERT_NE(a, b);
    ASSERT_EQ(PyDict_SetItem(dict, a, Py_None), 0);
    EXPECT_EQ(PyDict_Contains(dict, b), 1);
    PyObject* one = PyLong_FromLong(1);
    ASSERT_EQ(PyDict_SetItem(dict, Py_True, Py_None), 0);
    EXPECT_EQ(PyDict_Contains(dict, one), 1);
    EXPECT_EQ(PyDict_Size(dict), 2);
    drop({dict, a, b, one});
}

EVERY_RUNTIME(Hashable);

}  // namespace
}  // namespace ouro::test
