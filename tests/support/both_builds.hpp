// A concurrency test that is built twice: `sys`, where a seeded scheduler runs one thread at a time, and
// `con`, with real threads. The test names Sync, Execution and explore, and says nothing of which it is.
//
//     TEST(ACounter, LosesNothing) {
//         explore(1000, [](Execution& run) {
//             auto counter = std::make_shared<Counter<Sync>>();
//             run.thread("a", [=] { counter->add(); });
//             run.thread("b", [=] { counter->add(); });
//             run.after([=] { EXPECT_EQ(counter->get(), 2); });
//         });
//     }
//
// In `sys`, explore makes that many runs by seeds, and exhaust every schedule with so many preemptions.
// A run that fails prints the command that repeats it. In `con`, both repeat the run a fraction of that.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "concurrency/thread/sync.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/sys_sync.hpp"

#ifndef OURO_SYS
#error "tests/CMakeLists.txt says which build this is"
#endif

namespace ouro::test {

#if OURO_SYS
using Sync = SysSync;
#else
using Sync = thread::SystemSync;
#endif

// One run: its threads, and what holds when all have ended.
class Execution {
public:
    void thread(std::string name, std::function<void()> body) {
        threads_.emplace_back(std::move(name), std::move(body));
    }
    void after(std::function<void()> check) { after_ = std::move(check); }

    // In `sys`: each thread has thread-local variables of its own.
    void use_system_threads() { system_threads_ = true; }
    // What the caller of explore does around the threads: run_them() returns when all have ended.
    using Around = std::function<void(const std::function<void()>& run_them)>;
    void around(Around around) { around_ = std::move(around); }

    std::vector<std::pair<std::string, std::function<void()>>> threads_;
    std::function<void()> after_ = [] {};
    Around around_ = [](const auto& run_them) { run_them(); };
    bool system_threads_ = false;
};

// A point of the test's own code.
inline void point(const char* name) {
#if OURO_SYS
    SysSync::point(name);
#else
    static_cast<void>(name);
#endif
}

// Enough to repeat a failing run: everything else follows from it.
inline void say_how_to_repeat(const std::string& setting) {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    char program[4096] = {};
    FILE* line = std::fopen("/proc/self/cmdline", "r");
    if (line != nullptr) {
        static_cast<void>(std::fgets(program, sizeof program, line));
        std::fclose(line);
    }
    std::printf("to repeat this run: %s OURO_TEST_TRACE=1 %s --gtest_filter=%s.%s\n",
                setting.c_str(), program, info->test_suite_name(), info->name());
    std::fflush(stdout);
}

// A failed assertion of the code under test ends the program, and so does a bad access: they too say
// how to repeat the run.
inline std::string repeats_this_run;  // NOLINT
inline void on_abort(int) {
    say_how_to_repeat(repeats_this_run);
    std::_Exit(1);
}
inline struct sigaction before_bad_access;  // NOLINT
inline void on_bad_access(int signal) {
    say_how_to_repeat(repeats_this_run);
    sigaction(signal, &before_bad_access, nullptr);  // the access comes again, and ends the program
}
inline void watch_signals() {
    static const bool watched = [] {
        struct sigaction action = {};
        action.sa_handler = on_bad_access;
        return std::signal(SIGABRT, on_abort) != SIG_ERR &&
               sigaction(SIGSEGV, &action, &before_bad_access) == 0;
    }();
    static_cast<void>(watched);
}

template <class Setup>
bool run_scheduled(Choices& choices, const Setup& setup, const std::string& repeat) {
    repeats_this_run = repeat;
    watch_signals();
    Execution run;
    setup(run);
    Scheduler scheduler(choices, run.system_threads_ ? Threads::kSystem : Threads::kFibers);
    scheduler.trace = std::getenv("OURO_TEST_TRACE") != nullptr;
    for (auto& [name, body] : run.threads_) {
        scheduler.add(name, body);
    }
    std::string failure;
    run.around_([&] { failure = scheduler.run(); });
    if (!failure.empty()) {
        // The threads hold what they hold: nothing can be checked or destroyed any more.
        std::printf("%s\n", failure.c_str());
        say_how_to_repeat(repeat);
        std::_Exit(1);
    }
    run.after_();
    if (testing::Test::HasFailure()) {
        say_how_to_repeat(repeat);
        return false;
    }
    return true;
}

template <class Setup>
void run_real(const Setup& setup) {
    Execution run;
    setup(run);
    run.around_([&run] {
        std::vector<std::thread> threads;
        threads.reserve(run.threads_.size());
        for (auto& [name, body] : run.threads_) {
            threads.emplace_back(body);
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    });
    run.after_();
}

template <class Setup>
void explore(size_t runs, const Setup& setup) {
#if OURO_SYS
    const uint64_t first = seed();
    const char* only = std::getenv("OURO_TEST_RUNS");
    const size_t count = only != nullptr ? std::strtoull(only, nullptr, 10) : scaled(runs, 50);
    for (uint64_t i = 0; i < count; ++i) {
        SeededChoices choices(first + i);
        const std::string repeat =
            "OURO_TEST_SEED=" + std::to_string(first + i) + " OURO_TEST_RUNS=1";
        if (!run_scheduled(choices, setup, repeat)) {
            return;
        }
    }
#else
    for (size_t i = 0; i < scaled(runs / 20, 5) && !testing::Test::HasFailure(); ++i) {
        run_real(setup);
    }
#endif
}

template <class Setup>
void exhaust(unsigned preemptions, const Setup& setup) {
#if OURO_SYS
    EveryChoice choices(preemptions);
    size_t schedules = 0;
    do {
        ++schedules;
        // Deterministic: the same command comes to the same schedule.
        if (!run_scheduled(choices, setup, "")) {
            return;
        }
    } while (choices.advance());
    std::printf("%zu schedules with at most %u preemptions: all there are\n", schedules,
                preemptions);
#else
    static_cast<void>(preemptions);
    for (size_t i = 0; i < scaled(100, 5) && !testing::Test::HasFailure(); ++i) {
        run_real(setup);
    }
#endif
}

}  // namespace ouro::test
