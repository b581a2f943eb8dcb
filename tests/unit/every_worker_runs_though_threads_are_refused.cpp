// label: concurrency
// Where the system refuses an executor threads, all or some, each worker of a job runs once all the same, at worst
// on the calling thread; what was refused is asked for again by a later run.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "concurrency/worklist/executor.hpp"
#include "tests/support/scale.hpp"

namespace {

// Whether the system refuses the thread that is asked for as so-manieth, from 1 on; null: none.
std::atomic<bool (*)(int asked)> refused{nullptr};
std::atomic<int> asked{0};
std::atomic<int> made{0};

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

}  // namespace

// The sanitizers' own, where it is in this program.
extern "C" [[gnu::weak]] int __interceptor_pthread_create(pthread_t*, const pthread_attr_t*,
                                                          void* (*)(void*), void*);

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*routine)(void*), void* argument) noexcept {
    static const Create next = &__interceptor_pthread_create != nullptr
                                   ? &__interceptor_pthread_create
                                   : reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    const auto is_refused = refused.load();
    if (is_refused != nullptr && is_refused(++asked)) {
        return EAGAIN;
    }
    ++made;
    return next(thread, attributes, routine, argument);
}

namespace ouro::worklist {
namespace {

class Refused : public testing::TestWithParam<unsigned> {
protected:
    void SetUp() override { asked = made = 0; }
    void TearDown() override { refused = nullptr; }

    // Each worker runs once a run, on no more threads than there are.
    static void expect_each_once(Executor& executor) {
        const size_t rounds = test::scaled(100, 20);
        std::vector<size_t> calls(executor.workers());  // no atomics: each worker has its own
        std::mutex mutex;
        std::set<std::thread::id> threads;
        for (size_t round = 0; round < rounds; ++round) {
            executor.run([&](unsigned worker) {
                ++calls.at(worker);
                std::this_thread::yield();
                const std::lock_guard guard(mutex);
                threads.insert(std::this_thread::get_id());
            });
        }
        EXPECT_EQ(calls, std::vector<size_t>(executor.workers(), rounds));
        EXPECT_LE(threads.size(), 1u + static_cast<unsigned>(made));
    }
};

TEST_P(Refused, AllOfThem) {
    refused = [](int) { return true; };
    Executor executor(GetParam());
    expect_each_once(executor);
    EXPECT_EQ(made, 0);
    EXPECT_EQ(executor.helpers_cpu_ns(), 0);
}

TEST_P(Refused, FromTheSecondOn) {
    refused = [](int nth) { return nth >= 2; };
    Executor executor(GetParam());
    expect_each_once(executor);
    EXPECT_LE(made, 1);
}

TEST_P(Refused, FromTheThirdOn) {
    refused = [](int nth) { return nth >= 3; };
    Executor executor(GetParam());
    expect_each_once(executor);
    EXPECT_LE(made, 2);
}

TEST_P(Refused, EverySecond) {
    refused = [](int nth) { return nth % 2 == 0; };
    Executor executor(GetParam());
    expect_each_once(executor);
}

TEST_P(Refused, ForATime) {
    refused = [](int) { return true; };
    Executor executor(GetParam());
    expect_each_once(executor);
    refused = nullptr;
    expect_each_once(executor);
    EXPECT_EQ(made, static_cast<int>(GetParam()) - 1);
    refused = [](int) { return true; };
    expect_each_once(executor);
}

INSTANTIATE_TEST_SUITE_P(Workers, Refused, testing::Values(1u, 2u, 3u, 4u, 9u));

}  // namespace
}  // namespace ouro::worklist
