// Of millions of latencies the histogram gives every percentile to a hundredth, and the greatest as it
// was.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/runner/latencies.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/workloads/edges.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

TEST(Latencies, AreKeptToAHundredth) {
    workloads::Random random(seed());
    const auto all = std::make_unique<runner::Latencies>();
    const auto half = std::make_unique<runner::Latencies>();
    std::vector<int64_t> samples;
    for (int i = 0; i < 100'000; ++i) {
        const auto ns = static_cast<int64_t>(random.next() >> (24 + random.below(40)));
        samples.push_back(ns);
        (i % 2 == 0 ? all : half)->add(ns);
    }
    all->add(*half);
    std::ranges::sort(samples);
    ASSERT_EQ(all->count(), samples.size());
    for (const unsigned permille : {1u, 10u, 100u, 500u, 900u, 990u, 999u}) {
        const int64_t exact = runner::percentile(samples, permille);
        EXPECT_GE(all->at(permille), exact);
        EXPECT_LE(static_cast<double>(all->at(permille)), static_cast<double>(exact) * 1.01);
    }
    EXPECT_EQ(all->at(1000), samples.back());
    EXPECT_EQ(all->summary()["max_ns"], samples.back());
}

TEST(Latencies, ThatAreSmallAreExact) {
    runner::Latencies few;
    for (int64_t ns = 0; ns < 256; ++ns) {
        few.add(ns);
    }
    EXPECT_EQ(few.at(500), 127);
    EXPECT_EQ(few.at(1000), 255);
    few.add(INT64_MAX, 3);
    EXPECT_EQ(few.count(), 259u);
    EXPECT_EQ(few.at(1000), INT64_MAX);
    few.add(-5);  // no time at all
    EXPECT_EQ(few.at(1), 0);
}

TEST(Latencies, WithoutASampleAreUnknown) {
    EXPECT_TRUE(runner::Latencies().summary()["p50_ns"].is_null());
}

}  // namespace
}  // namespace ouro::test
