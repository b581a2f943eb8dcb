// list and tuple: items, ownership, and the exception for each misuse. Source: "List Objects" and
// "Tuple Objects".

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Sequence = Things;

// What lists and tuples have in common.
struct Kind {
    PyTypeObject* type;
    PyObject* (*create)(Py_ssize_t);
    Py_ssize_t (*size)(PyObject*);
    PyObject* (*get)(PyObject*, Py_ssize_t);
    int (*set)(PyObject*, Py_ssize_t, PyObject*);
};
constexpr Kind kKinds[] = {
    {&PyList_Type, PyList_New, PyList_Size, PyList_GetItem, PyList_SetItem},
    {&PyTuple_Type, PyTuple_New, PyTuple_Size, PyTuple_GetItem, PyTuple_SetItem}};

TEST_P(Sequence, BeginsWithItemsThatAreNull) {
    for (const Kind& kind : kKinds) {
        for (const Py_ssize_t size : {0, 1, 100, 50'000}) {
            PyObject* op = kind.create(size);
            ASSERT_NE(op, nullptr);
            EXPECT_TRUE(Py_IS_TYPE(op, kind.type));
            const bool is_shared = kind.type == &PyTuple_Type && size == 0;
            EXPECT_EQ(PyObject_GC_IsTracked(op), !is_shared) << "there is one empty tuple";
            ASSERT_EQ(kind.size(op), size);
            for (Py_ssize_t i = 0; i < size; ++i) {
                ASSERT_EQ(kind.get(op, i), nullptr);
            }
            EXPECT_EQ(PyErr_Occurred(), nullptr);
            EXPECT_EQ(PyGC_Collect(), 0);
            Py_DECREF(op);
        }
    }
}

TEST_P(Sequence, OwnsWhatIsSetAndDropsWhatWasThere) {
    for (const Kind& kind : kKinds) {
        PyObject* op = kind.create(2);
        PyObject* item = new_thing();
        ASSERT_EQ(kind.set(op, 1, Py_NewRef(item)), 0);
        EXPECT_EQ(kind.get(op, 1), item);
        EXPECT_EQ(Py_REFCNT(item), 2) << "stolen in, borrowed out";
        ASSERT_EQ(kind.set(op, 1, Py_NewRef(Py_None)), 0);
        EXPECT_EQ(Py_REFCNT(item), 1);
        ASSERT_EQ(kind.set(op, 0, item), 0);
        Py_DECREF(op);
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(Sequence, OutsideItsItemsIsAnIndexError) {
    for (const Kind& kind : kKinds) {
        PyObject* op = kind.create(3);
        for (const Py_ssize_t index :
             {Py_ssize_t{3}, Py_ssize_t{-1}, PY_SSIZE_T_MAX, PY_SSIZE_T_MIN}) {
            EXPECT_EQ(kind.get(op, index), nullptr);
            expect_raised(PyExc_IndexError);
            EXPECT_EQ(kind.set(op, index, new_thing()), -1);
            expect_raised(PyExc_IndexError);
            EXPECT_EQ(record.live, 0) << "the item is stolen when it fails, too";
        }
        Py_DECREF(op);
    }
}

TEST_P(Sequence, OfAnImpossibleSizeIsRefused) {
    for (const Kind& kind : kKinds) {
        EXPECT_EQ(kind.create(-1), nullptr);
        expect_raised(PyExc_SystemError);
        for (const Py_ssize_t size : {PY_SSIZE_T_MAX, PY_SSIZE_T_MAX / 8, PY_SSIZE_T_MAX / 16}) {
            EXPECT_EQ(kind.create(size), nullptr);
            expect_raised(PyExc_MemoryError);
        }
    }
}

TEST_P(Sequence, FunctionsRefuseAnotherType) {
    PyObject* other = PyDict_New();
    for (const Kind& kind : kKinds) {
        EXPECT_EQ(kind.size(other), -1);
        expect_raised(PyExc_SystemError);
        EXPECT_EQ(kind.get(other, 0), nullptr);
        expect_raised(PyExc_SystemError);
        EXPECT_EQ(kind.set(other, 0, new_thing()), -1);
        expect_raised(PyExc_SystemError);
        EXPECT_EQ(record.live, 0);
    }
    EXPECT_EQ(PyList_Append(other, Py_None), -1);
    expect_raised(PyExc_SystemError);
    Py_DECREF(other);
}

TEST_P(Sequence, ATupleThatOthersSeeIsNotChanged) {
    PyObject* tuple = PyTuple_New(1);
    Py_INCREF(tuple);
    EXPECT_EQ(PyTuple_SetItem(tuple, 0, new_thing()), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyTuple_GetItem(tuple, 0), nullptr);
    EXPECT_EQ(record.live, 0);
    drop({tuple, tuple});
}

TEST_P(Sequence, AListGrowsByAppending) {
    PyObject* list = PyList_New(0);
    for (long i = 0; i < 100'000; ++i) {
        PyObject* item = PyLong_FromLong(i);
        ASSERT_EQ(PyList_Append(list, item), 0);
        EXPECT_EQ(Py_REFCNT(item), i <= 256 ? Py_REFCNT(Py_None) : 2) << "not stolen";
        Py_DECREF(item);
    }
    ASSERT_EQ(PyList_Size(list), 100'000);
    for (long i = 0; i < 100'000; ++i) {
        ASSERT_EQ(PyLong_AsLong(PyList_GetItem(list, i)), i);
    }
    EXPECT_EQ(PyList_Append(list, nullptr), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyList_Size(list), 100'000);
    Py_DECREF(list);
}

// The old item's deallocation finds the new one in its place.
TEST_P(Sequence, AReplacedItemDiesAfterItsReplacementIsInPlace) {
    PyObject* list = PyList_New(1);
    PyList_SET_ITEM(list, 0, new_thing());
    PyObject* seen = nullptr;
    record.on_dealloc = [&](Thing*) {
        seen = PyList_GetItem(list, 0);
        EXPECT_EQ(PyList_Append(list, Py_True), 0);
    };
    ASSERT_EQ(PyList_SetItem(list, 0, Py_NewRef(Py_None)), 0);
    EXPECT_EQ(seen, Py_None);
    EXPECT_EQ(PyList_Size(list), 2);
    Py_DECREF(list);
}

EVERY_RUNTIME(Sequence);

}  // namespace
}  // namespace ouro::test
