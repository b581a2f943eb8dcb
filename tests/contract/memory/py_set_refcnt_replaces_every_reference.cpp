// Py_SET_REFCNT gives an object as many references as it says, however many it had; an object with one
// reference can be made immortal, and is then left alone. Source: "Reference Counting",
// Py_SET_REFCNT, PyUnstable_IsImmortal, PyUnstable_SetImmortal.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using SetRefcnt = Things;

TEST_P(SetRefcnt, TheLastOfThemIsTheLast) {
    for (const Py_ssize_t count : {1, 2, 3, 32766, 32767, 32768, 65535, 65536, 200000}) {
        SCOPED_TRACE(count);
        record.calls.clear();
        PyObject* op = new_thing(1);
        Py_SET_REFCNT(op, count);
        EXPECT_EQ(Py_REFCNT(op), count);
        EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), count == 1);
        for (Py_ssize_t left = count; left > 1; --left) {
            Py_DECREF(op);
            ASSERT_EQ(Py_REFCNT(op), left - 1);
        }
        EXPECT_EQ(record.count(Call::kDealloc), 0);
        Py_DECREF(op);
        EXPECT_EQ(record.count(Call::kDealloc), 1);
    }
}

TEST_P(SetRefcnt, GoesDownAsWellAsUp) {
    PyObject* op = new_thing(1);
    Py_SET_REFCNT(op, 300000);
    Py_SET_REFCNT(op, 5);
    EXPECT_EQ(Py_REFCNT(op), 5);
    Py_INCREF(op);
    EXPECT_EQ(Py_REFCNT(op), 6);
    Py_SET_REFCNT(op, 1);
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kDealloc), 1);
}

// The collector believes it: a count that says more than the references of a cycle keeps it.
TEST_P(SetRefcnt, IsWhatTheCollectorGoesBy) {
    const std::vector<PyObject*> things = ring(2);
    drop(things);
    Py_SET_REFCNT(things[0], 2);
    EXPECT_EQ(PyGC_Collect(), 0);
    Py_SET_REFCNT(things[0], 1);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_P(SetRefcnt, LeavesAnImmortalObject) {
    const Py_ssize_t count = Py_REFCNT(Py_None);
    Py_SET_REFCNT(Py_None, 7);
    EXPECT_EQ(Py_REFCNT(Py_None), count);
    EXPECT_EQ(PyUnstable_IsImmortal(Py_None), 1);
}

TEST_P(SetRefcnt, OutsideItsRangeIsRefused) {
    PyObject* op = new_thing(1);
    EXPECT_DEATH(Py_SET_REFCNT(op, -1), "Py_SET_REFCNT: found -1; allowed: 0 to [0-9]+");
    Py_DECREF(op);
}

TEST_P(SetRefcnt, OnlyASoleReferenceCanBecomeImmortal) {
    PyObject* op = PyLong_FromLong(1L << 40);
    Py_INCREF(op);
    EXPECT_EQ(PyUnstable_SetImmortal(op), 0);
    EXPECT_EQ(PyUnstable_IsImmortal(op), 0);
    Py_DECREF(op);
    EXPECT_EQ(PyUnstable_SetImmortal(op), 1);
    EXPECT_EQ(PyUnstable_IsImmortal(op), 1);
    EXPECT_EQ(PyUnstable_SetImmortal(op), 0) << "it is so already";
    Py_DECREF(op);
    Py_DECREF(op);
    EXPECT_EQ(PyLong_AsLong(op), 1L << 40);
}

TEST_P(SetRefcnt, MemoryIsCountedInValuesOfItsType) {
    auto* values = PyMem_New(uint64_t, 10);
    ASSERT_NE(values, nullptr);
    values[9] = 99;
    auto* kept = values;
    PyMem_Resize(values, uint64_t, PY_SSIZE_T_MAX);
    EXPECT_EQ(values, nullptr) << "more bytes than there can be";
    values = kept;
    PyMem_Resize(values, uint64_t, 1000);
    ASSERT_NE(values, nullptr);
    EXPECT_EQ(values[9], 99u);
    PyMem_Del(values);
    EXPECT_EQ(PyMem_New(uint64_t, PY_SSIZE_T_MAX / 8 + 1), nullptr);
}

EVERY_RUNTIME(SetRefcnt);

}  // namespace
}  // namespace ouro::test
