// PyType_Ready fills the GC flag, tp_traverse and tp_clear from the base together, and only in a
// type that has none of the three. Source: "Supporting Cyclic Garbage Collection", the warning
// about Py_TPFLAGS_HAVE_GC; "Type Objects", tp_traverse and tp_clear.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Inheritance = Things;

int other_traverse(PyObject*, visitproc, void*) {
    return 0;
}
int other_clear(PyObject*) {
    return 0;
}

PyTypeObject derived(unsigned long flags, traverseproc traverse, inquiry clear) {
    return {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Derived",
            .tp_flags = Py_TPFLAGS_DEFAULT | flags,
            .tp_traverse = traverse,
            .tp_clear = clear,
            .tp_base = &ThingType};
}

TEST_P(Inheritance, GivesAllThreeToATypeThatHasNone) {
    PyTypeObject type = derived(0, nullptr, nullptr);
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_TRUE(PyType_HasFeature(&type, Py_TPFLAGS_HAVE_GC));
    EXPECT_EQ(type.tp_traverse, thing_traverse);
    EXPECT_EQ(type.tp_clear, thing_clear);
}

TEST_P(Inheritance, GivesNothingToATypeWithATraversalOfItsOwn) {
    PyTypeObject type = derived(0, other_traverse, nullptr);
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_FALSE(PyType_HasFeature(&type, Py_TPFLAGS_HAVE_GC));
    EXPECT_EQ(type.tp_traverse, other_traverse);
    EXPECT_EQ(type.tp_clear, nullptr);
}

TEST_P(Inheritance, GivesNothingToATypeWithAClearOfItsOwn) {
    PyTypeObject type = derived(0, nullptr, other_clear);
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_FALSE(PyType_HasFeature(&type, Py_TPFLAGS_HAVE_GC));
    EXPECT_EQ(type.tp_traverse, nullptr);
    EXPECT_EQ(type.tp_clear, other_clear);
}

TEST_P(Inheritance, GivesNoClearToATypeWithFlagAndTraversal) {
    PyTypeObject type = derived(Py_TPFLAGS_HAVE_GC, other_traverse, nullptr);
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_traverse, other_traverse);
    EXPECT_EQ(type.tp_clear, nullptr);
}

TEST_P(Inheritance, TheFlagWithoutATraversalIsASystemErrorUnderAContainerToo) {
    PyTypeObject type = derived(Py_TPFLAGS_HAVE_GC, nullptr, other_clear);
    EXPECT_EQ(PyType_Ready(&type), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_FALSE(PyType_HasFeature(&type, Py_TPFLAGS_READY));
}

TEST_P(Inheritance, ReachesThroughSeveralTypes) {
    static PyTypeObject middle = derived(0, nullptr, nullptr);
    static PyTypeObject leaf = derived(0, nullptr, nullptr);
    leaf.tp_base = &middle;
    ASSERT_EQ(PyType_Ready(&leaf), 0) << "readies its base as well";
    EXPECT_TRUE(PyType_HasFeature(&middle, Py_TPFLAGS_READY));
    EXPECT_TRUE(PyType_IsSubtype(&leaf, &ThingType));
    drop_ring(5, &leaf);
    EXPECT_EQ(PyGC_Collect(), 5);
    EXPECT_EQ(record.count(Call::kClear), 5);
}

// A type that is no container below one that is: its instances are not the collector's.
TEST_P(Inheritance, InstancesOfATypeThatOptedOutAreNotTracked) {
    static PyTypeObject type = derived(0, other_traverse, nullptr);
    ASSERT_EQ(PyType_Ready(&type), 0);
    PyObject* op = new_thing(0, &type);
    EXPECT_EQ(PyObject_IS_GC(op), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    Py_DECREF(op);
}

// What tp_traverse promises goes with it, and only with it.
TEST_P(Inheritance, ThePromiseOfATraversalIsInheritedWithIt) {
    constexpr unsigned long kPromise = OURO_TPFLAGS_CONCURRENT_TRAVERSE;
    for (PyTypeObject* base : {&PyList_Type, &ObservedType}) {
        const bool promised = base == &PyList_Type;
        ASSERT_EQ(PyType_HasFeature(base, kPromise), promised);
        for (const unsigned long own : {0UL, kPromise}) {
            PyTypeObject type = derived(own, nullptr, nullptr);
            type.tp_base = base;
            ASSERT_EQ(PyType_Ready(&type), 0);
            EXPECT_EQ(PyType_HasFeature(&type, kPromise), promised) << "inherited";
            type = derived(own | Py_TPFLAGS_HAVE_GC, other_traverse, nullptr);
            type.tp_base = base;
            ASSERT_EQ(PyType_Ready(&type), 0);
            EXPECT_EQ(PyType_HasFeature(&type, kPromise), own != 0) << "a traversal of its own";
        }
    }
}

EVERY_RUNTIME(Inheritance);

}  // namespace
}  // namespace ouro::test
