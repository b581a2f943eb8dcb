// PyObject_GC_Resize changes the number of items of a container that is not tracked, and keeps
// them. Source: "Supporting Cyclic Garbage Collection", PyObject_GC_Resize and PyObject_GC_NewVar.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

struct Items {
    PyVarObject ob_base;
    PyObject* items[1];
};

int items_traverse(PyObject* op, visitproc visit, void* arg) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_VISIT(reinterpret_cast<Items*>(op)->items[i]);
    }
    return 0;
}

PyTypeObject ItemsType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Items",
    .tp_basicsize = offsetof(Items, items),
    .tp_itemsize = sizeof(PyObject*),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = items_traverse,
};

class Resize : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&ItemsType), 0);
    }

    // Items that hold the integers from 0; not tracked.
    static Items* new_items(Py_ssize_t size) {
        Items* op = PyObject_GC_NewVar(Items, &ItemsType, size);
        fill(op, 0);
        return op;
    }
    static void fill(Items* op, Py_ssize_t from) {
        for (Py_ssize_t i = from; i < Py_SIZE(op); ++i) {
            op->items[i] = PyLong_FromSsize_t(i % 100);
        }
    }
    static void expect_filled(Items* op, Py_ssize_t size) {
        ASSERT_EQ(Py_SIZE(op), size);
        ASSERT_EQ(Py_REFCNT(op), 1);
        ASSERT_TRUE(Py_IS_TYPE(op, &ItemsType));
        for (Py_ssize_t i = 0; i < size; ++i) {
            ASSERT_EQ(PyLong_AsLong(op->items[i]), i % 100) << i;
        }
    }
};

TEST_P(Resize, KeepsTheItemsAtEverySize) {
    Items* op = new_items(0);
    Py_ssize_t size = 0;
    // Steps of every kind: inside a slot, to another size class, to a mapping of its own and back.
    for (const Py_ssize_t wanted : {1, 2, 3, 10, 9, 60, 1000, 5000, 100'000, 400'000, 7, 0, 3}) {
        op = PyObject_GC_Resize(Items, op, wanted);
        ASSERT_NE(op, nullptr) << wanted;
        EXPECT_EQ(Py_SIZE(op), wanted);
        fill(op, std::min(size, wanted));
        expect_filled(op, wanted);
        EXPECT_FALSE(PyObject_GC_IsTracked(object(op)));
        size = wanted;
    }
    PyObject_GC_Track(op);
    EXPECT_EQ(PyGC_Collect(), 0);
    expect_filled(op, 3);
    Py_DECREF(op);
}

TEST_P(Resize, OfATrackedObjectIsASystemErrorAndLeavesItAlone) {
    Items* op = new_items(5);
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_Resize(Items, op, 500), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_TRUE(PyObject_GC_IsTracked(object(op)));
    expect_filled(op, 5);
    PyObject_GC_UnTrack(op);
    op = PyObject_GC_Resize(Items, op, 500);
    ASSERT_NE(op, nullptr) << "untracked again, it can be resized";
    fill(op, 5);
    expect_filled(op, 500);
    Py_DECREF(op);
}

constexpr Py_ssize_t kAbsurd[] = {PY_SSIZE_T_MAX, PY_SSIZE_T_MAX / 8, PY_SSIZE_T_MAX / 16, -1,
                                  PY_SSIZE_T_MIN};

TEST_P(Resize, ToAnAbsurdSizeIsAMemoryErrorAndLeavesItWhole) {
    Items* op = new_items(5);
    for (const Py_ssize_t size : kAbsurd) {
        EXPECT_EQ(PyObject_GC_Resize(Items, op, size), nullptr) << size;
        expect_raised(PyExc_MemoryError);
        expect_filled(op, 5);
    }
    Py_DECREF(op);
}

TEST_P(Resize, NewVarOfAnAbsurdSizeIsAMemoryError) {
    for (const Py_ssize_t size : kAbsurd) {
        EXPECT_EQ(PyObject_GC_NewVar(Items, &ItemsType, size), nullptr) << size;
        expect_raised(PyExc_MemoryError);
        EXPECT_EQ(ItemsType.tp_alloc(&ItemsType, size), nullptr) << size;
        expect_raised(PyExc_MemoryError);
    }
}

TEST_P(Resize, NewVarGivesOneReferenceAndTheSize) {
    for (const Py_ssize_t size : {0, 1, 17, 100'000}) {
        Items* op = PyObject_GC_NewVar(Items, &ItemsType, size);
        ASSERT_NE(op, nullptr);
        fill(op, 0);
        expect_filled(op, size);
        EXPECT_FALSE(PyObject_GC_IsTracked(object(op)));
        Py_DECREF(op);
    }
}

EVERY_RUNTIME(Resize);

}  // namespace
}  // namespace ouro::test
