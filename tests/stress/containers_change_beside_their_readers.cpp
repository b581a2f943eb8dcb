// One thread replaces, inserts, reverses and empties parts of a list and a dict while others take single
// items, slices and copies of them: each item that is taken is one that was stored. When all is dropped
// nothing is left.

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {
namespace {

constexpr long kFirst = 1'000'000;
constexpr long kKeys = 50;

class Shared : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const char* error = nullptr;
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), &error), 0)
            << error;
        Py_Initialize();
        tracked_before_ = tracked_objects();
        list_ = PyList_New(0);
        dict_ = PyDict_New();
    }
    void TearDown() override {
        Py_CLEAR(list_);
        Py_CLEAR(dict_);
        PyGC_Collect();
        EXPECT_EQ(tracked_objects(), tracked_before_);
        Py_Finalize();
    }

    // An item: a tuple of one number (new reference).
    static PyObject* new_item(long value) { return Py_BuildValue("(l)", kFirst + value); }
    // Judges an item and drops it.
    void judge(PyObject* item) {
        const bool good = PyTuple_CheckExact(item) && PyTuple_Size(item) == 1 &&
                          PyLong_AsLong(PyTuple_GetItem(item, 0)) >= kFirst;
        spoiled_ += !good;
        ++judged_;
        Py_DECREF(item);
    }

    void write(unsigned seed, size_t rounds) {
        std::mt19937 random(seed);
        for (size_t round = 0; round < rounds; ++round) {
            safepoint();
            const auto place = static_cast<Py_ssize_t>(random() % 40);
            PyObject* item = new_item(static_cast<long>(round));
            PyObject* several = PyTuple_Pack(3, item, item, item);
            switch (random() % 8) {
                case 0:
                    PyList_SetSlice(list_, place, place + 5, several);
                    break;
                case 1:
                    PyList_SetSlice(list_, place, place + 4, nullptr);
                    break;
                case 2:
                    PyList_Insert(list_, place, item);
                    break;
                case 3:
                    PyList_Extend(list_, several);
                    break;
                case 4:
                    PyList_Reverse(list_);
                    break;
                case 5:
                    if (PyList_Size(list_) > 60 || random() % 20 == 0) {
                        PyList_Clear(list_);
                    }
                    break;
                default:
                    change_dict(random, item);
            }
            Py_DECREF(several);
            Py_DECREF(item);
        }
    }
    void change_dict(std::mt19937& random, PyObject* item) {
        PyObject* key = PyLong_FromLong(static_cast<long>(random() % kKeys));
        PyObject* value = nullptr;
        switch (random() % 4) {
            case 0:
                PyDict_Pop(dict_, key, &value);
                break;
            case 1: {
                PyObject* copy = PyDict_Copy(dict_);
                PyDict_Clear(dict_);
                PyDict_Merge(dict_, copy, 0);
                Py_DECREF(copy);
                break;
            }
            default:
                PyDict_SetDefaultRef(dict_, key, item, &value);
        }
        if (value != nullptr) {
            judge(value);
        }
        Py_DECREF(key);
    }

    void read(unsigned seed) {
        std::mt19937 random(seed);
        while (!done_) {
            safepoint();
            const auto place = static_cast<Py_ssize_t>(random() % 40);
            if (random() % 8 == 0) {
                judge_all(PyList_GetSlice(list_, place, place + 10));
                judge_all(PyDict_Values(dict_));
            }
            if (PyObject* item = PyList_GetItemRef(list_, place)) {
                judge(item);
            } else {
                PyErr_Clear();
            }
            PyObject* key = PyLong_FromLong(static_cast<long>(random() % kKeys));
            PyObject* value;
            if (PyDict_GetItemRef(dict_, key, &value) > 0) {
                judge(value);
            }
            Py_DECREF(key);
        }
    }
    void judge_all(PyObject* list) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
            judge(Py_NewRef(PyList_GET_ITEM(list, i)));
        }
        Py_DECREF(list);
    }

    PyObject *list_ = nullptr, *dict_ = nullptr;
    std::atomic<bool> done_{false};
    std::atomic<long> judged_{0}, spoiled_{0};

private:
    size_t tracked_before_ = 0;
};

TEST_P(Shared, EachItemIsOneThatWasStored) {
    const auto first = static_cast<unsigned>(seed());
    const size_t rounds = scaled(20'000, 1'000);
    std::vector<std::thread> readers;
    {
        const Detached detached;
        for (unsigned i = 1; i <= 2; ++i) {
            readers.emplace_back([this, first, i] {
                const Attached attached;
                read(first + i);
            });
        }
        std::thread writer([this, first, rounds] {
            const Attached attached;
            write(first, rounds);
        });
        writer.join();
        done_ = true;
        for (std::thread& reader : readers) {
            reader.join();
        }
    }
    EXPECT_EQ(spoiled_, 0);
    EXPECT_GT(judged_, 0);
}

INSTANTIATE_TEST_SUITE_P(Counts, Shared, every_runtime(), runtime_name);

}  // namespace
}  // namespace ouro::test
