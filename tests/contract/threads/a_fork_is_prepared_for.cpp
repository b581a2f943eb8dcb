// PyOS_BeforeFork, PyOS_AfterFork_Parent and PyOS_AfterFork_Child around a fork, or handlers of pthread_atfork where a
// program does not call them: the child goes on with one thread, the main one, and the parent with all.
// label: concurrency
// a process for each case

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "tests/contract/flight.hpp"
#include "tests/support/processes.hpp"

namespace ouro::test {
namespace {

class Prepared : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&ThingType), 0);
    }
    void TearDown() override { Py_FinalizeEx(); }

    // Of a child of the calling thread's, which is attached.
    template <class Work>
    static int fork_announced(const Work& work) {
        PyOS_BeforeFork();
        const pid_t pid = fork();
        if (pid == 0) {
            PyOS_AfterFork_Child();
            alarm(20);
            _exit(work());
        }
        PyOS_AfterFork_Parent();
        int status = -1;
        EXPECT_EQ(waitpid(pid, &status, 0), pid);
        return status;
    }

    // States that take all heaps which threads have left, so that one more needs memory.
    class ManyStates {
    public:
        ManyStates() {
            Ouro_FailAllocations(0, UINT64_MAX);
            while (PyThreadState* state = PyThreadState_New(PyInterpreterState_Main())) {
                states_.push_back(state);
            }
            Ouro_FailAllocations(0, 0);
        }
        ~ManyStates() {
            for (PyThreadState* state : states_) {
                PyThreadState_Clear(state);
                PyThreadState_Delete(state);
            }
        }
        ManyStates(const ManyStates&) = delete;
        ManyStates& operator=(const ManyStates&) = delete;

    private:
        std::vector<PyThreadState*> states_;
    };

    static int pending_calls_run() {
        static bool ran;
        ran = false;
        if (Py_AddPendingCall([](void*) { return ran = true, 0; }, nullptr) != 0 ||
            Py_MakePendingCalls() != 0) {
            return 2;
        }
        return ran ? 0 : 3;
    }
};

TEST_P(Prepared, ByTheThreeFunctions) {
    EXPECT_EQ(fork_announced(pending_calls_run), 0);
    EXPECT_EQ(pending_calls_run(), 0);
}

TEST_P(Prepared, WithoutThem) {
    EXPECT_EQ(in_a_process(pending_calls_run), 0);
    EXPECT_EQ(pending_calls_run(), 0);
}

TEST_P(Prepared, OnAThreadThatIsTheMainOneInTheChild) {
    const Detached outside;
    std::thread([] {
        const PyGILState_STATE before = PyGILState_Ensure();
        EXPECT_EQ(fork_announced(pending_calls_run), 0);
        EXPECT_EQ(pending_calls_run(), 3) << "here it is not";
        PyGILState_Release(before);
    }).join();
}

// What the child's thread has is what it had: its state, the sections that it is in, what it holds.
TEST_P(Prepared, InsideASection) {
    PyObject* list = PyList_New(0);
    PyCriticalSection section;
    PyCriticalSection_Begin(&section, list);
    PyThreadState* mine = PyThreadState_Get();
    const auto child = [&] {
        if (PyThreadState_Get() != mine || PyList_Append(list, Py_None) != 0) {
            return 2;
        }
        PyCriticalSection_End(&section);
        Py_DECREF(list);
        return Py_FinalizeEx();
    };
    EXPECT_EQ(fork_announced(child), 0);
    EXPECT_EQ(in_a_process(child), 0);
    PyCriticalSection_End(&section);
    EXPECT_EQ(PyList_Size(list), 0);
    Py_DECREF(list);
}

// A reference that waits for a thread which the child does not have is dropped there, without a collection.
TEST_P(Prepared, WithReferencesThatWaitForAnother) {
    PyGC_Disable();
    Fate fate;
    {
        const OwnedElsewhere thing([&fate] { return new_thing(&fate); });
        Py_DECREF(thing.get());
        const int status = in_a_process([&] {
            for (int i = 0; i < 1000 && fate.died.load() == 0; ++i) {
                Py_DECREF(thing_ring(1, kUncounted));
                Py_MakePendingCalls();
            }
            return fate.died.load() == 1 ? 0 : 2;
        });
        EXPECT_EQ(status, 0) << told(status);
    }
    EXPECT_EQ(fate.died.load(), 1);
    PyGC_Enable();
}

// The thread that forks is outside, in a section, and comes back to both in the child.
TEST_P(Prepared, Outside) {
    PyObject* list = PyList_New(0);
    PyCriticalSection section;
    PyCriticalSection_Begin(&section, list);
    PyThreadState* mine = PyEval_SaveThread();
    const int status = in_a_process([&] {
        PyEval_RestoreThread(mine);
        if (PyGILState_GetThisThreadState() != mine || PyList_Append(list, Py_None) != 0) {
            return 2;
        }
        PyCriticalSection_End(&section);
        Py_DECREF(list);
        return Py_FinalizeEx();
    });
    EXPECT_EQ(status, 0) << told(status);
    PyEval_RestoreThread(mine);
    PyCriticalSection_End(&section);
    Py_DECREF(list);
}

// Another thread has begun to end the runtime, and waits for a finalizer, on this one, that forks. In the child it has
// not; in the parent it ends it.
TEST_P(Prepared, WhileAnotherThreadBeginsToEndTheRuntime) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "it ends a child that starts threads";
#endif
    const auto program = [] {
        static std::atomic<int> forked{-1};
        if (PyType_Ready(&FinalThingType) != 0) {
            return 2;
        }
        record.on_finalize = [](Thing*) {
            static std::atomic<bool> first{true};
            if (!first.exchange(false)) {
                return;
            }
            const Detached outside;
            wait_until([] { return Py_IsFinalizing() != 0; });
            const pid_t pid = fork();
            if (pid == 0) {
                alarm(20);
                PyGILState_Ensure();
                PyGC_Collect();
                _exit(Py_IsFinalizing() == 0 ? 0 : 3);
            }
            int child = -1;
            waitpid(pid, &child, 0);
            forked = child;
        };
        std::thread([] {
            PyGILState_Ensure();
            static Fate fate;
            Py_DECREF(thing_ring(1, &fate, &FinalThingType));
            PyGC_Collect();
            for (;;) {
                safepoint();
            }
        }).detach();
        {
            const Detached outside;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        Py_FinalizeEx();
        for (int i = 0; forked < 0 && i < 10'000; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return forked == 0 ? 0 : 4;
    };
    int status = -1;
    // Who ends the runtime waits for a moment only, in which this machine may not have got to the fork.
    for (int attempt = 0; status != 0 && attempt < 5; ++attempt) {
        status = in_a_process(program);
    }
    EXPECT_EQ(status, 0) << told(status);
}

// A thread of the runtime's that was beginning would have left locks held, those of a sanitizer's allocator for one.
TEST_P(Prepared, WhileThreadsOfTheRuntimeBegin) {
    const auto child = [] {
        std::vector<std::unique_ptr<char[]>> all;
        for (size_t size = 1; size < 4096; size += size / 8 + 1) {
            all.push_back(std::make_unique<char[]>(size));
        }
        return pending_calls_run();
    };
    for (int round = 0; round < 10 && !HasFailure(); ++round) {
        Py_FinalizeEx();
        Py_Initialize();
        const int status = in_a_process(child);
        EXPECT_EQ(status, 0) << told(status);
    }
}

// A thread outside is lent a state; where there is no memory for one its own does, also if it was lent one before.
TEST_P(Prepared, WithoutMemory) {
    PyThreadState* mine = PyEval_SaveThread();
    EXPECT_EQ(in_a_process([] { return 0; }), 0);
    // What the other thread has itself is not free either.
    std::latch made(1), done(1);
    std::thread other([&] {
        const PyGILState_STATE state = PyGILState_Ensure();
        {
            const ManyStates many;
            const Detached outside;
            made.count_down();
            done.wait();
        }
        PyGILState_Release(state);
    });
    made.wait();
    Ouro_FailAllocations(0, UINT64_MAX);
    const int status = in_a_process([&] {
        Ouro_FailAllocations(0, 0);
        PyEval_RestoreThread(mine);
        return pending_calls_run();
    });
    EXPECT_GT(Ouro_FailAllocations(0, 0), 0u);
    EXPECT_EQ(status, 0) << told(status);
    PyEval_RestoreThread(mine);
    done.count_down();
    {
        const Detached outside;
        other.join();
    }
    EXPECT_EQ(pending_calls_run(), 0);
}

// One that has none cannot prepare it: what its child may not do ends the child, and does not hang.
TEST_P(Prepared, WithoutMemoryForAThreadThatNeverAttached) {
    const ManyStates many;
    const Detached outside;
    std::thread([] {
        Ouro_FailAllocations(0, UINT64_MAX);
        const int status = in_a_process([] {
            Ouro_FailAllocations(0, 0);
            PyGILState_Ensure();
            return 0;
        });
        Ouro_FailAllocations(0, 0);
        EXPECT_EQ(told(status), told(SIGABRT));
    }).join();
}

TEST_P(Prepared, AfterwardsAloneDoesNothing) {
    PyOS_AfterFork_Parent();
    PyOS_AfterFork_Child();
    EXPECT_EQ(pending_calls_run(), 0);
}

TEST_P(Prepared, ByAnAttachedThreadOnce) {
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            PyOS_BeforeFork();
        },
        "PyOS_BeforeFork: the calling thread must be attached|PyOS_BeforeFork: thread [0-9]+: "
        ".*must be "
        "attached");
    EXPECT_DEATH(
        {
            PyOS_BeforeFork();
            PyOS_BeforeFork();
        },
        "PyOS_BeforeFork: thread [0-9]+: it was called already");
}

EVERY_ENGINE(Prepared);

}  // namespace
}  // namespace ouro::test
