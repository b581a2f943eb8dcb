// Where pauses have a budget nothing collects the middle generation. What became old beside a small heap is collected
// with everything once a middle collection would have been due; beside a larger one as in CPython's policy.

#include <gtest/gtest.h>

#include <cstddef>

#include "core/collector/policy.hpp"

namespace ouro::collector {
namespace {

// Containers that are allocated, and stay, before everything is due, where so many survived the last time.
size_t allocated_before_a_full_one(bool budgeted, size_t survivors) {
    Policy policy(budgeted);
    policy.begin(Scope::kFull, 0);
    policy.end(Scope::kFull, survivors, 0);
    size_t allocated = 0;
    for (;;) {
        const size_t young = policy.threshold(true) + 1;
        allocated += young;
        Scope scope = Scope::kYoung;
        EXPECT_TRUE(policy.due(young, true, &scope));
        if (scope == Scope::kFull) {
            return allocated;
        }
        if (policy.leave_out()) {
            policy.begin(scope, young);
            policy.left_out();
            continue;
        }
        policy.begin(scope, young);
        policy.end(scope, scope == Scope::kMiddle ? 11 * young : young, 0);
    }
}

constexpr size_t kMiddle =
    12 * (Policy::kYoungThreshold + 1);  // ten young ones, and the one that finds it due
constexpr size_t kOld = 134 * (Policy::kYoungThreshold + 1);

TEST(GarbageBesideASmallHeap, WaitsNoLongerThanAMiddleCollection) {
    EXPECT_LE(allocated_before_a_full_one(true, 0), kMiddle);
    EXPECT_LE(allocated_before_a_full_one(true, 10'000), kMiddle);
    EXPECT_GT(allocated_before_a_full_one(true, 10'000), kMiddle / 2)
        << "a young one is not enough";
}

TEST(GarbageBesideALargerHeap, WaitsUntilThatHasTripledOrItIsTurnOfEverything) {
    const size_t waited = allocated_before_a_full_one(true, 50'000);
    EXPECT_GE(waited, 100'000U);
    EXPECT_LE(waited, 100'000U + kMiddle);
    EXPECT_GT(allocated_before_a_full_one(true, 1'000'000), 240'000U);
    EXPECT_LE(allocated_before_a_full_one(true, 200'000), kOld);
}

TEST(WithoutABudget, AMiddleCollectionFindsIt) {
    EXPECT_GT(allocated_before_a_full_one(false, 0), 10 * kMiddle / 2);
}

}  // namespace
}  // namespace ouro::collector
