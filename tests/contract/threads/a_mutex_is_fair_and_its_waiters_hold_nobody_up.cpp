// PyMutex excludes, attached or not; who waits is detached, so that the world can be stopped and, under
// gil, others run; nobody waits for ever. Source: "Synchronization Primitives".
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Mutexes = Threads;

TEST_P(Mutexes, IsLockedBetweenLockAndUnlock) {
    PyMutex mutex{};
    EXPECT_EQ(PyMutex_IsLocked(&mutex), 0);
    PyMutex_Lock(&mutex);
    EXPECT_EQ(PyMutex_IsLocked(&mutex), 1);
    Py_BEGIN_ALLOW_THREADS
    EXPECT_EQ(PyMutex_IsLocked(&mutex), 1) << "it is no critical section";
    std::thread([&mutex] { PyMutex_Unlock(&mutex); }).join();
    Py_END_ALLOW_THREADS
    EXPECT_EQ(PyMutex_IsLocked(&mutex), 0);
    EXPECT_EQ(mutex._bits, 0);
}

TEST_P(Mutexes, ExcludesAttachedAndUnattached) {
    PyMutex mutex{};
    long counter = 0;
    const auto work = [&] {
        for (int i = 0; i < 20'000; ++i) {
            PyMutex_Lock(&mutex);
            ++counter;
            PyMutex_Unlock(&mutex);
        }
    };
    Crew crew;
    crew.add(work);
    crew.add(work);
    std::vector<std::thread> strangers;
    strangers.emplace_back(work);
    strangers.emplace_back(work);
    crew.join();
    {
        const Detached outside;
        for (std::thread& stranger : strangers) {
            stranger.join();
        }
    }
    EXPECT_EQ(counter, 80'000);
}

// The waiter has the lock soon although the holder takes it again at once, each time.
TEST_P(Mutexes, NobodyWaitsForEver) {
    PyMutex mutex{};
    std::atomic<bool> done{false};
    std::thread greedy([&] {
        while (!done) {
            PyMutex_Lock(&mutex);
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(300);
            wait_until([&] { return std::chrono::steady_clock::now() >= end; });
            PyMutex_Unlock(&mutex);
        }
    });
    const int64_t before = milliseconds();
    for (int i = 0; i < 50; ++i) {
        PyMutex_Lock(&mutex);
        PyMutex_Unlock(&mutex);
    }
    EXPECT_LT(milliseconds() - before, 5000);
    done = true;
    const Detached outside;
    greedy.join();
}

TEST_P(Mutexes, AWaiterDelaysNoStop) {
    PyMutex mutex{};
    std::atomic<bool> about_to_wait{false}, has_it{false};
    PyMutex_Lock(&mutex);
    Crew crew;
    crew.add([&] {
        about_to_wait = true;
        PyMutex_Lock(&mutex);
        EXPECT_EQ(PyGILState_Check(), 1);
        has_it = true;
        PyMutex_Unlock(&mutex);
    });
    {
        const Detached outside;
        wait_until([&] { return about_to_wait.load(); });
        sleep_ms(20);
    }
    PyObject* op = new_thing(kUncounted);
    refer(op, 0, op);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_FALSE(has_it);
    PyMutex_Unlock(&mutex);
    crew.join();
    EXPECT_TRUE(has_it);
}

EVERY_RUNTIME(Mutexes);

}  // namespace
}  // namespace ouro::test
