// PyType_Ready refuses a container type without a traversal and sizes that cannot be, and chooses
// the tp_free that fits how instances are allocated. Source: "Supporting Cyclic Garbage
// Collection", the warning about Py_TPFLAGS_HAVE_GC; "Type Objects", tp_basicsize and tp_free.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Readying = Things;

PyTypeObject plain(unsigned long flags = 0, PyTypeObject* base = nullptr) {
    return {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Plain",
            .tp_basicsize = sizeof(Thing),
            .tp_flags = Py_TPFLAGS_DEFAULT | flags,
            .tp_base = base};
}

void expect_refused(PyTypeObject& type) {
    EXPECT_EQ(PyType_Ready(&type), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_FALSE(PyType_HasFeature(&type, Py_TPFLAGS_READY));
}

TEST_P(Readying, AContainerNeedsATraversal) {
    PyTypeObject type = plain(Py_TPFLAGS_HAVE_GC);
    expect_refused(type);
    type.tp_traverse = thing_traverse;
    EXPECT_EQ(PyType_Ready(&type), 0) << "with one it is ready";
}

TEST_P(Readying, ATypeNeedsAName) {
    PyTypeObject type = plain();
    type.tp_name = nullptr;
    expect_refused(type);
}

TEST_P(Readying, SizesMayNotBeNegative) {
    PyTypeObject type = plain();
    type.tp_basicsize = -1;
    expect_refused(type);
    type = plain();
    type.tp_itemsize = -8;
    expect_refused(type);
}

TEST_P(Readying, AnInstanceIsNotSmallerThanItsBases) {
    PyTypeObject type = plain(0, &ThingType);
    type.tp_basicsize = sizeof(Thing) - 1;
    expect_refused(type);
    type.tp_basicsize = sizeof(PyObject) - 1;
    type.tp_base = nullptr;
    expect_refused(type);
}

TEST_P(Readying, ASizeOfZeroIsTheBases) {
    PyTypeObject type = plain(0, &PyTuple_Type);
    type.tp_basicsize = 0;
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_basicsize, PyTuple_Type.tp_basicsize);
    EXPECT_EQ(type.tp_itemsize, PyTuple_Type.tp_itemsize);
}

TEST_P(Readying, ABadBaseMakesABadType) {
    PyTypeObject base = plain(Py_TPFLAGS_HAVE_GC);
    PyTypeObject type = plain(0, &base);
    expect_refused(type);
}

TEST_P(Readying, IsDoneOnce) {
    PyTypeObject type = plain();
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_base, &PyBaseObject_Type);
    type.tp_dealloc = thing_dealloc;
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_dealloc, thing_dealloc);
}

TEST_P(Readying, ChoosesTheFreeThatFitsTheAllocation) {
    PyTypeObject atom = plain();
    PyTypeObject container = plain(Py_TPFLAGS_HAVE_GC);
    container.tp_traverse = thing_traverse;
    PyTypeObject inherits = plain(0, &ThingType);
    PyTypeObject opts_out = plain(0, &ThingType);
    opts_out.tp_traverse = thing_traverse;
    for (PyTypeObject* type : {&atom, &container, &inherits, &opts_out}) {
        ASSERT_EQ(PyType_Ready(type), 0);
    }
    EXPECT_EQ(atom.tp_free, PyObject_Free);
    EXPECT_EQ(container.tp_free, PyObject_GC_Del);
    EXPECT_EQ(inherits.tp_free, PyObject_GC_Del);
    EXPECT_EQ(opts_out.tp_free, PyObject_Free);
}

int freed_here = 0;
void counting_free(void* p) {
    ++freed_here;
    PyObject_GC_Del(p);
}

TEST_P(Readying, KeepsAnAuthorsFreeAndHandsItDown) {
    static PyTypeObject base = plain(0, &ThingType);
    static PyTypeObject type = plain(0, &base);
    base.tp_free = counting_free;
    ASSERT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_free, counting_free);
    freed_here = 0;
    Py_DECREF(new_thing(0, &type));
    EXPECT_EQ(freed_here, 1);
}

EVERY_RUNTIME(Readying);

}  // namespace
}  // namespace ouro::test
