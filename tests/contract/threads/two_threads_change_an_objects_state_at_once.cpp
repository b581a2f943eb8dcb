// label: concurrency
// Whether an object is tracked and whether it was finalized is in one byte. Two threads that have
// references may change the one and the other at once; neither change is lost, and a finalizer runs once.

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

std::atomic<size_t> finalized{0};

PyTypeObject FinalizedType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "Finalized",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc =
        [](PyObject* op) {
            PyObject_GC_UnTrack(op);
            Py_TYPE(op)->tp_free(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = [](PyObject*, visitproc, void*) { return 0; },
    .tp_finalize = [](PyObject*) { ++finalized; },
};

class State : public testing::TestWithParam<const char*> {};

TEST_P(State, LosesNoChange) {
    ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
    Py_Initialize();
    ASSERT_EQ(PyType_Ready(&FinalizedType), 0);
    finalized = 0;
    const size_t size = scaled(100'000, 1000);
    std::vector<PyObject*> objects;
    for (size_t i = 0; i < size; ++i) {
        objects.push_back(_PyObject_GC_New(&FinalizedType));
        Py_INCREF(objects.back());  // a reference for each thread
        PyObject_GC_Track(objects.back());
    }
    std::atomic<size_t> at[2] = {0, 0};
    const int most = Ouro_Setting("refcount") == std::string("gil") ? 0 : 1000;
    const auto each = [&](int me, auto change) {
        const PyGILState_STATE state = PyGILState_Ensure();
        for (size_t i = 0; i < size; ++i) {
            at[me].store(i);
            for (int k = 0; k < most && at[1 - me].load() < i; ++k) {  // in step, if both run
            }
            change(objects[i]);
        }
        at[me].store(size);
        PyGILState_Release(state);
    };
    Py_BEGIN_ALLOW_THREADS
    std::thread a(each, 0, [](PyObject* op) { PyObject_CallFinalizer(op); });
    std::thread b(each, 1, [](PyObject* op) {
        PyObject_GC_UnTrack(op);
        PyObject_CallFinalizer(op);
    });
    a.join();
    b.join();
    Py_END_ALLOW_THREADS
    EXPECT_EQ(finalized, size) << "a finalizer runs once";
    size_t tracked = 0;
    for (PyObject* op : objects) {
        tracked += static_cast<size_t>(PyObject_GC_IsTracked(op));
        EXPECT_TRUE(PyObject_GC_IsFinalized(op));
        Py_DECREF(op);
        Py_DECREF(op);
    }
    EXPECT_EQ(tracked, 0u);
    Py_FinalizeEx();
}

INSTANTIATE_TEST_SUITE_P(Counts, State, every_runtime(), runtime_name);

}  // namespace
}  // namespace ouro::test
