// label: concurrency
// Arrays that other threads may still be reading are freed late, but not without bound: neither where
// a thread fills containers and never comes to a safepoint, nor where threads end one after another and
// each leaves a little.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "core/include/ouroboros.h"
#include "core/mutator/world.hpp"
#include "tests/support/runtimes.hpp"

namespace ouro::test {
namespace {

class Late : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
    }
    void TearDown() override { Py_FinalizeEx(); }
};

TEST_P(Late, WhereAThreadOnlyAppends) {
    PyObject* list = PyList_New(0);
    size_t most = 0;
    for (int i = 0; i < 3'000'000; ++i) {
        ASSERT_EQ(PyList_Append(list, Py_None), 0);
        if (i % 1024 == 0) {
            most = std::max(most, mutator::limbo_bytes());
        }
    }
    Py_DECREF(list);
    EXPECT_LT(most, size_t{64} << 20) << "the list's last array has 24 MiB";
}

TEST_P(Late, WhereAThreadOnlyStores) {
    PyObject* dict = PyDict_New();
    size_t most = 0;
    for (int round = 0; round < 40; ++round) {
        for (long i = 0; i < 20'000; ++i) {
            PyObject* key = PyLong_FromLong(i);
            ASSERT_EQ(PyDict_SetItem(dict, key, Py_None), 0);
            Py_DECREF(key);
        }
        PyDict_Clear(dict);
        most = std::max(most, mutator::limbo_bytes());
    }
    Py_DECREF(dict);
    EXPECT_LT(most, size_t{32} << 20);
}

TEST_P(Late, WhereManyThreadsLeaveALittle) {
    size_t most = 0;
    Py_BEGIN_ALLOW_THREADS
    for (int i = 0; i < 1000; ++i) {
        std::thread([] {
            const PyGILState_STATE state = PyGILState_Ensure();
            PyObject* list = PyList_New(0);
            for (int k = 0; k < 1500; ++k) {
                PyList_Append(list, Py_None);
            }
            Py_DECREF(list);
            PyGILState_Release(state);
        }).join();
        most = std::max(most, mutator::limbo_bytes());
    }
    Py_END_ALLOW_THREADS
    EXPECT_LT(most, size_t{8} << 20) << "each leaves less than 256 KiB";
}

INSTANTIATE_TEST_SUITE_P(Counts, Late, every_runtime(), runtime_name);

}  // namespace
}  // namespace ouro::test
