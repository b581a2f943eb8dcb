// label: concurrency
// Who reads without a lock may take a reference to what a slot holds by now instead of what it held, and
// gives it back at once. Meanwhile the maker of the new object may have given it up, or moved it.
// Here the reader is played by one call of try_incref, as object::take makes it.

#include <gtest/gtest.h>

#include "core/include/ouroboros.h"
#include "core/object/object.hpp"
#include "core/object/take.hpp"
#include "tests/support/runtimes.hpp"

namespace ouro::test {
namespace {

int traverse_nothing(PyObject*, visitproc, void*) {
    return 0;
}

PyTypeObject MistakenType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "Items",
    .tp_basicsize = sizeof(PyVarObject),
    .tp_itemsize = 8,
    .tp_dealloc = [](PyObject* op) { Py_TYPE(op)->tp_free(op); },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = traverse_nothing,
};

class ByMistake : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&MistakenType), 0);
    }
    void TearDown() override { Py_FinalizeEx(); }
    static bool is_allocated(PyObject* op) {
        return (object::load_state(op) & heap::kAllocated) != 0;
    }
};

TEST_P(ByMistake, OfAnObjectThatIsDeleted) {
    PyObject* op = &_PyObject_GC_NewVar(&MistakenType, 4)->ob_base;
    if (mutator::is_free_threaded() && object::try_incref(op)) {
        PyObject_GC_Del(op);
        EXPECT_TRUE(is_allocated(op)) << "somebody has a reference";
        Py_DECREF(op);
    } else {
        PyObject_GC_Del(op);
    }
    EXPECT_FALSE(is_allocated(op));
}

TEST_P(ByMistake, OfAnObjectThatIsResized) {
    PyVarObject* old = _PyObject_GC_NewVar(&MistakenType, 4);
    PyObject* op = &old->ob_base;
    const bool taken = mutator::is_free_threaded() && object::try_incref(op);
    PyVarObject* moved = _PyObject_GC_Resize(old, 400);
    ASSERT_NE(moved, nullptr);
    ASSERT_NE(moved, old);
    EXPECT_EQ(Py_REFCNT(moved), 1) << "the mistake is not the new place's";
    if (taken) {
        Py_DECREF(op);
    }
    EXPECT_FALSE(is_allocated(op));
    Py_DECREF(moved);
}

INSTANTIATE_TEST_SUITE_P(Counts, ByMistake, every_runtime(), runtime_name);

}  // namespace
}  // namespace ouro::test
