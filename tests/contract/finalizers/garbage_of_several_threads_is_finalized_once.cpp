// Cycles made by several threads, through objects of each other, are collected by any one of them: every
// finalizer and callback runs once. One thread collects at a time.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Garbage = Threads;

PyMethodDef count_calls = {"count",
                           [](PyObject* self, PyObject*) {
                               ++*static_cast<std::atomic<long>*>(
                                   PyCapsule_GetPointer(self, nullptr));
                               return Py_NewRef(Py_None);
                           },
                           METH_O, nullptr};

PyObject* counting_callback(std::atomic<long>* calls) {
    PyObject* capsule = PyCapsule_New(calls, nullptr, nullptr);
    PyObject* callback = PyCFunction_New(&count_calls, capsule);
    Py_DECREF(capsule);
    return callback;
}

constexpr int kThreads = 3;
constexpr int kObjects = 500;

struct Shared {
    std::vector<Fate> fates = std::vector<Fate>(kThreads * kObjects);
    std::vector<PyObject*> cells = std::vector<PyObject*>(kThreads * kObjects);
    std::vector<std::atomic<long>> calls = std::vector<std::atomic<long>>(kThreads * kObjects);
    PyObject* weak = PyList_New(0);

    // Each thread makes every third of a ring.
    void make(int thread) {
        for (int i = thread; i < kThreads * kObjects; i += kThreads) {
            const auto at = static_cast<size_t>(i);
            cells[at] = new_thing(&fates[at], &FinalThingType);
            PyObject* callback = counting_callback(&calls[at]);
            PyObject* reference = PyWeakref_NewRef(cells[at], callback);
            Py_DECREF(callback);
            PyList_Append(weak, reference);
            Py_DECREF(reference);
        }
    }
    // And ties its own to those of the next.
    void tie(int thread) {
        for (int i = thread; i < kThreads * kObjects; i += kThreads) {
            const auto at = static_cast<size_t>(i);
            refer(cells[at], 0, cells[(at + 1) % cells.size()]);
        }
    }
    void drop(int thread) {
        for (int i = thread; i < kThreads * kObjects; i += kThreads) {
            Py_DECREF(cells[static_cast<size_t>(i)]);
        }
    }
    void expect_all(long times) {
        for (size_t i = 0; i < fates.size(); ++i) {
            ASSERT_EQ(fates[i].finalized, times) << i;
            ASSERT_EQ(fates[i].died, times) << i;
            ASSERT_EQ(calls[i], times) << i;
        }
    }
};

TEST_P(Garbage, OfRunningThreads) {
    PyGC_Disable();
    Shared shared;
    std::atomic<int> made{0}, tied{0}, dropped{0};
    std::atomic<bool> done{false};
    Crew crew;
    for (int t = 0; t < kThreads; ++t) {
        crew.add([&, t] {
            const auto meet = [](std::atomic<int>& stage) {
                ++stage;
                run_until([&] { return stage == kThreads; });
            };
            shared.make(t);
            meet(made);
            shared.tie(t);
            meet(tied);
            shared.drop((t + 1) % kThreads);  // another's
            meet(dropped);
            run_until([&] { return done.load(); });
        });
    }
    run_until([&] { return dropped == kThreads; });
    shared.expect_all(0);
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), kThreads * kObjects);
    done = true;
    crew.join();
    shared.expect_all(1);
    EXPECT_EQ(PyGC_Collect(), 0);
    Py_DECREF(shared.weak);
}

TEST_P(Garbage, OfThreadsThatHaveExited) {
    PyGC_Disable();
    Shared shared;
    for (int t = 0; t < kThreads; ++t) {
        on_another_thread([&] { shared.make(t); });
    }
    for (int t = 0; t < kThreads; ++t) {
        on_another_thread([&] { shared.tie(t); });
    }
    for (int t = 0; t < kThreads; ++t) {
        on_another_thread([&] { shared.drop(t); });
    }
    shared.expect_all(0);
    PyGC_Enable();
    on_another_thread([] { EXPECT_EQ(PyGC_Collect(), kThreads * kObjects); });
    shared.expect_all(1);
    Py_DECREF(shared.weak);
}

// All of them collect while all make garbage.
TEST_P(Garbage, CollectedByAllOfThem) {
    constexpr int kRings = 2000;
    std::vector<Fate> fates(kThreads * kRings);
    std::atomic<long> found{0};
    Crew crew;
    for (int t = 0; t < kThreads; ++t) {
        crew.add([&, t] {
            for (int i = 0; i < kRings; ++i) {
                PyObject* a =
                    new_thing(&fates[static_cast<size_t>(t * kRings + i)], &FinalThingType);
                PyObject* b = new_thing(kUncounted);
                refer(a, 0, b);
                refer(b, 0, a);
                Py_DECREF(a);
                Py_DECREF(b);
                if (i % 100 == 0) {
                    found += PyGC_Collect();
                }
            }
        });
    }
    crew.join();
    PyGC_Collect();
    for (Fate& fate : fates) {
        ASSERT_EQ(fate.finalized, 1);
        ASSERT_EQ(fate.died, 1);
    }
    EXPECT_GT(found, 0);
}

// The second to ask, while the first one's finalizers run, is told 0 and has nothing to wait for.
TEST_P(Garbage, OneCollectsAtATime) {
    std::atomic<bool> finalizing{false}, asked{false};
    record.on_finalize = [&](Thing*) {
        finalizing = true;
        run_until([&] { return asked.load(); });
    };
    Fate fate;
    PyObject* op = new_thing(&fate, &FinalThingType);
    refer(op, 0, op);
    Py_DECREF(op);
    Crew crew;
    crew.add([&] {
        run_until([&] { return finalizing.load(); });
        PyObject* own = new_thing(kUncounted);
        refer(own, 0, own);
        Py_DECREF(own);
        EXPECT_EQ(PyGC_Collect(), 0);
        EXPECT_EQ(fate.died, 0) << "the first is not done";
        asked = true;
    });
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(fate.finalized, 1);
    EXPECT_EQ(fate.died, 1);
    crew.join();
    EXPECT_EQ(PyGC_Collect(), 1);
}

EVERY_RUNTIME(Garbage);

}  // namespace
}  // namespace ouro::test
