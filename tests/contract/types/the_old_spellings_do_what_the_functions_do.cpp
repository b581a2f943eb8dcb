// _PyObject_GC_TRACK and _PyObject_GC_UNTRACK do what PyObject_GC_Track and PyObject_GC_UnTrack
// do, and PyObject_GC_VarNew what PyObject_GC_NewVar does. Source: "Supporting Cyclic Garbage
// Collection" in its older versions.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Spellings = Things;

struct Row {
    PyVarObject ob_base;
    PyObject* items[1];
};

int row_clear(PyObject* op) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_CLEAR(reinterpret_cast<Row*>(op)->items[i]);
    }
    return 0;
}

PyTypeObject RowType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Row",
    .tp_basicsize = offsetof(Row, items),
    .tp_itemsize = sizeof(PyObject*),
    .tp_dealloc =
        [](PyObject* op) {
            _PyObject_GC_UNTRACK(op);
            row_clear(op);
            --record.live;
            PyObject_GC_Del(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = [](PyObject* op, visitproc visit, void* arg) -> int {
        for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
            Py_VISIT(reinterpret_cast<Row*>(op)->items[i]);
        }
        return 0;
    },
    .tp_clear = row_clear,
};

TEST_P(Spellings, OfAllocationAndTracking) {
    ASSERT_EQ(PyType_Ready(&RowType), 0);
    for (const Py_ssize_t size : {0, 1, 5, 1000}) {
        Row* row = PyObject_GC_VarNew(Row, &RowType, size);
        ASSERT_NE(row, nullptr);
        ++record.live;
        PyObject* op = object(row);
        EXPECT_EQ(Py_SIZE(op), size);
        EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
        for (Py_ssize_t i = 0; i < size; ++i) {
            row->items[i] = Py_NewRef(op);
        }
        _PyObject_GC_TRACK(op);
        EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
        _PyObject_GC_UNTRACK(op);
        EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
        _PyObject_GC_TRACK(row);  // whatever the pointer's type
        Py_DECREF(op);
        EXPECT_EQ(PyGC_Collect(), size == 0 ? 0 : 1);
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(Spellings, TrackingTwiceIsAnErrorAsEver) {
    PyObject* op = new_thing();
    EXPECT_DEATH(_PyObject_GC_TRACK(op), "already tracked");
    Py_DECREF(op);
}

EVERY_RUNTIME(Spellings);

}  // namespace
}  // namespace ouro::test
