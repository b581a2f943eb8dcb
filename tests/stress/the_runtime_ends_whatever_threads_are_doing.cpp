// Py_FinalizeEx from any thread, while others are in every state that a thread can be in: attached and allocating,
// collecting, inside a finalizer, in a critical section or waiting for its locks, detached, waiting to be attached,
// coming and going. It returns, and so does each of several more runs; none of the others ever does.
// label: concurrency

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/include/ouroboros.h"
#include "tests/support/lives.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/rings.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

// One run of the runtime, ended while so many threads live on. By the thread that began it, or another.
void run_once(const char* runtime, unsigned round) {
    const char* error = nullptr;
    if (Ouro_Configure(settings_for(runtime, "verify=off").c_str(), &error) != 0) {
        std::fprintf(stderr, "%s\n", error);
        std::_Exit(4);
    }
    Py_Initialize();
    const unsigned threads = 1 + round % 8;
    is_in_a_hurry = false;
    const auto meanwhile = [&] {
        is_in_a_hurry = true;
        drop_ring(3);
        for (unsigned i = 0; i < 20 * round; ++i) {
            drop_ring(5);
        }
    };
    if (round % 2 == 0) {
        begin_lives(threads, round);
        meanwhile();
        if (Py_FinalizeEx() != 0) {
            std::_Exit(6);
        }
        return;
    }
    begin_lives(threads, round);
    PyEval_SaveThread();
    std::thread([&] {
        PyGILState_Ensure();
        meanwhile();
        if (Py_FinalizeEx() != 0) {
            std::_Exit(6);
        }
    }).join();
    EXPECT_EQ(PyThreadState_GetUnchecked(), nullptr);
    EXPECT_EQ(PyGILState_GetThisThreadState(), nullptr) << "that was of the run which has ended";
}

class Ends : public testing::TestWithParam<const char*> {};

TEST_P(Ends, InEveryRound) {
    // In processes of their own, for their threads stay: several runs in each.
    constexpr unsigned kRuns = 3;
    for (unsigned i = 0; i < scaled(8, 2); ++i) {
        const int status = in_a_process([&] {
            for (unsigned run = 0; run < kRuns; ++run) {
                run_once(GetParam(), i + run * 3);
            }
            return 0;
        });
        ASSERT_EQ(status, 0) << "process " << i << ": " << told(status);
    }
}

EVERY_ENGINE(Ends);

}  // namespace
}  // namespace ouro::test
