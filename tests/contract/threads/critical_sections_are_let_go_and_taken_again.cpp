// A critical section holds its locks as long as its thread is attached and no longer: so sections
// cannot deadlock with each other, nor with a collection. What the innermost one asked for is held again
// whenever the thread goes on. Source: "Critical section API"; PEP 703.
// label: concurrency

#include "tests/contract/threads.hpp"

#pragma GCC diagnostic ignored "-Wshadow"  // the macros nest, as in any C code

namespace ouro::test {
namespace {

using Sections = Threads;
class Locks : public Threads {};  // where sections do something

TEST_P(Locks, AreHeldWhileAttached) {
    PyMutex a{}, b{};
    Py_BEGIN_CRITICAL_SECTION_MUTEX(&a) Py_BEGIN_CRITICAL_SECTION_MUTEX(&b)
        EXPECT_TRUE(PyMutex_IsLocked(&a) && PyMutex_IsLocked(&b));
    Py_BEGIN_ALLOW_THREADS
    EXPECT_FALSE(PyMutex_IsLocked(&a) || PyMutex_IsLocked(&b));
    Py_END_ALLOW_THREADS
    EXPECT_TRUE(PyMutex_IsLocked(&b)) << "the innermost one's is taken again";
    Py_END_CRITICAL_SECTION()
    EXPECT_TRUE(PyMutex_IsLocked(&a)) << "and the next when it is the innermost";
    EXPECT_FALSE(PyMutex_IsLocked(&b));
    Py_END_CRITICAL_SECTION()
    EXPECT_FALSE(PyMutex_IsLocked(&a));
}

TEST_P(Locks, OfTwo) {
    PyMutex a{}, b{};
    Py_BEGIN_CRITICAL_SECTION2_MUTEX(&b, &a)
        EXPECT_TRUE(PyMutex_IsLocked(&a) && PyMutex_IsLocked(&b));
    Py_BEGIN_ALLOW_THREADS
    EXPECT_FALSE(PyMutex_IsLocked(&a) || PyMutex_IsLocked(&b));
    Py_END_ALLOW_THREADS
    EXPECT_TRUE(PyMutex_IsLocked(&a) && PyMutex_IsLocked(&b));
    Py_END_CRITICAL_SECTION2() EXPECT_FALSE(PyMutex_IsLocked(&a) || PyMutex_IsLocked(&b));
    Py_BEGIN_CRITICAL_SECTION2_MUTEX(&a, &a) EXPECT_TRUE(PyMutex_IsLocked(&a));
    Py_END_CRITICAL_SECTION2() EXPECT_FALSE(PyMutex_IsLocked(&a));
}

// One mutex, three deep, detaching at each depth: held afterwards each time.
TEST_P(Locks, OfTheSameAgain) {
    PyMutex a{};
    const auto detach = [] { const Detached outside; };
    for (const bool at_every_depth : {false, true}) {
        Py_BEGIN_CRITICAL_SECTION_MUTEX(&a) Py_BEGIN_CRITICAL_SECTION_MUTEX(&a)
            Py_BEGIN_CRITICAL_SECTION_MUTEX(&a) EXPECT_TRUE(PyMutex_IsLocked(&a));
        detach();
        EXPECT_TRUE(PyMutex_IsLocked(&a)) << "the innermost section asked for it";
        Py_END_CRITICAL_SECTION()
        EXPECT_TRUE(PyMutex_IsLocked(&a));
        if (at_every_depth) {
            detach();
        }
        EXPECT_TRUE(PyMutex_IsLocked(&a));
        Py_END_CRITICAL_SECTION()
        EXPECT_TRUE(PyMutex_IsLocked(&a));
        Py_END_CRITICAL_SECTION()
        EXPECT_FALSE(PyMutex_IsLocked(&a));
    }
}

// A section of two inside a section of one of them, while another thread keeps the other for a while:
// in the end it has both.
TEST_P(Locks, OfTwoInsideOneOfThem) {
    PyMutex mutexes[2]{};
    for (PyMutex* around : {&mutexes[0], &mutexes[1]}) {
        PyMutex* other = around == &mutexes[0] ? &mutexes[1] : &mutexes[0];
        std::thread keeper;
        PyMutex_Lock(other);
        keeper = std::thread([&] {
            sleep_ms(30);
            PyMutex_Unlock(other);
        });
        Py_BEGIN_CRITICAL_SECTION_MUTEX(around) Py_BEGIN_CRITICAL_SECTION2_MUTEX(around, other)
            EXPECT_TRUE(PyMutex_IsLocked(around));
        EXPECT_TRUE(PyMutex_IsLocked(other));
        Py_END_CRITICAL_SECTION2() EXPECT_TRUE(PyMutex_IsLocked(around));
        EXPECT_FALSE(PyMutex_IsLocked(other));
        Py_END_CRITICAL_SECTION()
        EXPECT_FALSE(PyMutex_IsLocked(around));
        keeper.join();
    }
}

TEST_P(Locks, AreLetGoWhileWaitingForAnother) {
    PyMutex section{}, other{};
    std::atomic<bool> inside{false};
    PyMutex_Lock(&other);
    Crew crew;
    crew.add([&] {
        Py_BEGIN_CRITICAL_SECTION_MUTEX(&section) inside = true;
        PyMutex_Lock(&other);
        EXPECT_TRUE(PyMutex_IsLocked(&section));
        PyMutex_Unlock(&other);
        Py_END_CRITICAL_SECTION()
    });
    run_until([&] { return inside.load(); });
    run_until([&] { return PyMutex_IsLocked(&section) == 0; });
    PyMutex_Unlock(&other);
}

TEST_P(Sections, TwoThreadsNestTwoObjectsInBothOrders) {
    PyObject* a = new_thing(kUncounted);
    PyObject* b = new_thing(kUncounted);
    const auto nest = [](PyObject* outer, PyObject* inner) {
        for (int i = 0; i < 20'000; ++i) {
            Py_BEGIN_CRITICAL_SECTION(outer)
            Py_BEGIN_CRITICAL_SECTION(inner)
            Py_END_CRITICAL_SECTION()
            Py_END_CRITICAL_SECTION()
        }
    };
    Crew crew;
    crew.add([=] { nest(a, b); });
    crew.add([=] { nest(b, a); });
    crew.join();
    Py_DECREF(a);
    Py_DECREF(b);
}

// The counter belongs to both; who nests inside has it too.
TEST_P(Sections, OfTwoExclude) {
    PyObject* a = new_thing(kUncounted);
    PyObject* b = new_thing(kUncounted);
    long counter = 0;
    const auto count = [&counter](PyObject* x, PyObject* y) {
        for (int i = 0; i < 20'000; ++i) {
            Py_BEGIN_CRITICAL_SECTION2(x, y) Py_BEGIN_CRITICAL_SECTION(y)
            ++counter;
            Py_END_CRITICAL_SECTION()
            Py_END_CRITICAL_SECTION2() if (i % 64 == 0) {
                EXPECT_EQ(Py_MakePendingCalls(), 0);
            }
        }
    };
    Crew crew;
    crew.add([&] { count(a, b); });
    crew.add([&] { count(b, a); });
    crew.add([&] { count(a, b); });
    crew.join();
    EXPECT_EQ(counter, 60'000);
    Py_DECREF(a);
    Py_DECREF(b);
}

// Threads in and out of a section, with collections inside it.
TEST_P(Sections, ACollectionInsideReturns) {
    PyObject* op = new_thing(kUncounted);
    std::atomic<long> inside{0};
    std::atomic<bool> done{false};
    Crew crew;
    for (int t = 0; t < 3; ++t) {
        crew.add([&] {
            run_until([&] {
                Py_BEGIN_CRITICAL_SECTION(op)
                ++inside;
                Py_DECREF(new_thing(kUncounted));
                Py_END_CRITICAL_SECTION()
                return done.load();
            });
        });
    }
    run_until([&] { return inside > 100; });
    for (int i = 0; i < 20; ++i) {
        PyObject* ring = new_thing(kUncounted);
        refer(ring, 0, ring);
        Py_DECREF(ring);
        Py_BEGIN_CRITICAL_SECTION(op)
        PyGC_Collect();
        Py_END_CRITICAL_SECTION()
    }
    done = true;
    crew.join();
    PyGC_Collect();
    Py_DECREF(op);
}

// The finalizer runs inside the collector's section and takes the same lock, others', and its own.
TEST_P(Sections, AFinalizerTakesTheLock) {
    PyObject* held = new_thing(kUncounted);
    PyObject* second = new_thing(kUncounted);
    Fate fate;
    record.on_finalize = [&](Thing* self) {
        Py_BEGIN_CRITICAL_SECTION(self)
        Py_BEGIN_CRITICAL_SECTION(held)
        Py_BEGIN_CRITICAL_SECTION2(second, self) refer(held, 0, nullptr);
        Py_END_CRITICAL_SECTION2() Py_END_CRITICAL_SECTION()
        Py_END_CRITICAL_SECTION()
    };
    std::atomic<bool> done{false};
    Crew crew;
    crew.add([&] {
        run_until([&] {
            Py_BEGIN_CRITICAL_SECTION2(held, second) Py_END_CRITICAL_SECTION2() return done.load();
        });
    });
    for (int i = 0; i < 50; ++i) {
        PyObject* ring = new_thing(&fate, &FinalThingType);
        refer(ring, 0, ring);
        Py_BEGIN_CRITICAL_SECTION(held)
        Py_BEGIN_CRITICAL_SECTION(second)
        Py_DECREF(ring);
        EXPECT_EQ(PyGC_Collect(), 1);
        Py_END_CRITICAL_SECTION()
        Py_END_CRITICAL_SECTION()
    }
    EXPECT_EQ(fate.finalized, 50);
    EXPECT_EQ(fate.died, 50);
    done = true;
    crew.join();
    Py_DECREF(held);
    Py_DECREF(second);
}

EVERY_RUNTIME(Sections);
EVERY_FREE_RUNTIME(Locks);

}  // namespace
}  // namespace ouro::test
