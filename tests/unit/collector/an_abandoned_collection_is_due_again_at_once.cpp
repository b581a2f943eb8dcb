// A full collection that is abandoned has found nothing: what had become old before it is still to be looked at, and
// does not wait until as much again has.

#include <gtest/gtest.h>

#include <cstddef>

#include "core/collector/policy.hpp"

namespace ouro::collector {
namespace {

constexpr size_t kAlive = 1'000'000;

// A young collection in which all survived.
Scope next_scope(Policy& policy) {
    const size_t young = policy.threshold(true) + 1;
    Scope scope = Scope::kYoung;
    EXPECT_TRUE(policy.due(young, true, &scope));
    policy.begin(scope, young);
    if (scope == Scope::kYoung) {
        policy.end(scope, young, 0);
    }
    return scope;
}

TEST(AnAbandonedCollection, IsDueAgainAtOnce) {
    Policy policy(true);
    policy.begin(Scope::kFull, 0);
    policy.end(Scope::kFull, kAlive, 0);
    while (next_scope(policy) != Scope::kFull) {
    }
    const size_t growth = policy.growth(0, true);
    EXPECT_GE(growth, 25U);
    policy.abandoned();
    EXPECT_EQ(policy.growth(0, true), growth) << "it has not shrunk";
    EXPECT_EQ(next_scope(policy), Scope::kFull);
    EXPECT_GE(policy.growth_at_begin(true), growth);
}

TEST(AnAbandonedCollection, IsDueAgainAtOnceWithoutGenerations) {
    Policy policy(true);
    policy.begin(Scope::kFull, 0);
    policy.end(Scope::kFull, kAlive, 0);
    EXPECT_GT(policy.threshold(false), kAlive / 5);
    policy.begin(Scope::kFull, kAlive / 4);
    policy.abandoned();
    EXPECT_EQ(policy.threshold(false), Policy::kYoungThreshold);
    policy.begin(Scope::kFull, Policy::kYoungThreshold + 1);
    EXPECT_GT(policy.threshold(false), kAlive / 5);
}

TEST(AnAbandonedCollection, IsNotDueAgainWhenAnotherHasEnded) {
    Policy policy(true);
    policy.begin(Scope::kFull, kAlive);
    policy.abandoned();
    policy.begin(Scope::kFull, 0);
    policy.end(Scope::kFull, kAlive, 0);
    EXPECT_EQ(policy.growth(0, true), 0U);
    EXPECT_EQ(next_scope(policy), Scope::kYoung);
}

}  // namespace
}  // namespace ouro::collector
