// Running out of memory at each allocation of a piece of code in turn, and knowing what was lost.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "core/heap/heap.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/world.hpp"

namespace ouro::test {

// Slots of the heap that hold something, objects and buffers alike: what leaks is counted here.
inline size_t slots_in_use() {
    if (mutator::current != nullptr) {
        // What is freed late is free when a traversal by the collector's thread, if one is under way, has ended.
        constexpr int kMostWaits = 20'000;
        for (int waits = 0; waits < kMostWaits; ++waits) {
            mutator::current->limbo_due = true;
            mutator::reclaim_limbo();
            if (mutator::limbo_bytes() == 0) {
                break;
            }
            Py_BEGIN_ALLOW_THREADS;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            Py_END_ALLOW_THREADS;
        }
    }
    size_t used = 0;
    for (const heap::Block *block = heap::tables.blocks, *end = block + heap::block_limit();
         block < end; ++block) {
        if (block->kind != heap::BlockKind::kFree && block->kind != heap::BlockKind::kLargeTail) {
            used += block->used;
        }
    }
    return used;
}

// Runs code under a plan of failures.
class Failing {
public:
    Failing(uint64_t skip, uint64_t count) : skip_(skip), count_(count) {}

    template <class Code>
    auto operator()(Code code) {
        Ouro_FailAllocations(skip_, count_);
        const auto result = code();
        failed_ += Ouro_FailAllocations(0, 0);
        return result;
    }
    uint64_t failed() const { return failed_; }

private:
    uint64_t skip_, count_, failed_ = 0;
};

// Calls attempt(failing) again and again: the first allocation of what `failing` runs fails, then the
// second, and so on until none is left; and all of it once more with every later one failing too.
// No attempt may leave a slot in use. Returns how many attempts met a failure.
template <class Attempt>
int fail_each_allocation(Attempt attempt) {
    int failures = 0;
    for (const uint64_t count : {uint64_t{1}, UINT64_MAX}) {
        for (uint64_t skip = 0;; ++skip) {
            SCOPED_TRACE("allocation " + std::to_string(skip) + (count == 1 ? "" : " and later"));
            Failing failing(skip, count);
            const size_t before = slots_in_use();
            attempt(failing);
            EXPECT_EQ(slots_in_use(), before) << "something is left";
            if (failing.failed() == 0 || testing::Test::HasFailure()) {
                break;
            }
            ++failures;
        }
    }
    return failures;
}

}  // namespace ouro::test
