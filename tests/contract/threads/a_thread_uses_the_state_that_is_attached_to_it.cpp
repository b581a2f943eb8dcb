// A thread state is attached to one thread at a time and carries its exception with it; attaching
// keeps errno. Source: "Thread State and the Global Interpreter Lock".
// label: concurrency

#include <cerrno>
#include <set>

#include "core/mutator/state.hpp"
#include "core/mutator/world.hpp"
#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using States = Threads;

void end(PyThreadState* state) {
    PyThreadState_Clear(state);
    PyThreadState_Delete(state);
}

TEST_P(States, ANewStateIsAttachedToNobody) {
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = new_state();
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(PyThreadState_Get(), mine);
    EXPECT_EQ(PyThreadState_GetInterpreter(other), PyInterpreterState_Main());
    EXPECT_EQ(PyInterpreterState_Get(), PyInterpreterState_Main());
    end(other);
    EXPECT_EQ(PyThreadState_Get(), mine);
}

TEST_P(States, SwapReplacesTheAttachedOne) {
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = new_state();
    EXPECT_EQ(PyThreadState_Swap(mine), mine);
    EXPECT_EQ(PyThreadState_Swap(other), mine);
    EXPECT_EQ(PyThreadState_Get(), other);
    EXPECT_EQ(PyThreadState_Swap(nullptr), other);
    EXPECT_EQ(PyThreadState_GetUnchecked(), nullptr);
    EXPECT_EQ(PyGILState_Check(), 0);
    EXPECT_EQ(PyThreadState_Swap(mine), nullptr);
    EXPECT_EQ(PyThreadState_Get(), mine);
    EXPECT_EQ(PyGILState_Check(), 1);
    end(other);
}

TEST_P(States, NoNumberIsUsedTwice) {
    std::set<uint64_t> seen{PyThreadState_GetID(PyThreadState_Get())};
    for (int i = 0; i < 1000; ++i) {
        PyThreadState* state = new_state();
        EXPECT_TRUE(seen.insert(PyThreadState_GetID(state)).second);
        end(state);
    }
}

TEST_P(States, AnExceptionStaysWithItsState) {
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = new_state();
    PyErr_SetString(PyExc_KeyError, "mine");
    PyThreadState_Swap(other);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    PyErr_SetString(PyExc_ValueError, "the other's");
    PyThreadState_Swap(mine);
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError);
    Py_BEGIN_ALLOW_THREADS
    std::thread([other] {
        PyEval_RestoreThread(other);
        EXPECT_EQ(PyErr_Occurred(), PyExc_ValueError);
        PyErr_Clear();
        PyEval_SaveThread();
    }).join();
    Py_END_ALLOW_THREADS
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError);
    PyErr_Clear();
    end(other);
}

TEST_P(States, ClearingDropsTheException) {
    Fate fate;
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = new_state();
    const auto raise = [&fate] {
        PyObject* value = new_thing(&fate);
        PyErr_SetObject(PyExc_ValueError, value);
        Py_DECREF(value);
    };
    PyThreadState_Swap(other);
    raise();
    PyThreadState_Swap(mine);
    EXPECT_EQ(fate.died, 0);
    PyThreadState_Clear(other);
    EXPECT_EQ(fate.died, 1);
    PyThreadState_Swap(other);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    raise();
    PyThreadState_Clear(other);
    EXPECT_EQ(fate.died, 2);
    EXPECT_EQ(PyThreadState_Get(), other) << "clearing detaches nobody";
    PyThreadState_DeleteCurrent();
    EXPECT_EQ(PyThreadState_GetUnchecked(), nullptr);
    PyEval_AcquireThread(mine);
}

// What destructors keep for the thread meanwhile is dropped, too: when the state is cleared, and what others left to the
// thread, when it goes.
TEST_P(States, ClearingDropsWhatDestructorsKeep) {
    const auto keep_another = [](int more) {
        record.on_dealloc = [left = std::make_shared<int>(more)](Thing*) {
            if ((*left)-- > 0) {
                PyObject* thing = new_thing(kUncounted);
                EXPECT_EQ(PyDict_SetItem(PyThreadState_GetDict(), Py_None, thing), 0);
                Py_DECREF(thing);
            }
        };
    };
    std::atomic<PyObject*> made{nullptr};
    std::atomic<bool> is_clear{false}, goes{false};
    std::thread thread([&] {
        PyGILState_Ensure();
        made = new_thing(kUncounted);
        PyObject* thing = new_thing(kUncounted);
        EXPECT_EQ(PyDict_SetItem(PyThreadState_GetDict(), Py_None, thing), 0);
        Py_DECREF(thing);
        keep_another(3);
        PyThreadState_Clear(PyThreadState_Get());
        EXPECT_EQ(record.live.load(), 1) << "what was made for others";
        is_clear = true;
        if (mutator::is_free_threaded()) {
            wait_until([&] { return goes.load(); });
        }
        PyThreadState_DeleteCurrent();
    });
    {
        const Detached outside;
        wait_until([&] { return is_clear.load(); });
    }
    keep_another(2);
    Py_DECREF(made.load());  // under biased it waits for its owner
    PyObject* mine = PyThreadState_GetDict();
    PyDict_Clear(mine);
    goes = true;
    {
        const Detached outside;
        thread.join();
    }
    PyGC_Collect();
    PyDict_Clear(mine);
    record.on_dealloc = nullptr;
    EXPECT_EQ(record.live.load(), 0);
    PyThreadState_Clear(PyThreadState_Get());
}

TEST_P(States, AllowThreadsDetachesAndBlocksInBetween) {
    PyThreadState* mine = PyThreadState_Get();
    Py_BEGIN_ALLOW_THREADS
    EXPECT_EQ(PyGILState_Check(), 0);
    Py_BLOCK_THREADS EXPECT_EQ(PyThreadState_Get(), mine);
    Py_UNBLOCK_THREADS EXPECT_EQ(PyGILState_Check(), 0);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(PyThreadState_Get(), mine);
    PyEval_ReleaseThread(mine);
    EXPECT_EQ(PyGILState_Check(), 0);
    PyEval_AcquireThread(mine);
    EXPECT_EQ(PyThreadState_Get(), mine);
}

// The others keep the lock, or stop the world, so that attaching has to wait.
TEST_P(States, AttachingKeepsErrno) {
    std::atomic<bool> done{false};
    Crew crew;
    crew.add([&] { run_until([&] { return PyGC_Collect() == 0 && done.load(); }); });
    for (int i = 0; i < 50; ++i) {
        PyThreadState* state = PyEval_SaveThread();
        sleep_ms(1);  // until the other has the lock
        errno = EDOM;
        PyEval_RestoreThread(state);
        EXPECT_EQ(errno, EDOM) << "attaching " << i;
    }
    done = true;
}

// One that is freed by another thread is no more the thread's own.
TEST_P(States, AStateFreedElsewhereIsForgotten) {
    PyThreadState* lent = new_state();
    const uint64_t number = PyThreadState_GetID(lent);
    std::atomic<int> stage{0};
    std::thread borrower([&] {
        PyEval_RestoreThread(lent);
        EXPECT_EQ(PyGILState_GetThisThreadState(), lent);
        PyEval_SaveThread();
        stage = 1;
        wait_until([&] { return stage == 2; });
        EXPECT_EQ(PyGILState_GetThisThreadState(), nullptr);
        const PyGILState_STATE before = PyGILState_Ensure();
        EXPECT_EQ(before, PyGILState_UNLOCKED);
        EXPECT_GT(PyThreadState_GetID(PyThreadState_Get()), number) << "a state of its own";
        PyGILState_Release(before);
    });
    {
        const Detached outside;
        wait_until([&] { return stage == 1; });
    }
    end(lent);
    {
        const Detached outside;
        stage = 2;
        borrower.join();
    }
}

EVERY_RUNTIME(States);

}  // namespace
}  // namespace ouro::test
