// A bisection tries its bounds and then halves: it ends with two neighbours, or as near as asked, of which one
// passes and the other does not, and says so where the edge is not between the bounds.

#include "experiments/runner/run/bisection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace ouro::runner {
namespace {

// Every value that is tried, where those from `edge` on pass, or those up to it.
std::vector<int64_t> tried(Bisection& bisection, int64_t edge, bool smallest) {
    std::vector<int64_t> values;
    while (const auto value = bisection.next()) {
        values.push_back(*value);
        bisection.tell(smallest ? *value >= edge : *value <= edge);
    }
    return values;
}

TEST(Bisection, EndsWithTwoNeighbours) {
    const bool fine = rc::check([] {
        const auto low = *rc::gen::inRange<int64_t>(0, 1000);
        const auto high = low + *rc::gen::inRange<int64_t>(1, 1 << 20);
        const bool smallest = *rc::gen::arbitrary<bool>();
        // The bounds themselves are on different sides of it.
        const auto edge =
            *rc::gen::inRange<int64_t>(smallest ? low + 1 : low, smallest ? high + 1 : high);
        Bisection bisection(smallest ? high : low, smallest ? low : high, 0);
        const std::vector<int64_t> values = tried(bisection, edge, smallest);
        RC_ASSERT(bisection.passes() == edge);
        RC_ASSERT(bisection.fails() == edge + (smallest ? -1 : 1));
        RC_ASSERT(values.size() <= 45u);
        std::vector<int64_t> once = values;
        std::ranges::sort(once);
        RC_ASSERT(std::ranges::adjacent_find(once) == once.end());
        RC_ASSERT(once.front() >= low && once.back() <= high);
    });
    EXPECT_TRUE(fine);
}

TEST(Bisection, EndsAsNearAsAsked) {
    Bisection bisection(100'000, 1, 0.05);
    const std::vector<int64_t> values = tried(bisection, 777, true);
    EXPECT_GE(*bisection.passes(), 777);
    EXPECT_LT(*bisection.fails(), 777);
    EXPECT_LE(*bisection.passes() - *bisection.fails(),
              0.05 * static_cast<double>(*bisection.passes()));
    EXPECT_LE(values.size(), 12u) << "by the geometric middle";
}

TEST(Bisection, SaysWhereThereIsNoEdge) {
    Bisection none(100, 1, 0);
    EXPECT_EQ(tried(none, 101, true), std::vector<int64_t>{100});
    EXPECT_EQ(none.passes(), std::nullopt);
    EXPECT_EQ(none.fails(), 100);

    Bisection all(100, 1, 0);
    EXPECT_EQ(tried(all, 0, true), (std::vector<int64_t>{100, 1}));
    EXPECT_EQ(all.passes(), 1);
    EXPECT_EQ(all.fails(), std::nullopt);

    Bisection one(7, 7, 0);
    EXPECT_EQ(tried(one, 7, true), std::vector<int64_t>{7});
    EXPECT_EQ(one.passes(), 7);
}

}  // namespace
}  // namespace ouro::runner
