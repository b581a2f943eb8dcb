// Supporting Cyclic Garbage Collection, PyObject_GC_Resize: an untracked object can be resized, and may
// move. A finalizer may do that to an object that its own object owns, while the collector holds both.
#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

struct Row {
    PyVarObject ob_base;
    PyObject* items[1];
};

int row_traverse(PyObject* op, visitproc visit, void* arg) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_VISIT(reinterpret_cast<Row*>(op)->items[i]);
    }
    return 0;
}

int row_clear(PyObject* op) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_CLEAR(reinterpret_cast<Row*>(op)->items[i]);
    }
    return 0;
}

void row_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    row_clear(op);
    PyObject_GC_Del(op);
}

PyTypeObject RowType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Row",
    .tp_basicsize = offsetof(Row, items),
    .tp_itemsize = sizeof(PyObject*),
    .tp_dealloc = row_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = row_traverse,
    .tp_clear = row_clear,
};

class CondemnedRow : public Things {};

TEST_P(CondemnedRow, MovesAndIsCollected) {
    ASSERT_EQ(PyType_Ready(&RowType), 0);
    PyObject* owner = new_thing(1, &FinalThingType);
    Row* row = PyObject_GC_NewVar(Row, &RowType, 1);
    row->items[0] = Py_NewRef(owner);
    PyObject_GC_Track(row);
    refer(owner, 0, object(row));
    Py_DECREF(row);
    Py_ssize_t count = 0;
    record.on_finalize = [&](Thing* self) {
        PyObject* old = self->slots[0];
        PyObject_GC_UnTrack(old);
        Row* moved = PyObject_GC_Resize(Row, old, 100);
        std::fill(moved->items + 1, moved->items + 100, nullptr);
        PyObject_GC_Track(moved);
        self->slots[0] = object(moved);
        count = Py_REFCNT(moved);
    };
    Py_DECREF(owner);
    PyGC_Collect();
    EXPECT_EQ(count, 1);
    PyGC_Collect();  // the moved one was not condemned where it is now
    EXPECT_EQ(record.live, 0);
}

EVERY_RUNTIME(CondemnedRow);

}  // namespace
}  // namespace ouro::test
