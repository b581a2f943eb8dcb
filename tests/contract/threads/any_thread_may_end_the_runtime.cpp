// Py_FinalizeEx ends the runtime on whichever attached thread calls it, not only on the one that began it. Another
// thread never comes back from a wait once that has begun; what it had raised is dropped, and nothing else of it.
// label: concurrency
// a process for each case

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/contract/flight.hpp"
#include "tests/support/processes.hpp"

namespace ouro::test {
namespace {

class Ending : public testing::TestWithParam<const char*> {
protected:
    void start() {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&ThingType), 0);
        ASSERT_EQ(PyType_Ready(&FinalThingType), 0);
    }
};

TEST_P(Ending, OnAnotherThreadThanItBegan) {
    for (int round = 0; round < 20; ++round) {
        start();
        Fate fate;
        PyObject* raised = new_thing(&fate);
        PyErr_SetObject(PyExc_ValueError, raised);
        Py_DECREF(raised);
        PyThreadState* first = PyEval_SaveThread();
        EXPECT_EQ(PyGILState_GetThisThreadState(), first);
        std::thread([] {
            PyGILState_Ensure();
            Py_DECREF(thing_ring(3, kUncounted));
            EXPECT_EQ(Py_FinalizeEx(), 0);
            EXPECT_EQ(PyThreadState_GetUnchecked(), nullptr);
        }).join();
        EXPECT_EQ(Py_IsInitialized(), 0);
        EXPECT_EQ(PyGILState_GetThisThreadState(), nullptr);
        EXPECT_EQ(record.live.load(), 0);
        EXPECT_EQ(fate.died.load(), 1) << "what the first thread had raised";
    }
}

// What the thread itself handles is dropped while there is a runtime: its destructors may use it, and its cycles are
// collected.
TEST_P(Ending, DropsWhatItsThreadHandles) {
    start();
    Fate fate;
    PyObject* ring = thing_ring(3, &fate, &FinalThingType);
    PyObject* alone = new_thing(&fate);
    PyObject* error = PyObject_CallFunctionObjArgs(PyExc_ValueError, ring, alone, nullptr);
    Py_DECREF(ring);
    Py_DECREF(alone);
    record.on_dealloc = [](Thing*) { PyGILState_Release(PyGILState_Ensure()); };
    PyErr_SetHandledException(error);
    Py_DECREF(error);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(fate.finalized.load(), 3);
    EXPECT_EQ(fate.died.load(), 4);
    record.on_dealloc = nullptr;
}

// By what a process prints: the threads that never come back stay in it.
template <class Wait>
int exit_status_when_one_waits(const char* runtime, const Wait& wait) {
    return in_a_process([&] {
        if (Ouro_Configure(settings_for(runtime, "verify=off").c_str(), nullptr) != 0) {
            return 2;
        }
        Py_Initialize();
        std::atomic<bool> waits{false};
        std::thread([&] {
            const PyGILState_STATE before = PyGILState_Ensure();
            Py_BEGIN_ALLOW_THREADS
            waits = true;
            while (Py_IsInitialized() != 0) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            wait(_save);
            _exit(3);
            Py_END_ALLOW_THREADS
            PyGILState_Release(before);
        }).detach();
        {
            const Detached outside;
            wait_until([&] { return waits.load(); });
        }
        if (Py_FinalizeEx() != 0) {
            return 4;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return 0;
    });
}

TEST_P(Ending, IsForEverForWhoComesBackAfterIt) {
    const int status = exit_status_when_one_waits(
        GetParam(), [](PyThreadState* state) { PyEval_RestoreThread(state); });
    EXPECT_EQ(status, 0) << told(status);
}

// A lock that is handed to a thread which will never come back is free for the one that ends the runtime.
TEST_P(Ending, TakesLocksFromWhoNeverComesBack) {
    const int status = in_a_process([&] {
        start();
        PyMutex mutex{};
        PyMutex_Lock(&mutex);
        std::atomic<int> waiting{0};
        for (int i = 0; i < 3; ++i) {
            std::thread([&] {
                PyGILState_Ensure();
                ++waiting;
                PyMutex_Lock(&mutex);
                for (;;) {
                    safepoint();
                    PyMutex_Unlock(&mutex);
                    PyMutex_Lock(&mutex);
                }
            }).detach();
        }
        {
            const Detached outside;
            wait_until([&] { return waiting == 3; });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        static PyMutex* shared;
        shared = &mutex;
        record.on_finalize = [](Thing*) {
            if (Py_IsFinalizing() != 0) {
                PyMutex_Unlock(shared);
                PyMutex_Lock(shared);  // after those that have waited for longer
            }
        };
        static Fate fate;
        Py_DECREF(thing_ring(1, &fate, &FinalThingType));
        return Py_FinalizeEx() == 0 && fate.finalized == 1 ? 0 : 5;
    });
    EXPECT_EQ(status, 0) << told(status);
}

TEST_P(Ending, IsRefusedInsideACollection) {
    start();
    record.on_finalize = [](Thing*) { Py_FinalizeEx(); };
    Fate fate;
    EXPECT_DEATH(
        {
            Py_DECREF(thing_ring(1, &fate, &FinalThingType));
            PyGC_Collect();
        },
        "Py_FinalizeEx: thread [0-9]+: it may not be called inside a collection");
    record.on_finalize = nullptr;
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(Py_FinalizeEx(), 0) << "it is not initialised any more";
}

EVERY_ENGINE(Ending);

}  // namespace
}  // namespace ouro::test
