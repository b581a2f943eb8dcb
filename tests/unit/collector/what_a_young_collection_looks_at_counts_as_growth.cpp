// What a young collection looks at dies among mutators, which go on: until it is over the heap has grown by all of it.

#include <gtest/gtest.h>

#include <cstddef>

#include "core/collector/policy.hpp"

namespace ouro::collector {
namespace {

constexpr size_t kSurvived = 1'000'000;

// With a quarter of what is alive in a young collection, and a quarter since it began.
Policy amid(Scope scope, bool budgeted) {
    Policy policy(budgeted);
    policy.begin(Scope::kFull, 0);
    policy.end(Scope::kFull, kSurvived, 0);
    policy.begin(scope, kSurvived / 4);
    EXPECT_EQ(policy.growth(kSurvived / 4, true), 50U);
    return policy;
}

TEST(WhatAYoungCollectionLooksAt, CountsAsGrowthUntilItIsOver) {
    Policy policy = amid(Scope::kYoung, true);
    policy.end(Scope::kYoung, kSurvived / 4, kSurvived / 4);
    EXPECT_EQ(policy.growth(kSurvived / 4, true), 25U) << "all of it was garbage";
}

TEST(WhatAYoungCollectionLooksAt, CountsOnceWhereItSurvives) {
    Policy policy = amid(Scope::kYoung, true);
    policy.end(Scope::kYoung, kSurvived / 4, 0);
    EXPECT_EQ(policy.growth(kSurvived / 4, true), 50U);
}

TEST(WhatAYoungCollectionLooksAt, CountsOnceWhereItIsSkipped) {
    Policy policy = amid(Scope::kYoung, true);
    policy.left_out();
    EXPECT_EQ(policy.growth(kSurvived / 4, true), 50U);
}

// A local collection, say: the young count is less by them.
TEST(WhatAYoungCollectionLooksAt, CountsLessTheOldThatWereLetGoOf) {
    Policy policy(true);
    policy.begin(Scope::kFull, 0);
    policy.end(Scope::kFull, kSurvived, 0);
    policy.begin(Scope::kYoung, kSurvived / 4, kSurvived / 2);
    policy.begin(Scope::kFull, 0);  // amid it
    policy.end(Scope::kYoung, 3 * kSurvived / 4, 0);
    EXPECT_EQ(policy.growth(0, true), 25U) << "they were old";
    policy.abandoned();
    policy.begin(Scope::kYoung, kSurvived / 4, kSurvived / 2);
    policy.end(Scope::kYoung, kSurvived / 4, 0);
    EXPECT_EQ(policy.growth(0, true), 50U) << "they were young";
    policy.begin(Scope::kYoung, kSurvived / 4, kSurvived / 2);
    policy.left_out();
    EXPECT_EQ(policy.growth(0, true), 75U) << "nobody looked";
}

TEST(WhatAMiddleCollectionLooksAt, CountsAsGrowthUntilItIsOver) {
    Policy policy = amid(Scope::kMiddle, false);
    policy.end(Scope::kMiddle, kSurvived / 4, kSurvived / 4);
    EXPECT_EQ(policy.growth(kSurvived / 4, true), 25U);
}

}  // namespace
}  // namespace ouro::collector
