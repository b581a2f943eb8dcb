// label: concurrency
// What another thread was in the middle of when the runtime ended, or which states others deleted, hinders
// nobody in the next one.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/runtimes.hpp"

namespace ouro::test {
namespace {

std::atomic<bool> in_finalizer{false};
std::atomic<bool> block{true};
// A finalizer forks when the runtime is about to end: 0 in the child.
std::atomic<bool> forks{false};
std::atomic<bool> ends{false};
std::atomic<pid_t> child{-1};

struct Node {
    PyObject ob_base;
    PyObject* next;
};

PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc =
        [](PyObject* op) {
            PyObject_GC_UnTrack(op);
            Py_CLEAR(reinterpret_cast<Node*>(op)->next);
            Py_TYPE(op)->tp_free(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse =
        [](PyObject* op, visitproc visit, void* arg) {
            Py_VISIT(reinterpret_cast<Node*>(op)->next);
            return 0;
        },
    .tp_clear =
        [](PyObject* op) {
            Py_CLEAR(reinterpret_cast<Node*>(op)->next);
            return 0;
        },
    .tp_finalize =
        [](PyObject*) {
            if (!block) {
                return;
            }
            Py_BEGIN_ALLOW_THREADS
            in_finalizer = true;
            while (block && !ends) {
                std::this_thread::yield();
            }
            // Within the time for which the end waits for a finalizer, which is shorter for one that sleeps.
            const auto begun = std::chrono::steady_clock::now();
            while (forks &&
                   std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(5)) {
            }
            Py_END_ALLOW_THREADS  // and waits for ever: the runtime has ended
            if (forks.exchange(false)) {
                child = fork();
            }
        },
};

void drop_cycle() {
    PyObject* op = _PyObject_GC_New(&NodeType);
    reinterpret_cast<Node*>(op)->next = op;
    PyObject_GC_Track(op);
}

class Again : public testing::TestWithParam<const char*> {
protected:
    static void start() {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&NodeType), 0);
    }
};

TEST_P(Again, AfterAnEndInTheMiddleOfACollection) {
    start();
    block = true;
    in_finalizer = false;
    Py_BEGIN_ALLOW_THREADS
    std::thread([] {
        PyGILState_Ensure();
        drop_cycle();
        PyGC_Collect();
    }).detach();
    while (!in_finalizer) {
        std::this_thread::yield();
    }
    Py_END_ALLOW_THREADS
    Py_FinalizeEx();
    block = false;
    start();
    drop_cycle();
    EXPECT_EQ(PyGC_Collect(), 1);
    Py_FinalizeEx();
}

// The end that the parent's other thread had begun is not the child's: it collects as before. A finalizer that gets no
// processor meanwhile may be too late to fork.
TEST_P(Again, InAChildOfAFinalizerBesideTheEnd) {
    child = -1;
    for (int tries = 0; tries < 50 && child.load() <= 0; ++tries) {
        start();
        block = forks = true;
        in_finalizer = ends = false;
        Py_BEGIN_ALLOW_THREADS
        std::thread([] {
            PyGILState_Ensure();
            drop_cycle();
            PyGC_Collect();
            if (child == 0) {
                block = false;
                drop_cycle();
                _exit(PyGC_Collect() == 1 ? 0 : 1);
            }
            PyEval_SaveThread();
        }).detach();
        while (!in_finalizer) {
            std::this_thread::yield();
        }
        Py_END_ALLOW_THREADS
        ends = true;
        Py_FinalizeEx();
        block = false;
    }
    int status = -1;
    ASSERT_GT(child.load(), 0);
    ASSERT_EQ(waitpid(child.load(), &status, 0), child.load());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_P(Again, WithoutAStateThatAnotherThreadDeleted) {
    start();
    PyThreadState* given = PyThreadState_New(PyInterpreterState_Main());
    std::atomic<int> stage{0};
    std::thread user([&] {
        PyEval_RestoreThread(given);
        PyEval_SaveThread();
        EXPECT_EQ(PyGILState_GetThisThreadState(), given);
        stage = 1;
        while (stage != 2) {
            std::this_thread::yield();
        }
        EXPECT_EQ(PyGILState_GetThisThreadState(), nullptr) << "it was deleted";
        const PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF(PyList_New(0));
        PyGILState_Release(state);
    });
    Py_BEGIN_ALLOW_THREADS
    while (stage != 1) {
        std::this_thread::yield();
    }
    Py_END_ALLOW_THREADS
    PyThreadState_Clear(given);
    PyThreadState_Delete(given);
    stage = 2;
    Py_BEGIN_ALLOW_THREADS
    user.join();
    Py_END_ALLOW_THREADS
    Py_FinalizeEx();
}

TEST_P(Again, WithOneGarbageListHoweverManyAskFirst) {
    for (int round = 0; round < 50; ++round) {
        start();
        std::atomic<int> ready{0};
        PyObject* lists[3] = {};
        std::vector<std::thread> threads;
        for (PyObject*& list : lists) {
            threads.emplace_back([&] {
                const PyGILState_STATE state = PyGILState_Ensure();
                Py_BEGIN_ALLOW_THREADS
                ++ready;
                while (ready < 3) {
                    std::this_thread::yield();
                }
                Py_END_ALLOW_THREADS
                list = Ouro_Garbage();
                EXPECT_STREQ(Ouro_Setting("engine"), "stw");
                PyGILState_Release(state);
            });
        }
        Py_BEGIN_ALLOW_THREADS
        for (std::thread& thread : threads) {
            thread.join();
        }
        Py_END_ALLOW_THREADS
        EXPECT_EQ(std::set<PyObject*>(lists, lists + 3).size(), 1u);
        Py_FinalizeEx();
    }
}

INSTANTIATE_TEST_SUITE_P(Counts, Again, testing::Values("gil", "atomic", "biased"), runtime_name);

}  // namespace
}  // namespace ouro::test
