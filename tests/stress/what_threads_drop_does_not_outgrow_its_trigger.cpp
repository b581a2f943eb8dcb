// Threads that only make and drop rings, with next to nothing alive, leave few dead and not freed: what one
// collection is about to free, what is allocated until the next one is due, and a batch for each thread. However
// many threads there are, and however the processors are shared among them; counted, not timed.
// label: concurrency

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/collector/policy.hpp"
#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"
#include "tests/support/rings.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {
namespace {

constexpr size_t kSmallest = 2;
constexpr size_t kLargest = 6;
// Rings between two looks at what is dead.
constexpr size_t kLook = 16;

// By threads that free, each on a line of its own.
struct alignas(64) Freed {
    std::atomic<long> count{0};
};
std::array<Freed, 64> freed;
std::atomic<long> made{0};  // of the looks
std::atomic<long> most_dead{0};

Freed& my_freed() {
    static std::atomic<size_t> next{0};
    thread_local const size_t mine = next.fetch_add(1) % freed.size();
    return freed[mine];
}

long all_freed() {
    long all = 0;
    for (const Freed& one : freed) {
        all += one.count.load();
    }
    return all;
}

// `rings` of them, on the calling thread, which is attached.
void work(size_t rings, unsigned number) {
    long since_look = 0;
    for (size_t i = 0; i < rings; ++i) {
        const size_t size = kSmallest + (i + number) % (kLargest - kSmallest + 1);
        drop_ring(size);
        since_look += static_cast<long>(size);
        if (i % kLook == kLook - 1 || i == rings - 1) {
            const long all = made.fetch_add(since_look) + since_look;
            since_look = 0;
            const long dead = all - all_freed();
            long most = most_dead.load();
            while (most < dead && !most_dead.compare_exchange_weak(most, dead)) {
            }
        }
    }
}

class Backlog : public testing::TestWithParam<const char*> {
protected:
    static bool is_budgeted() {
        const std::string_view runtime = GetParam();
        return runtime.find("engine=") != std::string_view::npos &&
               runtime.find("engine=stw") == std::string_view::npos;
    }

    // A small multiple of what makes a collection due, for each thread that can run at once.
    static long bound(unsigned threads) {
        const auto running = static_cast<long>(std::min(threads, thread::SystemSync::processors()));
        const long batches = 2 * 513L * threads;
        if (is_budgeted()) {
            // Twice (growth-limit=200) what makes a full collection due, at most: as many young collections as in
            // CPython's policy.
            return 2 * 11 * 11 * static_cast<long>(collector::Policy::kYoungThreshold) * running +
                   batches;
        }
        const long trigger = static_cast<long>(running > 1 ? collector::Policy::kYoungOfEach
                                                           : collector::Policy::kYoungThreshold);
        return 4 * trigger * running + batches;
    }

    void drop_in_threads(unsigned threads) {
        const std::string settings = settings_for(GetParam(), "verify=off,growth-limit=200");
        const char* error = nullptr;
        ASSERT_EQ(Ouro_Configure(settings.c_str(), &error), 0) << error;
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&LinkType), 0);
        on_link_death = [] { my_freed().count.fetch_add(1, std::memory_order_relaxed); };
        PyGC_Collect();
        const size_t tracked_before = tracked_objects();
        made = 0;
        most_dead = 0;
        for (Freed& one : freed) {
            one.count = 0;
        }
        // Enough that a heap that is not bounded is seen to grow beyond any of the bounds.
        const size_t rings =
            (is_budgeted() ? scaled(800'000, 320'000) : scaled(200'000, 60'000)) / threads;
        {
            const Detached outside;
            std::vector<std::thread> all;
            for (unsigned i = 0; i < threads; ++i) {
                all.emplace_back([=] {
                    const Attached attached;
                    work(rings, i);
                });
            }
            for (std::thread& one : all) {
                one.join();
            }
        }
        PyGC_Collect();
        EXPECT_EQ(all_freed(), made.load()) << "not all died, or some twice";
        EXPECT_EQ(tracked_objects(), tracked_before);
        EXPECT_LE(most_dead.load(), bound(threads));
        std::printf("%u threads: %ld made, at most %ld dead and not freed (bound %ld)\n", threads,
                    made.load(), most_dead.load(), bound(threads));
        Py_FinalizeEx();
    }
};

TEST_P(Backlog, OfTwoThreads) {
    drop_in_threads(2);
}
TEST_P(Backlog, OfFourThreads) {
    drop_in_threads(4);
}
TEST_P(Backlog, OfSixteenThreads) {
    drop_in_threads(16);
}

EVERY_ENGINE(Backlog);
#ifndef OURO_REFCOUNT_PLAIN
INSTANTIATE_TEST_SUITE_P(WithoutGenerations, Backlog,
                         testing::Values("biased,generations=off", "atomic,generations=off"),
                         runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
