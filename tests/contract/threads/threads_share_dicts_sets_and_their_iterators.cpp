// Threads that iterate over a dict and a set, copy, merge and combine them while others put items in and take them
// out find living items alone, and no reference is lost or counted twice.
// label: concurrency

#include "tests/contract/threads.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class SharedTables : public Threads {
protected:
    using Operator = PyObject* (*)(PyObject*, PyObject*);
    static constexpr int kItems = 40;

    static PyObject* call(PyObject* op, const char* name, PyObject* argument = nullptr) {
        PyObject* method = PyObject_GetAttrString(op, name);
        PyObject* result = argument == nullptr ? PyObject_CallNoArgs(method)
                                               : PyObject_CallOneArg(method, argument);
        Py_DECREF(method);
        return result;
    }
    // Drops what a call gave; what it raised, about a change meanwhile, is forgotten.
    static void drop_result(PyObject* result) {
        if (result == nullptr) {
            EXPECT_FALSE(PyErr_ExceptionMatches(PyExc_SystemError));
            PyErr_Clear();
        }
        Py_XDECREF(result);
    }
    // Each item that an iterator gives until it ends or is told of a change.
    static void take_all(PyObject* iterator) {
        while (PyObject* op = PyIter_Next(iterator)) {
            ASSERT_TRUE(PyTuple_Check(op) ? is_whole(PyTuple_GetItem(op, 1)) : is_whole(op));
            Py_DECREF(op);
        }
        if (PyErr_Occurred() != nullptr) {
            EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_RuntimeError));
            PyErr_Clear();
        }
    }
};

TEST_P(SharedTables, ADictAndItsIterators) {
    const int rounds = scaled(300);
    Fate fate;
    PyObject* dict = PyDict_New();
    for (int i = 0; i < kItems; ++i) {
        PyObject* key = PyLong_FromLong(1000 + i);
        PyObject* op = new_thing(&fate);
        PyDict_SetItem(dict, key, op);
        Py_DECREF(op);
        Py_DECREF(key);
    }
    PyObject* items = call(dict, "items");
    PyObject* values = call(dict, "values");
    PyObject* shared = PyObject_GetIter(values);
    {
        Crew crew;
        for (PyObject* view : {items, values}) {
            crew.add([=] {  // iterators of their own, and one for all
                for (int i = 0; i < rounds; ++i) {
                    PyObject* own =
                        i % 2 == 0 ? PyObject_GetIter(view) : call(view, "__reversed__");
                    take_all(own);
                    Py_DECREF(own);
                    drop_result(PyIter_Next(shared));
                }
            });
        }
        crew.add([=] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* copy = PyDict_Copy(dict);
                EXPECT_EQ(PyDict_Update(dict, copy), 0);
                drop_result(PyObject_RichCompare(dict, copy, Py_EQ));
                drop_result(PyObject_Repr(items));
                Py_DECREF(copy);
            }
        });
        crew.add([=, &fate] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* key = PyLong_FromLong(5000 + i);
                PyObject* op = new_thing(&fate);
                PyDict_SetItem(dict, key, op);
                Py_DECREF(op);
                drop_result(i % 2 == 0 ? call(dict, "popitem") : call(dict, "pop", key));
                Py_DECREF(key);
            }
        });
    }
    take_all(shared);
    for (PyObject* op : {shared, items, values, dict}) {
        Py_DECREF(op);
    }
    EXPECT_EQ(fate.died, kItems + rounds);
}

TEST_P(SharedTables, ASetAndItsIterators) {
    const int rounds = scaled(300);
    Fate fate;
    PyObject* set = PySet_New(nullptr);
    for (int i = 0; i < kItems; ++i) {
        PyObject* op = new_thing(&fate);
        PySet_Add(set, op);
        Py_DECREF(op);
    }
    PyObject* shared = PyObject_GetIter(set);
    {
        Crew crew;
        crew.add([=] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* own = PyObject_GetIter(set);
                take_all(own);
                Py_DECREF(own);
                drop_result(PyIter_Next(shared));
            }
        });
        crew.add([=] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* copy = PyFrozenSet_New(set);
                for (Operator operation : {PyNumber_And, PyNumber_Or, PyNumber_Xor,
                                           PyNumber_Subtract, PyNumber_InPlaceOr}) {
                    drop_result(operation(set, copy));
                }
                drop_result(PyObject_RichCompare(copy, set, Py_LE));
                drop_result(PyIter_Next(shared));
                Py_DECREF(copy);
            }
        });
        crew.add([=, &fate] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* op = new_thing(&fate);
                PySet_Add(set, op);
                drop_result(i % 2 == 0 ? call(set, "pop") : call(set, "discard", op));
                Py_DECREF(op);
            }
        });
    }
    Py_DECREF(shared);
    Py_DECREF(set);
    EXPECT_EQ(fate.died, kItems + rounds);
}

EVERY_RUNTIME(SharedTables);

}  // namespace
}  // namespace ouro::test
