// Py_TPFLAGS_MANAGED_DICT and Py_TPFLAGS_MANAGED_WEAKREF in types written in C: the dictionary and the weak references
// lie before the object. Source: "Type Objects"; "Supporting Cyclic Garbage Collection", PyObject_VisitManagedDict.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using ManagedDicts = Things;

int holder_traverse(PyObject* op, visitproc visit, void* arg) {
    return PyObject_VisitManagedDict(op, visit, arg);
}

int holder_clear(PyObject* op) {
    PyObject_ClearManagedDict(op);
    return 0;
}

void holder_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    PyObject_ClearManagedDict(op);
    --record.live;
    Py_TYPE(op)->tp_free(op);
}

PyGetSetDef holder_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};

PyTypeObject HolderType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Holder",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = holder_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = holder_traverse,
    .tp_clear = holder_clear,
    .tp_getset = holder_getset,
    .tp_new = PyType_GenericNew,
};

PyObject* new_holder() {
    EXPECT_EQ(PyType_Ready(&HolderType), 0);
    ++record.live;
    return PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&HolderType));
}

TEST_P(ManagedDicts, HoldAttributes) {
    PyObject* op = new_holder();
    EXPECT_EQ(PyObject_GetAttrString(op, "x"), nullptr);
    expect_raised(PyExc_AttributeError, "'contract.Holder' object has no attribute 'x'");
    EXPECT_EQ(PyObject_SetAttrString(op, "x", Py_None), 0);
    PyObject* dict = PyObject_GenericGetDict(op, nullptr);
    EXPECT_EQ(PyDict_Size(dict), 1);
    drop({dict, op});
}

TEST_P(ManagedDicts, AreVisited) {
    PyObject* op = new_holder();
    EXPECT_EQ(PyObject_SetAttrString(op, "me", op), 0);
    PyObject* dict = PyObject_GenericGetDict(op, nullptr);
    int visits = 0;
    const visitproc count = [](PyObject*, void* arg) {
        ++*static_cast<int*>(arg);
        return 7;
    };
    EXPECT_EQ(PyObject_VisitManagedDict(op, count, &visits), 7);
    EXPECT_EQ(visits, 1);
    PyObject* list = PyList_New(0);
    EXPECT_EQ(PyObject_VisitManagedDict(list, count, &visits), 0);  // has none
    PyObject_ClearManagedDict(list);
    EXPECT_EQ(visits, 1);
    drop({list, dict});
    PyObject* weak = PyWeakref_NewRef(op, nullptr);
    Py_DECREF(op);
    EXPECT_FALSE(is_dead(weak));
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_TRUE(is_dead(weak));
    Py_DECREF(weak);
}

TEST_P(ManagedDicts, AreInheritedByClasses) {
    PyObject* type = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}",
                                           "Derived", (PyType_Ready(&HolderType), &HolderType));
    ASSERT_NE(type, nullptr);
    ++record.live;
    PyObject* op = PyObject_CallNoArgs(type);
    EXPECT_EQ(PyObject_SetAttrString(op, "me", op), 0);
    EXPECT_EQ(PyObject_SetAttrString(op, "kind", type), 0);
    PyObject* weak = PyWeakref_NewRef(op, nullptr);
    drop({op, type});
    EXPECT_GE(PyGC_Collect(), 3);
    EXPECT_TRUE(is_dead(weak));
    Py_DECREF(weak);
}

TEST_P(ManagedDicts, NeedAContainer) {
    static PyTypeObject wrong = {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Wrong",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_MANAGED_DICT,
    };
    EXPECT_EQ(PyType_Ready(&wrong), -1);
    expect_raised(PyExc_SystemError, testing::HasSubstr("but not the Py_TPFLAGS_HAVE_GC flag"));
}

EVERY_RUNTIME(ManagedDicts);

}  // namespace
}  // namespace ouro::test
