// list.sort(): the order is right and stable; comparisons and key functions may fail, contradict themselves or
// change the list, and not an item is lost. Source: "List Objects"; the language's reference for sort().

#include <random>

#include "tests/contract/methods.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

class Sorting : public Things {
protected:
    void TearDown() override {
        compare = nullptr;
        Things::TearDown();
    }

    // Called with the ids of two things: 1, 0, or -1 with an exception.
    static inline std::function<int(int, int)> compare;

    static PyObject* rich_compare(PyObject* a, PyObject* b, int operation) {
        if (operation != Py_LT || !compare) {
            return Py_NewRef(Py_NotImplemented);
        }
        const int result = compare(thing(a)->id, thing(b)->id);
        return result < 0 ? nullptr : PyBool_FromLong(result);
    }
    static PyTypeObject* ordered_type() {
        static PyTypeObject type = {
            .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Ordered",
            .tp_flags = Py_TPFLAGS_DEFAULT,
            .tp_richcompare = rich_compare,
            .tp_base = &ThingType,
        };
        EXPECT_EQ(PyType_Ready(&type), 0);
        return &type;
    }
    static PyObject* list_of(const std::vector<int>& ids) {
        PyObject* list = PyList_New(0);
        for (const int id : ids) {
            PyObject* item = new_thing(id, ordered_type());
            PyList_Append(list, item);
            Py_DECREF(item);
        }
        return list;
    }
    static std::vector<int> ids(PyObject* list) {
        std::vector<int> all;
        for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
            all.push_back(thing(PyList_GetItem(list, i))->id);
        }
        return all;
    }
    static std::vector<int> sorted(std::vector<int> values) {
        std::ranges::sort(values);
        return values;
    }
    // Of every kind and length: sorted, reversed, equal, runs, at random.
    static std::vector<std::vector<int>> inputs() {
        std::mt19937 random(20261122);
        std::vector<std::vector<int>> all;
        for (const int size : {0, 1, 2, 3, 31, 32, 33, 64, 100, 1000}) {
            std::vector<int> ascending, descending, runs, few, any;
            for (int i = 0; i < size; ++i) {
                ascending.push_back(i);
                descending.push_back(size - i);
                runs.push_back(i % 37);
                few.push_back(static_cast<int>(random() % 4));
                any.push_back(static_cast<int>(random() % 100000));
            }
            for (auto& each : {ascending, descending, runs, few, any}) {
                all.push_back(each);
            }
        }
        return all;
    }
};

// Numbers and texts are compared without a call; it must be the same order.
TEST_P(Sorting, IntsFloatsAndTexts) {
    for (const auto& values : inputs()) {
        PyObject* lists[] = {PyList_New(0), PyList_New(0), PyList_New(0)};
        for (const int value : values) {
            PyObject* items[] = {PyLong_FromLong(value), PyFloat_FromDouble(value / 2.0),
                                 PyUnicode_FromFormat("%06d", value)};
            for (size_t i = 0; i < 3; ++i) {
                PyList_Append(lists[i], items[i]);
                Py_DECREF(items[i]);
            }
        }
        for (PyObject* list : lists) {
            ASSERT_EQ(PyList_Sort(list), 0);
            for (Py_ssize_t i = 1; i < PyList_Size(list); ++i) {
                ASSERT_EQ(PyObject_RichCompareBool(PyList_GetItem(list, i - 1),
                                                   PyList_GetItem(list, i), Py_LE),
                          1);
            }
            EXPECT_EQ(PyList_Size(list), static_cast<Py_ssize_t>(values.size()));
            Py_DECREF(list);
        }
    }
}

// Ids are compared by their hundreds alone; equal ones keep their order, in reverse too.
TEST_P(Sorting, EqualItemsKeepTheirOrder) {
    compare = [](int a, int b) { return a / 100 < b / 100 ? 1 : 0; };
    for (auto values : inputs()) {
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = values[i] % 7 * 100000 + static_cast<int>(i);
        }
        const auto by_hundreds = [](int a, int b) { return a / 100 < b / 100; };
        PyObject* list = list_of(values);
        ASSERT_EQ(PyList_Sort(list), 0);
        std::vector<int> expected = values;
        std::ranges::stable_sort(expected, by_hundreds);
        EXPECT_EQ(ids(list), expected);
        Py_DECREF(list);
        list = list_of(values);
        EXPECT_EQ(called_with(list, "sort", "", "{'reverse': True}"), "None");
        expected = values;
        std::ranges::stable_sort(expected, [&](int a, int b) { return by_hundreds(b, a); });
        EXPECT_EQ(ids(list), expected);
        Py_DECREF(list);
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(Sorting, SortedInputCostsOneComparisonAnItem) {
    int comparisons = 0;
    compare = [&](int a, int b) {
        ++comparisons;
        return a < b;
    };
    for (const bool descending : {false, true}) {
        std::vector<int> values;
        for (int i = 0; i < 1000; ++i) {
            values.push_back(descending ? -i : i);
        }
        PyObject* list = list_of(values);
        comparisons = 0;
        ASSERT_EQ(PyList_Sort(list), 0);
        EXPECT_EQ(comparisons, 999);
        EXPECT_EQ(ids(list), sorted(values));
        Py_DECREF(list);
    }
}

TEST_P(Sorting, AComparisonMayFailAtAnyTime) {
    std::vector<int> values;
    for (int i = 0; i < 200; ++i) {
        values.push_back(i * 37 % 101);
    }
    for (int allowed = 0;; allowed += 7) {
        int left = allowed;
        compare = [&](int a, int b) {
            if (left-- == 0) {
                PyErr_SetString(PyExc_ValueError, "enough");
                return -1;
            }
            return static_cast<int>(a < b);
        };
        PyObject* list = list_of(values);
        const int result = PyList_Sort(list);
        EXPECT_EQ(sorted(ids(list)), sorted(values)) << "an item was lost";
        for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
            ASSERT_EQ(Py_REFCNT(PyList_GetItem(list, i)), 1);
        }
        Py_DECREF(list);
        if (result == 0) {
            break;
        }
        EXPECT_EQ(take_raised(), "ValueError: enough");
    }
}

TEST_P(Sorting, AComparisonMayContradictItself) {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        compare = [&](int, int) { return static_cast<int>(random() % 2); };
        std::vector<int> values;
        for (int i = 0; i < 150; ++i) {
            values.push_back(i);
        }
        PyObject* list = list_of(values);
        ASSERT_EQ(PyList_Sort(list), 0);
        EXPECT_EQ(sorted(ids(list)), values);
        Py_DECREF(list);
    }
}

// Whoever looks while it is sorted finds the list empty; what is done to it then is noticed and undone.
TEST_P(Sorting, AChangeMeanwhileIsAnError) {
    PyObject* list = nullptr;
    const std::pair<const char*, std::function<void()>> changes[] = {
        {"append", [&] { EXPECT_EQ(PyList_Append(list, Py_None), 0); }},
        {"append and pop",
         [&] {
             EXPECT_EQ(PyList_Append(list, Py_None), 0);
             EXPECT_EQ(called_with(list, "pop", "", ""), "None");
         }},
        {"append and clear",
         [&] {
             EXPECT_EQ(PyList_Append(list, Py_None), 0);
             EXPECT_EQ(PyList_Clear(list), 0);
         }},
        {"extend",
         [&] {
             PyObject* many = PyTuple_New(100);
             for (Py_ssize_t i = 0; i < 100; ++i) {
                 PyTuple_SET_ITEM(many, i, new_thing(9));
             }
             EXPECT_EQ(PyList_Extend(list, many), 0);
             Py_DECREF(many);
         }},
    };
    for (const auto& [name, change] : changes) {
        SCOPED_TRACE(name);
        compare = [&](int a, int b) {
            if (PyList_Size(list) == 0) {
                EXPECT_EQ(repr_of(Py_NewRef(list)), "[]");
                change();
            }
            return static_cast<int>(a < b);
        };
        list = list_of({3, 1, 2});
        EXPECT_EQ(PyList_Sort(list), -1);
        EXPECT_EQ(take_raised(), "ValueError: list modified during sort");
        EXPECT_EQ(ids(list), (std::vector<int>{1, 2, 3}));
        EXPECT_EQ(record.live, 3);
        Py_DECREF(list);
    }
    compare = [&](int a, int b) {
        PyGC_Collect();
        return static_cast<int>(a < b);
    };
    list = list_of({3, 1, 2});
    EXPECT_EQ(PyList_Sort(list), 0) << "a collection does not change it";
    EXPECT_EQ(ids(list), (std::vector<int>{1, 2, 3}));
    Py_DECREF(list);
    compare = [&](int a, int b) {
        EXPECT_EQ(PyList_Sort(list), 0);
        return static_cast<int>(a < b);
    };
    list = list_of({3, 1, 2});
    EXPECT_EQ(PyList_Sort(list), 0) << "nor does sorting it, which is empty";
    EXPECT_EQ(ids(list), (std::vector<int>{1, 2, 3}));
    Py_DECREF(list);
}

// Keys are asked for once, in order, and are dropped.
TEST_P(Sorting, AKeyFunctionDecides) {
    std::vector<int> asked;
    compare = [](int a, int b) { return a < b; };
    PyMethodDef definition{"key",
                           [](PyObject* self, PyObject* item) -> PyObject* {
                               auto* order = static_cast<std::vector<int>*>(
                                   PyCapsule_GetPointer(self, nullptr));
                               order->push_back(thing(item)->id);
                               if (thing(item)->id == 99) {
                                   PyErr_SetString(PyExc_ValueError, "no key");
                                   return nullptr;
                               }
                               return new_thing(-thing(item)->id, ordered_type());
                           },
                           METH_O, nullptr};
    PyObject* capsule = PyCapsule_New(&asked, nullptr, nullptr);
    PyObject* key = PyCFunction_New(&definition, capsule);
    PyObject* keywords = PyDict_New();
    PyDict_SetItemString(keywords, "key", key);
    PyObject* none = PyTuple_New(0);
    for (const bool fails : {false, true}) {
        asked.clear();
        PyObject* list = list_of(fails ? std::vector<int>{3, 99, 2} : std::vector<int>{3, 1, 2});
        PyObject* method = PyObject_GetAttrString(list, "sort");
        PyObject* made = PyObject_Call(method, none, keywords);
        EXPECT_EQ(made == nullptr ? take_raised() : repr_of(made),
                  fails ? "ValueError: no key" : "None");
        EXPECT_EQ(asked, (fails ? std::vector<int>{3, 99} : std::vector<int>{3, 1, 2}));
        EXPECT_EQ(ids(list), (fails ? std::vector<int>{3, 99, 2} : std::vector<int>{3, 2, 1}));
        EXPECT_EQ(record.live, 3) << "the keys are gone";
        drop({method, list});
    }
    drop({none, keywords, key, capsule});
}

TEST_P(Sorting, WithoutMemoryNothingIsLost) {
    const int failures = fail_each_allocation([](Failing& failing) {
        PyObject* list = PyList_New(0);
        for (const long value : {5, 3, 9, 1}) {
            PyObject* item = PyLong_FromLong(value);
            PyList_Append(list, item);
            Py_DECREF(item);
        }
        const int result = failing([&] { return PyList_Sort(list); });
        if (result < 0) {
            EXPECT_EQ(take_raised(), "MemoryError: ");
            EXPECT_EQ(repr_of(Py_NewRef(list)), "[5, 3, 9, 1]");
        } else {
            EXPECT_EQ(repr_of(Py_NewRef(list)), "[1, 3, 5, 9]");
        }
        Py_DECREF(list);
    });
    EXPECT_GE(failures, 2);
}

EVERY_WAY_OF_COUNTING(Sorting);

}  // namespace
}  // namespace ouro::test
