// Relacy, which explores the schedules and the memory orders of a small concurrent program, without
// the macros that it puts over the language; and what makes the counting templates run on it.
//
// Everything explored is the code that ships: only the word in memory, the mutex and the atomic are
// Relacy's. Include this before any header of the project.
#pragma once

// The system's headers first: Relacy puts macros over their names too.
#include <gtest/gtest.h>
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "tests/support/scale.hpp"
// Relacy comes after them.
#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#define OURO_REFCOUNT_ASSERT(condition) RL_ASSERT(condition)

namespace ouro::model {

inline rl::memory_order relacys(std::memory_order order) {
    switch (order) {
        case std::memory_order_relaxed:
            return rl::mo_relaxed;
        case std::memory_order_consume:
            return rl::mo_consume;
        case std::memory_order_acquire:
            return rl::mo_acquire;
        case std::memory_order_release:
            return rl::mo_release;
        case std::memory_order_acq_rel:
            return rl::mo_acq_rel;
        case std::memory_order_seq_cst:
            break;
    }
    return rl::mo_seq_cst;
}

// std::atomic, as far as it is used.
template <class T>
class Atomic {
public:
    Atomic(T value) { atomic_.store(value, rl::mo_relaxed, $); }
    T load(std::memory_order order) const { return atomic_.load(relacys(order), $); }
    void store(T value, std::memory_order order) { atomic_.store(value, relacys(order), $); }
    T fetch_add(T value, std::memory_order order) {
        return atomic_.fetch_add(value, relacys(order), $);
    }
    T fetch_sub(T value, std::memory_order order) {
        return atomic_.fetch_sub(value, relacys(order), $);
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) {
        return atomic_.compare_exchange_weak(expected, desired, relacys(success), $,
                                             relacys(failure), $);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure) {
        return atomic_.compare_exchange_strong(expected, desired, relacys(success), $,
                                               relacys(failure), $);
    }

private:
    rl::atomic<T> atomic_;
};

// A variable that a lock protects: an access that is not ordered with the last is a data race.
template <class T>
class Plain {
public:
    Plain(T value) { variable_($) = value; }
    Plain& operator=(T value) {
        variable_($) = value;
        return *this;
    }
    operator T() const { return variable_($).load(); }

private:
    rl::var<T> variable_;
};

class Mutex {
public:
    void lock() { mutex_.lock($); }
    void unlock() { mutex_.unlock($); }

private:
    rl::mutex mutex_;
};

// What a MergeQueue synchronises with in a model.
struct Sync {
    using Mutex = model::Mutex;
    template <class T>
    using Atomic = model::Atomic<T>;
    template <class T>
    using Plain = model::Plain<T>;
};

enum class Search { kAll, kRandom };

struct Exploration {
    bool passed;
    uint64_t schedules;
    std::string result;
};

// Runs the suite over all schedules, or over `schedules` random ones; prints how many there were.
template <class Suite>
Exploration explore(const char* name, Search search, size_t schedules = 0) {
    std::ostream nowhere(nullptr);  // Relacy may not allocate for a stream while it explores
    rl::test_params params;
    params.output_stream = &nowhere;
    params.progress_stream = &nowhere;
    params.search_type =
        search == Search::kAll ? rl::fair_full_search_scheduler_type : rl::random_scheduler_type;
    params.iteration_count = schedules;
    params.execution_depth_limit = 5000;
    const bool passed = rl::simulate<Suite>(params);
    Exploration exploration{passed, params.stop_iteration, rl::test_result_str(params.test_result)};
    std::printf("%s: %llu schedules (%s): %s\n", name,
                static_cast<unsigned long long>(exploration.schedules),
                search == Search::kAll ? "all" : "random", exploration.result.c_str());
    return exploration;
}

// The suite holds; a must-fail control is caught.
#define EXPLORE(suite, search, schedules) \
    EXPECT_TRUE(::ouro::model::explore<suite>(#suite, search, schedules).passed)
#define CATCH(suite, search, schedules) \
    EXPECT_FALSE(::ouro::model::explore<suite>(#suite, search, schedules).passed)

// All schedules of a suite that has millions; with a scale below 1, so many random ones.
#define EXPLORE_MILLIONS(suite)                                        \
    EXPLORE(suite,                                                     \
            ::ouro::test::scale() < 1 ? ::ouro::model::Search::kRandom \
                                      : ::ouro::model::Search::kAll,   \
            ::ouro::model::random_schedules(1'000'000))

// A number of random schedules, for explore.
inline size_t random_schedules(size_t number) {
    return test::scaled(number, 1000);
}

}  // namespace ouro::model
