// Threads of a test that attach to the runtime and detach from it, and wait as the one or the other.
#pragma once

#include <gtest/gtest.h>

#include "concurrency/thread/sync.hpp"
#include "core/include/ouroboros.h"

namespace ouro::test {

// The calling thread is attached while one lives, with a state of its own. It may leave no exception.
class Attached {
public:
    Attached() : state_(PyThreadState_New(PyInterpreterState_Main())) {
        PyEval_RestoreThread(state_);
    }
    ~Attached() {
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        PyThreadState_Clear(state_);
        PyThreadState_DeleteCurrent();
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

private:
    PyThreadState* const state_;
};

// The calling thread is detached while one lives.
class Detached {
public:
    Detached() : state_(PyEval_SaveThread()) {}
    ~Detached() { PyEval_RestoreThread(state_); }
    Detached(const Detached&) = delete;
    Detached& operator=(const Detached&) = delete;

private:
    PyThreadState* const state_;
};

// Waits for it without a safepoint: a detached thread, or one that is meant to hold others up.
template <class Condition>
void wait_until(const Condition& condition) {
    while (!condition()) {
        thread::SystemSync::yield();
    }
}

// One safepoint of a running thread.
inline void safepoint() {
    EXPECT_EQ(Py_MakePendingCalls(), 0);
}

// Waits for it as a running thread does: with safepoints.
template <class Condition>
void run_until(const Condition& condition) {
    while (!condition()) {
        safepoint();
        thread::SystemSync::yield();
    }
}

}  // namespace ouro::test
