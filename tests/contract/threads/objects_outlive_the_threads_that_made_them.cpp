// An owner index is used again when its thread has ended, and its objects stay whole: they are counted
// by whoever has them, and die once.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

class Generations : public Threads {
protected:
    static constexpr int kThreads = 3000;
};

// Each hands its object, and a reference of its own to all that it was given, to the next.
TEST_P(Generations, ThousandsOfThreadsInARow) {
    Fate fate;
    PyObject* list = PyList_New(0);
    for (int i = 0; i < kThreads; ++i) {
        on_another_thread([&] {
            PyObject* op = new_thing(&fate);
            if (const Py_ssize_t size = PyList_Size(list); size > 0) {
                refer(op, 0, PyList_GetItem(list, size - 1));
                Py_INCREF(list);
            }
            PyList_Append(list, op);
            Py_DECREF(op);
        });
    }
    EXPECT_EQ(Py_REFCNT(list), kThreads);
    EXPECT_EQ(record.live, kThreads);
    EXPECT_EQ(fate.died, 0);
    for (int i = 1; i < kThreads; ++i) {
        Py_DECREF(list);
    }
    EXPECT_EQ(Py_REFCNT(list), 1);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(PyList_Size(list), kThreads);
    for (Py_ssize_t i = 0; i < kThreads; ++i) {
        ASSERT_TRUE(is_whole(PyList_GetItem(list, i)));
    }
    Py_DECREF(list);
    EXPECT_EQ(fate.died, kThreads);
}

TEST_P(Generations, ThreadsMadeByEnsure) {
    Fate fate;
    Py_BEGIN_ALLOW_THREADS
    for (int i = 0; i < kThreads; ++i) {
        std::thread([&] {
            const PyGILState_STATE before = PyGILState_Ensure();
            Py_DECREF(new_thing(&fate));
            PyGILState_Release(before);
        }).join();
    }
    Py_END_ALLOW_THREADS
    EXPECT_EQ(fate.died, kThreads);
}

// References to one object, taken by threads that ended, are dropped by others than took them.
TEST_P(Generations, ReferencesAreDroppedByOthers) {
    Fate fate;
    PyObject* op = nullptr;
    on_another_thread([&] { op = new_thing(&fate); });
    for (int i = 0; i < 100; ++i) {
        on_another_thread([&] {
            Py_INCREF(op);
            Py_INCREF(op);
        });
        on_another_thread([&] { Py_DECREF(op); });
    }
    EXPECT_EQ(Py_REFCNT(op), 101);
    for (int i = 0; i < 100; ++i) {
        Py_DECREF(op);
    }
    EXPECT_EQ(fate.died, 0);
    on_another_thread([&] { Py_DECREF(op); });
    EXPECT_EQ(fate.died, 1);
}

EVERY_RUNTIME(Generations);

}  // namespace
}  // namespace ouro::test
