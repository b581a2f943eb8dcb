// PyThread_type_lock: taken if free, waited for, or waited for so long; started threads are strangers
// until they attach. Source: CPython's pythread.h.
// label: concurrency

#include <limits>

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using OldLocks = Threads;

TEST_P(OldLocks, WithoutWaiting) {
    PyThread_type_lock lock = PyThread_allocate_lock();
    EXPECT_EQ(PyThread_acquire_lock(lock, NOWAIT_LOCK), 1);
    EXPECT_EQ(PyThread_acquire_lock(lock, NOWAIT_LOCK), 0);
    EXPECT_EQ(PyThread_acquire_lock_timed(lock, 0, 0), PY_LOCK_FAILURE);
    PyThread_release_lock(lock);
    EXPECT_EQ(PyThread_acquire_lock_timed(lock, 0, 0), PY_LOCK_ACQUIRED);
    PyThread_release_lock(lock);
    PyThread_free_lock(lock);
}

TEST_P(OldLocks, AWaitEndsInTime) {
    PyThread_type_lock lock = PyThread_allocate_lock();
    EXPECT_EQ(PyThread_acquire_lock(lock, WAIT_LOCK), 1);
    const int64_t before = milliseconds();
    EXPECT_EQ(PyThread_acquire_lock_timed(lock, 50'000, 0), PY_LOCK_FAILURE);
    EXPECT_GE(milliseconds() - before, 49);
    EXPECT_LT(milliseconds() - before, 5000);
    EXPECT_EQ(PyGILState_Check(), 1);
    PyThread_release_lock(lock);
    PyThread_free_lock(lock);
}

// Attached waiters are detached meanwhile: the thread that will release it can run, under gil too.
TEST_P(OldLocks, AWaiterGetsItWhenItIsReleased) {
    for (const PY_TIMEOUT_T timeout : {-1LL, 60'000'000LL, std::numeric_limits<long long>::max()}) {
        PyThread_type_lock lock = PyThread_allocate_lock();
        EXPECT_EQ(PyThread_acquire_lock(lock, WAIT_LOCK), 1);
        std::atomic<bool> released{false};
        std::thread other([&] {
            const Attached here;
            sleep_ms(20);
            released = true;
            PyThread_release_lock(lock);
        });
        EXPECT_EQ(PyThread_acquire_lock_timed(lock, timeout, 0), PY_LOCK_ACQUIRED);
        EXPECT_TRUE(released);
        EXPECT_EQ(PyGILState_Check(), 1);
        const Detached outside;
        other.join();
        PyThread_release_lock(lock);
        PyThread_free_lock(lock);
    }
}

struct Started {
    std::atomic<unsigned long> ident{0};
    std::atomic<int> attached{-1};
    PyThread_type_lock done = PyThread_allocate_lock();
};

void start(void* arg) {
    auto* started = static_cast<Started*>(arg);
    started->ident = PyThread_get_thread_ident();
    const bool before = PyGILState_Check() != 0 || PyGILState_GetThisThreadState() != nullptr;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(new_thing(kUncounted));
    PyGILState_Release(state);
    started->attached = before;
    PyThread_release_lock(started->done);
}

TEST_P(OldLocks, AStartedThreadIsAStranger) {
    Started started;
    PyThread_acquire_lock(started.done, WAIT_LOCK);
    const unsigned long ident = PyThread_start_new_thread(start, &started);
    ASSERT_NE(ident, PYTHREAD_INVALID_THREAD_ID);
    PyThread_acquire_lock(started.done, WAIT_LOCK);
    EXPECT_EQ(started.ident, ident);
    EXPECT_NE(ident, PyThread_get_thread_ident());
    EXPECT_EQ(started.attached, 0);
    PyThread_release_lock(started.done);
    PyThread_free_lock(started.done);
}

EVERY_RUNTIME(OldLocks);

}  // namespace
}  // namespace ouro::test
