// Threads that read, iterate, slice, sort and change one list at once find living items alone, and no reference
// is lost or counted twice.
// label: concurrency

#include "tests/contract/threads.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class SharedList : public Threads {
protected:
    static constexpr int kItems = 40;

    static PyObject* list_of_cells(Fate* fate) {
        PyObject* list = PyList_New(0);
        for (int i = 0; i < kItems; ++i) {
            PyObject* op = new_thing(fate);
            PyList_Append(list, op);
            Py_DECREF(op);
        }
        return list;
    }
    static void call(PyObject* op, const char* name) {
        PyObject* method = PyObject_GetAttrString(op, name);
        PyObject* result = PyObject_CallNoArgs(method);
        PyErr_Clear();  // pop from an empty list
        Py_XDECREF(result);
        Py_DECREF(method);
    }
    static void expect_whole(PyObject* sequence) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
            PyObject* op = PySequence_Fast_GET_ITEM(sequence, i);
            ASSERT_TRUE(op != nullptr && is_whole(op));
        }
    }
};

TEST_P(SharedList, AListAndItsIterators) {
    const int rounds = scaled(300);
    Fate fate;
    PyObject* list = list_of_cells(&fate);
    PyObject* iterator = PyObject_GetIter(list);
    PyObject* step = PyLong_FromLong(-2);
    PyObject* slice = PySlice_New(nullptr, nullptr, step);
    {
        Crew crew;
        crew.add([=] {  // iterators of their own, and one for all
            for (int i = 0; i < rounds; ++i) {
                PyObject* own = PyObject_GetIter(list);
                while (PyObject* op = PyIter_Next(own)) {
                    ASSERT_TRUE(is_whole(op));
                    Py_DECREF(op);
                }
                Py_DECREF(own);
                Py_XDECREF(PyIter_Next(iterator));
            }
        });
        crew.add([=] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* part = PyObject_GetItem(list, slice);
                expect_whole(part);
                PyObject* all = PySequence_Tuple(list);
                expect_whole(all);
                Py_DECREF(part);
                Py_DECREF(all);
                Py_XDECREF(PyIter_Next(iterator));
            }
        });
        crew.add([=, &fate] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* op = new_thing(&fate);
                PyList_Append(list, op);
                PyList_Insert(list, 0, op);
                Py_DECREF(op);
                call(list, "pop");
                call(list, "pop");
                EXPECT_EQ(PySequence_Contains(list, Py_None), 0);
            }
        });
        crew.add([=] {
            for (int i = 0; i < rounds; ++i) {
                call(list, "reverse");
                PyObject* part = PyObject_GetItem(list, slice);
                if (PyObject_SetItem(list, slice, part) < 0) {
                    PyErr_Clear();  // another length by now
                }
                Py_DECREF(part);
            }
        });
    }
    expect_whole(list);
    EXPECT_EQ(PyList_Size(list), kItems);
    for (PyObject* op : {slice, step, iterator, list}) {
        Py_DECREF(op);
    }
    EXPECT_EQ(fate.died, kItems + rounds);
}

// Who looks while a list is sorted finds it empty, or as it was, or as it is then.
TEST_P(SharedList, AListThatIsSorted) {
    const int rounds = scaled(300);
    constexpr long kNumbers = 60;
    PyObject* list = PyList_New(0);
    for (long i = 0; i < kNumbers; ++i) {
        PyObject* number = PyLong_FromLong(100000 + i * 37 % kNumbers);
        PyList_Append(list, number);
        Py_DECREF(number);
    }
    {
        Crew crew;
        for (int thread = 0; thread < 2; ++thread) {
            crew.add([=] {
                for (int i = 0; i < rounds; ++i) {
                    EXPECT_EQ(PyList_Sort(list), 0);
                    PyList_Reverse(list);
                }
            });
        }
        crew.add([=] {
            for (int i = 0; i < rounds * 10; ++i) {
                PyObject* number = PyList_GetItemRef(list, i % kNumbers);
                if (number == nullptr) {
                    EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_IndexError));
                    PyErr_Clear();
                    continue;
                }
                ASSERT_TRUE(PyLong_CheckExact(number)) << "what stands in for the items is no item";
                ASSERT_GE(PyLong_AsLong(number), 100000);
                Py_DECREF(number);
            }
        });
    }
    EXPECT_EQ(PyList_Size(list), kNumbers);
    Py_DECREF(list);
}

EVERY_RUNTIME(SharedList);

}  // namespace
}  // namespace ouro::test
