// PyGILState_Ensure works whether the thread is attached, detached or has no state; the last release
// leaves it as it was. Source: "PyGILState_Ensure" in the C API documentation.
// label: concurrency

#include "tests/contract/threads.hpp"

#pragma GCC diagnostic ignored "-Wshadow"  // the macros nest, as in any C code

namespace ouro::test {
namespace {

using Ensuring = Threads;

// Attached before is attached after; what is returned tells which.
TEST_P(Ensuring, OnTheMainThread) {
    PyThreadState* mine = PyThreadState_Get();
    EXPECT_EQ(PyGILState_GetThisThreadState(), mine);
    const PyGILState_STATE outer = PyGILState_Ensure();
    EXPECT_EQ(outer, PyGILState_LOCKED);
    EXPECT_EQ(PyThreadState_Get(), mine);
    PyGILState_Release(outer);
    EXPECT_EQ(PyThreadState_Get(), mine);
    Py_BEGIN_ALLOW_THREADS
    const PyGILState_STATE first = PyGILState_Ensure();
    EXPECT_EQ(first, PyGILState_UNLOCKED);
    EXPECT_EQ(PyThreadState_Get(), mine);
    const PyGILState_STATE second = PyGILState_Ensure();
    EXPECT_EQ(second, PyGILState_LOCKED);
    PyGILState_Release(second);
    EXPECT_EQ(PyGILState_Check(), 1);
    PyGILState_Release(first);
    EXPECT_EQ(PyGILState_Check(), 0);
    Py_END_ALLOW_THREADS
}

TEST_P(Ensuring, OnAFreshThread) {
    Fate fate;
    Py_BEGIN_ALLOW_THREADS
    std::thread([&fate] {
        EXPECT_EQ(PyGILState_GetThisThreadState(), nullptr);
        uint64_t last = 0;
        for (int i = 0; i < 3; ++i) {
            const PyGILState_STATE outer = PyGILState_Ensure();
            EXPECT_EQ(outer, PyGILState_UNLOCKED);
            PyThreadState* state = PyThreadState_Get();
            EXPECT_EQ(PyGILState_GetThisThreadState(), state);
            EXPECT_GT(PyThreadState_GetID(state), last) << "the last release freed the last one";
            last = PyThreadState_GetID(state);
            Py_BEGIN_ALLOW_THREADS
            const PyGILState_STATE inner = PyGILState_Ensure();
            EXPECT_EQ(inner, PyGILState_UNLOCKED);
            EXPECT_EQ(PyThreadState_Get(), state) << "nested calls use one state";
            PyGILState_Release(inner);
            EXPECT_EQ(PyGILState_Check(), 0);
            EXPECT_EQ(PyGILState_GetThisThreadState(), state);
            Py_END_ALLOW_THREADS
            PyObject* value = new_thing(&fate);
            PyErr_SetObject(PyExc_ValueError, value);
            Py_DECREF(value);
            PyGILState_Release(outer);
            EXPECT_EQ(PyGILState_Check(), 0);
            EXPECT_EQ(PyGILState_GetThisThreadState(), nullptr);
            EXPECT_EQ(fate.died, i + 1) << "the freed state's exception went with it";
        }
    }).join();
    Py_END_ALLOW_THREADS
}

// A thread whose first state was made by New keeps it.
TEST_P(Ensuring, WithAStateOfItsOwn) {
    on_another_thread([] {
        PyThreadState* own = PyThreadState_Get();
        PyEval_SaveThread();
        const PyGILState_STATE before = PyGILState_Ensure();
        EXPECT_EQ(PyThreadState_Get(), own);
        PyGILState_Release(before);
        EXPECT_EQ(PyGILState_Check(), 0);
        PyEval_RestoreThread(own);
    });
}

// A thread that is attached with another state than its first stays so.
TEST_P(Ensuring, AcrossASwap) {
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = PyThreadState_New(PyInterpreterState_Main());
    PyThreadState_Swap(other);
    const PyGILState_STATE before = PyGILState_Ensure();
    EXPECT_EQ(before, PyGILState_LOCKED);
    EXPECT_EQ(PyThreadState_Get(), other);
    PyGILState_Release(before);
    EXPECT_EQ(PyThreadState_Get(), other);
    PyThreadState_Swap(nullptr);
    const PyGILState_STATE detached = PyGILState_Ensure();
    EXPECT_EQ(detached, PyGILState_UNLOCKED);
    EXPECT_EQ(PyThreadState_Get(), mine) << "the first that was attached";
    PyGILState_Release(detached);
    PyThreadState_Swap(mine);
    PyThreadState_Clear(other);
    PyThreadState_Delete(other);
}

EVERY_RUNTIME(Ensuring);

}  // namespace
}  // namespace ouro::test
