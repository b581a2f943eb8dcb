// PyUnstable_Object_GC_NewWithExtraData gives a container with that many more bytes after its basic
// size, all zero, which its type may follow in tp_traverse; not tracked. Source: "Supporting Cyclic
// Garbage Collection", PyUnstable_Object_GC_NewWithExtraData; CPython's ObjExtraData.

#include <cstring>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

// One reference in the extra data, right after the header.
PyObject*& extra(PyObject* op) {
    return *reinterpret_cast<PyObject**>(op + 1);
}

PyTypeObject ExtraType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Extra",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc =
        [](PyObject* op) {
            PyObject_GC_UnTrack(op);
            Py_CLEAR(extra(op));
            --record.live;
            Py_TYPE(op)->tp_free(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = [](PyObject* op, visitproc visit, void* arg) -> int {
        Py_VISIT(extra(op));
        return 0;
    },
    .tp_clear = [](PyObject* op) -> int {
        Py_CLEAR(extra(op));
        return 0;
    },
};

class ExtraData : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&ExtraType), 0);
    }
    static PyObject* make(size_t bytes = sizeof(PyObject*)) {
        PyObject* op = PyUnstable_Object_GC_NewWithExtraData(&ExtraType, bytes);
        if (op != nullptr) {
            ++record.live;
        }
        return op;
    }
};

TEST_P(ExtraData, IsZero) {
    for (const size_t bytes : {size_t{8}, size_t{24}, size_t{1000}, size_t{100000}}) {
        // Used memory first, so that zeros are not there by chance.
        PyObject* used = make(bytes);
        std::memset(static_cast<void*>(used + 1), 0xAB, bytes);
        extra(used) = nullptr;
        Py_DECREF(used);
        PyObject* op = make(bytes);
        const auto* start = reinterpret_cast<const char*>(op + 1);
        EXPECT_EQ(std::count(start, start + bytes, 0), static_cast<std::ptrdiff_t>(bytes));
        EXPECT_EQ(Py_REFCNT(op), 1);
        EXPECT_TRUE(Py_IS_TYPE(op, &ExtraType));
        Py_DECREF(op);
    }
}

TEST_P(ExtraData, ComesAfterTheTypesOwnFields) {
    PyObject* op = PyUnstable_Object_GC_NewWithExtraData(&ThingType, 64);
    const auto* start = reinterpret_cast<const char*>(op) + sizeof(PyObject);
    EXPECT_EQ(std::count(start, start + sizeof(Thing) - sizeof(PyObject) + 64, 0),
              static_cast<std::ptrdiff_t>(sizeof(Thing) - sizeof(PyObject) + 64));
    Py_DECREF(begin_thing(op));
}

TEST_P(ExtraData, IsNotTrackedAtFirst) {
    PyObject* op = make();
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    EXPECT_EQ(PyObject_IS_GC(op), 1);
    PyObject_GC_Track(op);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    Py_DECREF(op);
}

TEST_P(ExtraData, ACycleThroughItIsCollected) {
    PyObject* op = make();
    extra(op) = Py_NewRef(op);
    PyObject_GC_Track(op);
    Py_DECREF(op);
    EXPECT_EQ(record.live, 1);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(record.live, 0);
}

TEST_P(ExtraData, TooMuchIsAMemoryError) {
    for (const size_t bytes : {SIZE_MAX, SIZE_MAX / 2, size_t{1} << 62}) {
        EXPECT_EQ(make(bytes), nullptr);
        expect_raised(PyExc_MemoryError);
    }
}

EVERY_RUNTIME(ExtraData);

}  // namespace
}  // namespace ouro::test
