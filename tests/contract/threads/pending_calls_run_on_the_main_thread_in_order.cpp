// Py_AddPendingCall: any thread asks, the thread that initialised the runtime does it, in order; one
// that fails leaves the rest for the next time. Source: "Asynchronous Notifications".
// label: concurrency

#include <utility>

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Pending = Threads;

std::vector<intptr_t> called;
std::thread::id called_by;

int note(void* arg) {
    called_by = std::this_thread::get_id();
    called.push_back(reinterpret_cast<intptr_t>(arg));
    return 0;
}

int fail(void* arg) {
    note(arg);
    PyErr_SetString(PyExc_ValueError, "pending");
    return -1;
}

int add_another(void* arg) {
    note(arg);
    return Py_AddPendingCall(note, arg);
}

void* number(intptr_t i) {
    return reinterpret_cast<void*>(i);
}

std::vector<intptr_t> take_called() {
    return std::exchange(called, {});
}

TEST_P(Pending, InOrderAndNotBefore) {
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(Py_AddPendingCall(note, number(i)), 0);
    }
    EXPECT_THAT(take_called(), testing::IsEmpty());
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::IsEmpty());
}

// What was accepted is done, at the latest where the runtime ends, and nothing of it in the next one.
TEST_P(Pending, WhereTheRuntimeEndsAtTheLatest) {
    ASSERT_EQ(Py_AddPendingCall(note, number(1)), 0);
    ASSERT_EQ(Py_AddPendingCall(fail, number(2)), 0);
    ASSERT_EQ(Py_AddPendingCall(add_another, number(3)), 0);
    Threads::TearDown();
    EXPECT_THAT(take_called(), testing::ElementsAre(1, 2, 3, 3));
    Threads::SetUp();
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::IsEmpty());
}

TEST_P(Pending, OnlyTheMainThreadCalls) {
    Py_BEGIN_ALLOW_THREADS
    std::thread([] { EXPECT_EQ(Py_AddPendingCall(note, number(1)), 0); }).join();
    Py_END_ALLOW_THREADS
    on_another_thread([] {
        EXPECT_EQ(Py_AddPendingCall(note, number(2)), 0);
        EXPECT_EQ(Py_MakePendingCalls(), 0);
        EXPECT_THAT(take_called(), testing::IsEmpty());
    });
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::ElementsAre(1, 2));
    EXPECT_EQ(called_by, std::this_thread::get_id());
}

TEST_P(Pending, ThirtyTwoWaitAtMost) {
    std::vector<intptr_t> all;
    for (int i = 0; i < 32; ++i) {
        ASSERT_EQ(Py_AddPendingCall(note, number(i)), 0);
        all.push_back(i);
    }
    EXPECT_EQ(Py_AddPendingCall(note, number(32)), -1);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_EQ(take_called(), all);
    EXPECT_EQ(Py_AddPendingCall(note, number(33)), 0);
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::ElementsAre(33));
}

TEST_P(Pending, OneThatFailsLeavesTheRest) {
    Py_AddPendingCall(note, number(1));
    Py_AddPendingCall(fail, number(2));
    Py_AddPendingCall(note, number(3));
    EXPECT_EQ(Py_MakePendingCalls(), -1);
    EXPECT_EQ(PyErr_Occurred(), PyExc_ValueError);
    PyErr_Clear();
    EXPECT_THAT(take_called(), testing::ElementsAre(1, 2));
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::ElementsAre(3));
}

TEST_P(Pending, OneThatAddsAnotherDoesNotGoOnForEver) {
    Py_AddPendingCall(add_another, number(1));
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::ElementsAre(1));
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_THAT(take_called(), testing::ElementsAre(1));
}

// Several ask while the main thread works: none is lost or called twice.
TEST_P(Pending, FromManyThreadsAtOnce) {
    std::vector<std::thread> threads;
    for (intptr_t t = 0; t < 3; ++t) {
        threads.emplace_back([t] {
            for (intptr_t i = 0; i < 2000; ++i) {
                wait_until([&] { return Py_AddPendingCall(note, number(t * 10000 + i)) == 0; });
            }
        });
    }
    run_until([] { return called.size() == 6000; });
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (intptr_t t = 0; t < 3; ++t) {
        intptr_t next = t * 10000;
        for (const intptr_t n : called) {
            if (n / 10000 == t) {
                EXPECT_EQ(n, next++) << "each thread's in its order";
            }
        }
        EXPECT_EQ(next, t * 10000 + 2000);
    }
    take_called();
}

EVERY_RUNTIME(Pending);

}  // namespace
}  // namespace ouro::test
