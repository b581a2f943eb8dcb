// Slices of lists and tuples: bounds beyond an end mean that end, counts are exact, and what is taken out
// dies when the list is whole again. Source: "List Objects" and "Tuple Objects".

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Parts : public Things {
protected:
    // A list or tuple of things with the ids first to last (new reference).
    static PyObject* things(bool is_list, int first, int last) {
        PyObject* op = is_list ? PyList_New(last - first + 1) : PyTuple_New(last - first + 1);
        for (int id = first; id <= last; ++id) {
            if (is_list) {
                PyList_SET_ITEM(op, id - first, new_thing(id));
            } else {
                PyTuple_SET_ITEM(op, id - first, new_thing(id));
            }
        }
        return op;
    }
    static std::vector<int> ids(PyObject* op) {
        std::vector<int> found;
        for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
            PyObject* item = PyList_Check(op) ? PyList_GET_ITEM(op, i) : PyTuple_GET_ITEM(op, i);
            found.push_back(thing(item)->id);
            EXPECT_GE(Py_REFCNT(item), 1);
        }
        return found;
    }
    // The ids from first up to last.
    static std::vector<int> range(int first, int last) {
        std::vector<int> all;
        for (int id = first; id <= last; ++id) {
            all.push_back(id);
        }
        return all;
    }
};

constexpr Py_ssize_t kMax = PY_SSIZE_T_MAX;

TEST_P(Parts, ASliceIsCopied) {
    const struct {
        Py_ssize_t low, high;
        int first, last;
    } cases[] = {{0, 5, 1, 5},    {1, 3, 2, 3},  {-7, 2, 1, 2},
                 {3, kMax, 4, 5}, {4, 2, 1, 0},  {9, 12, 1, 0},
                 {0, 0, 1, 0},    {2, -1, 1, 0}, {PY_SSIZE_T_MIN, kMax, 1, 5}};
    for (const bool is_list : {true, false}) {
        PyObject* op = things(is_list, 1, 5);
        for (const auto& c : cases) {
            PyObject* slice =
                is_list ? PyList_GetSlice(op, c.low, c.high) : PyTuple_GetSlice(op, c.low, c.high);
            ASSERT_NE(slice, nullptr);
            EXPECT_TRUE(Py_IS_TYPE(slice, Py_TYPE(op)));
            EXPECT_EQ(ids(slice), range(c.first, c.last)) << c.low << ":" << c.high;
            const bool is_whole = c.last == 5 && c.first == 1;
            EXPECT_EQ(slice == op, is_whole && !is_list) << "a whole tuple is its own slice";
            Py_DECREF(slice);
        }
        Py_DECREF(op);
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(Parts, ASliceIsReplaced) {
    const struct {
        Py_ssize_t low, high;
        int added;  // new items, with ids from 101 on
        std::vector<int> result;
    } cases[] = {
        {1, 3, 0, {1, 4, 5}},
        {1, 3, 1, {1, 101, 4, 5}},
        {1, 3, 2, {1, 101, 102, 4, 5}},
        {1, 3, 4, {1, 101, 102, 103, 104, 4, 5}},
        {0, kMax, 0, {}},
        {0, 0, 2, {101, 102, 1, 2, 3, 4, 5}},
        {5, 5, 2, {1, 2, 3, 4, 5, 101, 102}},
        {3, 1, 1, {1, 2, 3, 101, 4, 5}},
        {-9, 1, 1, {101, 2, 3, 4, 5}},
        {4, 99, 1, {1, 2, 3, 4, 101}},
    };
    for (const bool by_list : {true, false}) {
        for (const auto& c : cases) {
            PyObject* list = things(true, 1, 5);
            PyObject* items = things(by_list, 101, 100 + c.added);
            ASSERT_EQ(PyList_SetSlice(list, c.low, c.high, items), 0);
            EXPECT_EQ(ids(list), c.result);
            Py_DECREF(items);
            EXPECT_EQ(ids(list), c.result);
            EXPECT_EQ(record.live, static_cast<int>(c.result.size()));
            if (c.added == 0) {
                EXPECT_EQ(PyList_SetSlice(list, 0, 1, nullptr), 0) << "NULL deletes, too";
                EXPECT_EQ(record.live,
                          static_cast<int>(c.result.empty() ? 0 : c.result.size() - 1));
            }
            Py_DECREF(list);
            EXPECT_EQ(record.live, 0);
        }
    }
}

TEST_P(Parts, OfManyItems) {
    PyObject* list = things(true, 1, 1000);
    PyObject* more = things(false, 1001, 3000);
    ASSERT_EQ(PyList_Extend(list, more), 0);
    EXPECT_EQ(ids(list), range(1, 3000));
    ASSERT_EQ(PyList_SetSlice(list, 10, 2990, nullptr), 0);
    EXPECT_EQ(PyList_Size(list), 20);
    ASSERT_EQ(PyList_SetSlice(list, 10, 10, more), 0);
    EXPECT_EQ(PyList_Size(list), 2020);
    Py_DECREF(more);
    ASSERT_EQ(PyList_Clear(list), 0);
    EXPECT_EQ(record.live, 0);
    Py_DECREF(list);
}

// What says of itself that it has as many items as a test wants, and has none.
Py_ssize_t told_length;
PyMethodDef teller_methods[] = {
    {"__length_hint__", [](PyObject*, PyObject*) { return PyLong_FromSsize_t(told_length); },
     METH_NOARGS, nullptr},
    {}};
PyTypeObject TellerType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Teller",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_iter = Py_NewRef,
    .tp_iternext = [](PyObject*) -> PyObject* { return nullptr; },
    .tp_methods = teller_methods,
};

// The bytes of so many items would be a small number again, with what is above 64 bits cut off.
TEST_P(Parts, OfMoreItemsThanMemoryCanHold) {
    ASSERT_EQ(PyType_Ready(&TellerType), 0);
    constexpr Py_ssize_t kMany = 100'000;
    PyObject* list = PyList_New(0);
    for (Py_ssize_t i = 0; i < kMany; ++i) {
        ASSERT_EQ(PyList_Append(list, Py_None), 0);
    }
    PyObject* teller = PyObject_New(PyObject, &TellerType);
    for (const Py_ssize_t hint : {(Py_ssize_t{1} << 61) - kMany + 10, Py_ssize_t{1} << 61,
                                  Py_ssize_t{1} << 60, kMax - kMany}) {
        told_length = hint;
        EXPECT_EQ(PyList_Extend(list, teller), -1) << hint;
        expect_raised(PyExc_MemoryError);
        EXPECT_EQ(PyList_Size(list), kMany);
    }
    told_length = kMax;
    EXPECT_EQ(PyList_Extend(list, teller), 0) << "a sum that cannot be is no hint";
    EXPECT_EQ(PyList_Size(list), kMany);
    drop({list, teller});
}

TEST_P(Parts, OfAListAndItself) {
    PyObject* list = things(true, 1, 3);
    ASSERT_EQ(PyList_SetSlice(list, 1, 2, list), 0);
    EXPECT_EQ(ids(list), (std::vector<int>{1, 1, 2, 3, 3}));
    ASSERT_EQ(PyList_Extend(list, list), 0);
    EXPECT_EQ(ids(list), (std::vector<int>{1, 1, 2, 3, 3, 1, 1, 2, 3, 3}));
    EXPECT_EQ(Py_REFCNT(PyList_GetItem(list, 0)), 4);
    Py_DECREF(list);
}

TEST_P(Parts, AnItemIsInserted) {
    PyObject* list = PyList_New(0);
    int id = 0;
    const auto insert = [&](Py_ssize_t index) {
        PyObject* item = new_thing(++id);
        EXPECT_EQ(PyList_Insert(list, index, item), 0);
        EXPECT_EQ(Py_REFCNT(item), 2) << "not stolen";
        Py_DECREF(item);
    };
    insert(0);
    insert(5);
    insert(0);
    insert(1);
    EXPECT_EQ(ids(list), (std::vector<int>{3, 4, 1, 2}));
    insert(-1);
    insert(-99);
    EXPECT_EQ(ids(list), (std::vector<int>{6, 3, 4, 1, 5, 2}));
    for (int i = 0; i < 100; ++i) {
        insert(1);
    }
    EXPECT_EQ(PyList_Size(list), 106);
    Py_DECREF(list);
}

TEST_P(Parts, AListIsReversedAndEmptied) {
    for (const int last : {0, 1, 2, 5}) {
        PyObject* list = things(true, 1, last);
        EXPECT_EQ(PyList_Reverse(list), 0);
        std::vector<int> expected = range(1, last);
        std::ranges::reverse(expected);
        EXPECT_EQ(ids(list), expected);
        EXPECT_EQ(PyList_Clear(list), 0);
        EXPECT_EQ(PyList_Size(list), 0);
        EXPECT_EQ(record.live, 0);
        EXPECT_EQ(PyList_Append(list, Py_None), 0);
        EXPECT_EQ(PyList_Size(list), 1);
        Py_DECREF(list);
    }
}

TEST_P(Parts, AListBecomesATuple) {
    for (const int last : {0, 3, 20}) {
        PyObject* list = things(true, 1, last);
        PyObject* tuple = PyList_AsTuple(list);
        ASSERT_TRUE(PyTuple_CheckExact(tuple));
        EXPECT_EQ(ids(tuple), range(1, last));
        Py_DECREF(list);
        EXPECT_EQ(record.live, last);
        Py_DECREF(tuple);
    }
}

TEST_P(Parts, ATupleIsPacked) {
    PyObject* a = new_thing(1);
    PyObject* b = new_thing(2);
    PyObject* tuple = PyTuple_Pack(3, a, b, a);
    EXPECT_EQ(ids(tuple), (std::vector<int>{1, 2, 1}));
    EXPECT_EQ(Py_REFCNT(a), 3);
    drop({tuple, a, b});
    tuple = PyTuple_Pack(0);
    EXPECT_EQ(PyTuple_Size(tuple), 0);
    Py_DECREF(tuple);
}

TEST_P(Parts, ATupleOfOnesOwnIsResized) {
    for (const int before : {0, 1, 5, 200}) {
        for (const int after : {0, 1, 3, 5, 1000}) {
            PyObject* tuple = things(false, 1, before);
            ASSERT_EQ(_PyTuple_Resize(&tuple, after), 0);
            ASSERT_EQ(PyTuple_Size(tuple), after);
            EXPECT_EQ(PyObject_GC_IsTracked(tuple), after > 0);
            EXPECT_EQ(record.live, std::min(before, after));
            for (int i = 0; i < after; ++i) {
                PyObject* item = PyTuple_GetItem(tuple, i);
                EXPECT_EQ(item == nullptr, i >= before);
                if (item == nullptr) {
                    PyTuple_SET_ITEM(tuple, i, new_thing(i + 1));
                }
            }
            EXPECT_EQ(ids(tuple), range(1, after));
            Py_DECREF(tuple);
            EXPECT_EQ(record.live, 0);
        }
    }
}

TEST_P(Parts, ATupleOfOthersIsNotResized) {
    PyObject* shared = things(false, 1, 2);
    PyObject* tuple = Py_NewRef(shared);
    EXPECT_EQ(_PyTuple_Resize(&tuple, 1), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(tuple, nullptr);
    EXPECT_EQ(Py_REFCNT(shared), 1) << "the caller's reference is dropped";
    EXPECT_EQ(ids(shared), range(1, 2));
    Py_DECREF(shared);
    PyObject* list = PyList_New(0);
    EXPECT_EQ(_PyTuple_Resize(&list, 1), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(list, nullptr);
    EXPECT_EQ(_PyTuple_Resize(&list, 1), -1);
    expect_raised(PyExc_SystemError);
}

// Code that runs when an item dies finds the list whole.
TEST_P(Parts, WhatIsTakenOutDiesAfterwards) {
    PyObject* list = things(true, 1, 4);
    std::vector<std::vector<int>> seen;
    record.on_dealloc = [&](Thing*) {
        seen.push_back(ids(list));
        PyObject* last = new_thing(9);
        EXPECT_EQ(PyList_Append(list, last), 0);
        Py_DECREF(last);
    };
    ASSERT_EQ(PyList_SetSlice(list, 1, 3, nullptr), 0);
    EXPECT_EQ(seen, (std::vector<std::vector<int>>{{1, 4}, {1, 4, 9}}));
    record.on_dealloc = nullptr;
    EXPECT_EQ(ids(list), (std::vector<int>{1, 4, 9, 9}));
    seen.clear();
    record.on_dealloc = [&](Thing*) { seen.push_back(ids(list)); };
    ASSERT_EQ(PyList_Clear(list), 0);
    EXPECT_EQ(seen, std::vector<std::vector<int>>(4));
    record.on_dealloc = nullptr;
    Py_DECREF(list);
}

TEST_P(Parts, FunctionsRefuseAnotherType) {
    PyObject* dict = PyDict_New();
    PyObject* list = PyList_New(0);
    for (const int result :
         {PyList_SetSlice(dict, 0, 1, nullptr), PyList_Extend(dict, list), PyList_Clear(dict),
          PyList_Reverse(dict), PyList_Insert(dict, 0, list), PyList_Insert(list, 0, nullptr)}) {
        EXPECT_EQ(result, -1);
    }
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyList_GetSlice(dict, 0, 1), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyList_AsTuple(dict), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyTuple_GetSlice(list, 0, 1), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyTuple_Pack(-1), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyList_GetItemRef(dict, 0), nullptr);
    expect_raised(PyExc_TypeError, "expected a list");
    EXPECT_EQ(PyList_SetSlice(list, 0, 1, Py_None), -1);
    expect_raised(PyExc_TypeError, "can only assign an iterable");
    EXPECT_EQ(PyList_Extend(list, Py_None), -1);
    expect_raised(PyExc_TypeError, "'NoneType' object is not iterable");
    EXPECT_EQ(PyList_Size(list), 0);
    drop({dict, list});
}

EVERY_WAY_OF_COUNTING(Parts);

}  // namespace
}  // namespace ouro::test
