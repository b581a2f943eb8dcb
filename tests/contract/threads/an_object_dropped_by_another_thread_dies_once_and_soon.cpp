// The last reference may be dropped by any thread: the object dies exactly once, at once if its owner is
// outside or gone, else by the owner's next safepoint at the latest.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Dropping = Threads;
class DroppingBesideTheOwner : public Threads {};

// The owner runs, and reaches no safepoint until the other is done.
TEST_P(DroppingBesideTheOwner, AtItsNextSafepoint) {
    for (const bool by_allocation : {false, true}) {
        Fate fate;
        PyObject* op = new_thing(&fate);
        std::atomic<bool> dropped{false};
        std::thread other([&] {
            const Attached here;
            Py_DECREF(op);
            dropped = true;
        });
        wait_until([&] { return dropped.load(); });
        if (by_allocation) {
            Py_DECREF(new_thing(kUncounted));
        } else {
            EXPECT_EQ(Py_MakePendingCalls(), 0);
        }
        EXPECT_EQ(fate.died, 1);
        const Detached outside;
        other.join();
    }
}

// Before the owner waits it looks at what is left to it.
TEST_P(DroppingBesideTheOwner, WhenItDetaches) {
    Fate fate;
    PyObject* op = new_thing(&fate);
    std::atomic<bool> dropped{false};
    std::thread other([&] {
        const Attached here;
        Py_DECREF(op);
        dropped = true;
    });
    wait_until([&] { return dropped.load(); });
    const Detached outside;
    EXPECT_EQ(fate.died, 1);
    other.join();
}

TEST_P(Dropping, AtOnceWhileTheOwnerIsOutside) {
    Fate fate;
    PyObject* op = new_thing(&fate);
    Py_INCREF(op);
    on_another_thread([&] {
        Py_DECREF(op);
        EXPECT_EQ(fate.died, 0);
        Py_DECREF(op);
        EXPECT_EQ(fate.died, 1);
    });
    EXPECT_EQ(fate.died, 1);
}

TEST_P(Dropping, AtOnceAfterTheOwnerHasExited) {
    Fate fate;
    PyObject* op = nullptr;
    on_another_thread([&] {
        op = new_thing(&fate);
        Py_INCREF(op);
    });
    Py_DECREF(op);
    EXPECT_EQ(fate.died, 0);
    Py_DECREF(op);
    EXPECT_EQ(fate.died, 1);
}

// What is dropped while the owner ends is not lost with it.
TEST_P(Dropping, WhileTheOwnerExits) {
    Fate fate;
    constexpr int kRounds = 300;
    for (int i = 0; i < kRounds; ++i) {
        std::atomic<PyObject*> given{nullptr};
        Crew crew;
        crew.add([&] { given = new_thing(&fate); });
        crew.add([&] {
            run_until([&] { return given != nullptr; });
            Py_DECREF(given.load());
        });
    }
    run_until([&] { return fate.died == kRounds; });
}

// Many threads hold references to each and drop them all at the same time.
TEST_P(Dropping, OnceHoweverManyDrop) {
    constexpr size_t kObjects = 5000;
    constexpr int kDroppers = 3;
    Fate fate;
    std::vector<PyObject*> objects;
    for (size_t i = 0; i < kObjects; ++i) {
        objects.push_back(new_thing(&fate));
        for (int d = 0; d < kDroppers; ++d) {
            Py_INCREF(objects.back());
        }
    }
    std::atomic<int> ready{0};
    const auto drop_all = [&] {
        ++ready;
        run_until([&] { return ready > kDroppers; });
        for (PyObject* op : objects) {
            EXPECT_TRUE(is_whole(op));
            Py_DECREF(op);
        }
    };
    Crew crew;
    for (int d = 0; d < kDroppers; ++d) {
        crew.add(drop_all);
    }
    drop_all();
    crew.join();
    run_until([&] { return fate.died == kObjects; });
}

EVERY_RUNTIME(Dropping);
EVERY_FREE_RUNTIME(DroppingBesideTheOwner);

}  // namespace
}  // namespace ouro::test
