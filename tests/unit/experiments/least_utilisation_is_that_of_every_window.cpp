// The least utilisation that is found is that of every window that there is, and pauses that are near
// each other are one, with what ran between them.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "experiments/runner/intervals.hpp"
#include "experiments/workloads/edges.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using runner::Interval;
using runner::Intervals;
using runner::least_utilisation;

// By trying every place of the window in steps of one.
double by_trying(const Intervals& intervals, int64_t start, int64_t end, int64_t window) {
    std::vector<bool> stopped(static_cast<size_t>(end - start));
    for (const Interval& each : intervals) {
        for (int64_t t = std::max(each.start_ns, start); t < std::min(each.end_ns, end); ++t) {
            stopped[static_cast<size_t>(t - start)] = true;
        }
    }
    int64_t most = 0;
    for (int64_t first = 0; first + window <= end - start; ++first) {
        most = std::max<int64_t>(
            most, std::count(stopped.begin() + first, stopped.begin() + first + window, true));
    }
    return 1 - static_cast<double>(most) / static_cast<double>(window);
}

TEST(LeastUtilisation, OfHandMadeTracesIsWhatOneSees) {
    const Intervals one = {{10, 14}};
    EXPECT_DOUBLE_EQ(least_utilisation(one, 0, 100, 10).value(), 0.6);
    EXPECT_DOUBLE_EQ(least_utilisation(one, 0, 100, 4).value(), 0);
    EXPECT_DOUBLE_EQ(least_utilisation(one, 0, 100, 2).value(), 0);
    EXPECT_DOUBLE_EQ(least_utilisation(one, 0, 100, 100).value(), 0.96);
    const Intervals two = {{10, 14}, {17, 19}};  // both fit into nine, one and a half into six
    EXPECT_DOUBLE_EQ(least_utilisation(two, 0, 100, 9).value(), 1 - 6.0 / 9);
    EXPECT_DOUBLE_EQ(least_utilisation(two, 0, 100, 8).value(), 1 - 5.0 / 8);
    // Cut by the ends of the run.
    EXPECT_DOUBLE_EQ(least_utilisation(two, 12, 18, 6).value(), 0.5);
    EXPECT_DOUBLE_EQ(least_utilisation({{0, 1'000}}, 10, 20, 5).value(), 0);
}

TEST(LeastUtilisation, WithoutAPauseIsAllAndOfALongerWindowIsUnknown) {
    EXPECT_DOUBLE_EQ(least_utilisation({}, 0, 100, 100).value(), 1);
    EXPECT_FALSE(least_utilisation({}, 0, 100, 101).has_value());
    EXPECT_FALSE(least_utilisation({}, 0, 100, 0).has_value());
}

TEST(LeastUtilisation, IsThatOfEveryWindow) {
    workloads::Random random(seed());
    for (int round = 0; round < 300; ++round) {
        Intervals intervals;
        for (int64_t time = random.below(8); time < 95;) {
            const int64_t length = 1 + random.below(round % 2 == 0 ? 4 : 30);
            intervals.push_back({time, time + length});
            time += length + 1 + random.below(15);
        }
        const int64_t start = random.below(10);
        for (const int64_t window : {1, 2, 3, 7, 10, 37, 80}) {
            EXPECT_DOUBLE_EQ(least_utilisation(intervals, start, 90, window).value(),
                             by_trying(intervals, start, 90, window))
                << "window " << window << ", round " << round;
        }
    }
}

TEST(Intervals, ThatOverlapAreOneWhoseTimesAreCountedOnce) {
    // A cycle with a pause and a phase in it, and a stop of another thread's that reaches into it.
    const Intervals found =
        runner::united({{20, 24, 3}, {10, 30, 15}, {25, 29, 4}, {28, 40, 5}, {50, 60, 1}});
    EXPECT_EQ(found, (Intervals{{10, 40, 20}, {50, 60, 1}}));
    EXPECT_TRUE(runner::united({}).empty());
}

TEST(Intervals, LessThanAGapApartAreOne) {
    const Intervals all = {{0, 10, 1}, {15, 20, 2}, {24, 30, 3}, {40, 50, 4}};
    EXPECT_EQ(runner::merged(all, 5), (Intervals{{0, 10, 1}, {15, 30, 5}, {40, 50, 4}}));
    EXPECT_EQ(runner::merged(all, 6), (Intervals{{0, 30, 6}, {40, 50, 4}}));
    EXPECT_EQ(runner::merged(all, 0), all);
}

TEST(Intervals, CoverWhatLiesInThem) {
    const Intervals all = {{0, 10}, {20, 30}, {40, 50}};
    EXPECT_EQ(runner::covered_ns(all, 5, 45), 20);
    EXPECT_EQ(runner::covered_ns(all, 10, 20), 0);
    EXPECT_EQ(runner::covered_ns(all, 22, 25), 3);
    EXPECT_EQ(runner::covered_ns(all, -10, 100), 30);
}

}  // namespace
}  // namespace ouro::test
