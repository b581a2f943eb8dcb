// Any value is judged concurrently with mutators whose blocks come and go: container_at is right about what starts
// at it, and what it has found stays there until the thread's next quiescent point (inv.heap.map-first).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "core/heap/traversed.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/traversal.hpp"
#include "core/mutator/world.hpp"
#include "core/object/object.hpp"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

// A container whose second word tells where it is. Only what is tracked is looked at.
struct Marked {
    uint64_t counts;
    std::atomic<uint64_t> here;
};

uint64_t mark_of(const void* p) {
    return ~reinterpret_cast<uintptr_t>(p);
}

std::array<std::atomic<void*>, 256> told;  // some of what was allocated

// Fills some blocks of one shape, tracks what is in them, and empties them.
void come_and_go(std::mt19937_64& random) {
    constexpr std::array<size_t, 8> kSizes = {32, 48, 112, 400, 1000, 4000, 9000, heap::kBlockSize};
    const size_t bytes = kSizes[random() % kSizes.size()];
    const auto kind = static_cast<heap::BlockKind>(1 + random() % heap::kAllocatedKinds);
    std::vector<void*> all(2 * heap::kBlockSize / bytes + 1);
    for (void*& p : all) {
        p = heap::allocate(kind, bytes);
        if (heap::is_container_kind(kind)) {
            static_cast<Marked*>(p)->here.store(mark_of(p), std::memory_order_relaxed);
            object::track(static_cast<PyObject*>(p));
        } else {
            static_cast<Marked*>(p)->here.store(0, std::memory_order_relaxed);
        }
        told[random() % told.size()].store(p, std::memory_order_relaxed);
    }
    for (void* p : all) {
        heap::free(p);
    }
    heap::release_empty();
    EXPECT_EQ(Py_MakePendingCalls(), 0);
}

const void* any_value(std::mt19937_64& random) {
    const uint64_t choice = random();
    const auto near =
        reinterpret_cast<uintptr_t>(told[random() % told.size()].load(std::memory_order_relaxed));
    switch (choice % 8) {
        case 0:
            return reinterpret_cast<void*>(random());
        case 1:
            return reinterpret_cast<void*>(heap::tables.base + random() % heap::tables.size);
        case 2:
            return reinterpret_cast<void*>(near + random() % 64 - 32);
        case 3:
            return reinterpret_cast<void*>(near ^ (random() & (heap::kBlockSize - 1)));
        default:
            return reinterpret_cast<void*>(near);
    }
}

// One segment. What was found to be an object is where it says, then and at the end.
size_t judge(std::mt19937_64& random) {
    std::vector<const Marked*> found;
    for (int i = 0; i < 500; ++i) {
        const void* p = any_value(random);
        if (heap::address_is_object(p)) {
            found.push_back(static_cast<const Marked*>(p));
        }
        if (const heap::Block* block =
                heap::container_block(random() % (heap::block_limit() + 1))) {
            EXPECT_GT(block->first_slot, 0u);
            EXPECT_GT(block->capacity, 0u);
        }
        for (const Marked* each : found) {
            if (each->here.load(std::memory_order_relaxed) != mark_of(each)) {
                ADD_FAILURE() << each << " is no object";
                return 0;
            }
        }
    }
    return found.size();
}

class Judged : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
        PyGC_Disable();  // what is tracked here has no type
    }
    void TearDown() override {
        PyGC_Enable();
        Py_FinalizeEx();
    }
};

TEST_P(Judged, AnyValueBesideMutators) {
    std::mt19937_64 random(test::seed());
    std::atomic<bool> stop{false};
    std::atomic<size_t> batches{0};
    size_t found = 0;
    {
        const Detached outside;
        std::optional<mutator::Traversal> traversal;
        {
            const Attached attached;
            const mutator::Stopped stopped;
            traversal.emplace();
            traversal->pause();
        }
        std::vector<std::thread> threads;
        for (uint64_t i = 1; i <= 2; ++i) {
            threads.emplace_back([&, i] {
                const Attached attached;
                std::mt19937_64 own(test::seed() + i);
                while (!stop) {
                    come_and_go(own);
                    ++batches;
                }
            });
        }
        traversal->resume();
        const size_t wanted = scaled(1500, 50);
        while ((batches < wanted || found < wanted) && !HasFailure()) {
            found += judge(random);
            traversal->quiesce();
        }
        stop = true;
        traversal->pause();
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    std::printf("%zu found to be objects, beside %zu batches\n", found, batches.load());
}

#ifdef OURO_REFCOUNT_PLAIN
INSTANTIATE_TEST_SUITE_P(Counts, Judged, testing::Values("plain"), runtime_name);
#else
INSTANTIATE_TEST_SUITE_P(Counts, Judged, testing::Values("gil", "biased"), runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
