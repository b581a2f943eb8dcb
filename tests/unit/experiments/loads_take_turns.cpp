// Operations are due at fixed times, or whenever the one before has ended, or both in turn; what was due in one turn is
// due in the next until it is made.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "experiments/runner/arrivals.hpp"
#include "experiments/runner/load.hpp"

namespace ouro::runner {
namespace {

std::vector<int64_t> all_due(Arrivals arrivals) {
    std::vector<int64_t> found;
    for (; arrivals.due_ns() < arrivals.end_ns(); arrivals.take()) {
        found.push_back(arrivals.due_ns());
    }
    return found;
}

using Times = std::vector<int64_t>;

TEST(Arrivals, OfOneRateAreEvenlySpacedToTheEnd) {
    const Arrivals arrivals(1000, 1050, {10}, 0, 0.5);
    EXPECT_FALSE(arrivals.is_saturated(1000));
    EXPECT_EQ(arrivals.end_of_turn(1020), 1050);
    EXPECT_EQ(all_due(arrivals), (Times{1005, 1015, 1025, 1035, 1045}));
}

TEST(Arrivals, OfASaturatedRunHaveNoTimes) {
    const Arrivals arrivals(1000, 1050, {0}, 0, 0.5);
    EXPECT_TRUE(arrivals.is_saturated(1000));
    EXPECT_TRUE(arrivals.is_saturated(1049));
    EXPECT_EQ(all_due(arrivals), Times{});
}

TEST(Arrivals, HaveTimesInTheTurnsThatHaveARate) {
    const Arrivals arrivals(1000, 1450, {40, 0}, 100, 0);
    EXPECT_EQ(all_due(arrivals), (Times{1000, 1040, 1080, 1200, 1240, 1280, 1400, 1440}));
    for (const int64_t time : {1000, 1099, 1200, 1299, 1400}) {
        EXPECT_FALSE(arrivals.is_saturated(time)) << time;
    }
    for (const int64_t time : {1100, 1199, 1300}) {
        EXPECT_TRUE(arrivals.is_saturated(time)) << time;
    }
    EXPECT_EQ(arrivals.end_of_turn(1000), 1100);
    EXPECT_EQ(arrivals.end_of_turn(1100), 1200);
    EXPECT_EQ(arrivals.end_of_turn(1410), 1450);
}

TEST(Arrivals, OfTwoRatesChangeWithTheTurn) {
    EXPECT_EQ(all_due(Arrivals(0, 300, {50, 25}, 100, 0)),
              (Times{0, 50, 100, 125, 150, 175, 200, 250}));
    // The first turn is without: what is due next is in the second.
    EXPECT_EQ(all_due(Arrivals(0, 250, {0, 60}, 100, 0)), (Times{100, 160}));
    // An interval may be longer than a turn.
    EXPECT_EQ(all_due(Arrivals(0, 300, {150, 60}, 100, 0.9)), (Times{154}));
}

TEST(ALoad, IsOneOrTwo) {
    const auto part = [](const Load& load) {
        return load.percent ? std::to_string(*load.percent)
               : load.rate  ? std::to_string(*load.rate) + "/s"
                            : std::string(kSaturated);
    };
    for (const std::string text : {"saturated", "50", "300000/s", "12,saturated", "saturated,1000",
                                   "1/s,1000000000/s", "50,50"}) {
        const auto loads = parse_load(text);
        ASSERT_TRUE(loads) << text;
        std::string told = part(loads->front());
        for (size_t i = 1; i < loads->size(); ++i) {
            told += "," + part((*loads)[i]);
        }
        EXPECT_EQ(told, text);
    }
    for (const std::string text :
         {"", ",", "50,", ",50", "50,,50", "1,2,3", "0", "1001", "050", "50 ,50", "/s", "0/s",
          "1000000001/s", "half", "50,half", "saturated,"}) {
        EXPECT_FALSE(parse_load(text)) << text;
    }
}

}  // namespace
}  // namespace ouro::runner
