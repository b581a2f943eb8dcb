// A collection's code on another thread is waited for while it may come back: not when it sleeps, perhaps for
// what the waiting thread holds, nor when it goes on and on, but for ever where the machine has no time for it.

#include <gtest/gtest.h>

#include "core/collector/finalizer_watchdog.hpp"

namespace ouro::collector {
namespace {

constexpr int64_t kInterval = 100'000'000;

TEST(FinalizerWatchdog, OutlastsStarvation) {
    FinalizerWatchdog patience(kInterval);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_FALSE(patience.is_over(7, 5000, false)) << "after " << i << " looks";
    }
}

TEST(FinalizerWatchdog, EndsWhenTheThreadSleepsOn) {
    FinalizerWatchdog patience(kInterval);
    EXPECT_FALSE(patience.is_over(7, 5000, true));
    EXPECT_FALSE(patience.is_over(7, 5000, true));
    EXPECT_TRUE(patience.is_over(7, 5000, true));
}

TEST(FinalizerWatchdog, EndsWhenItLooksForWhatDoesNotComeAgainAndAgain) {
    FinalizerWatchdog patience(kInterval);
    EXPECT_FALSE(patience.is_over(7, 0, true));
    EXPECT_FALSE(patience.is_over(7, 1'000'000, true));
    EXPECT_TRUE(patience.is_over(7, 2'000'000, true));
}

TEST(FinalizerWatchdog, SleepsOfAThreadThatGoesOnAreNoEnd) {
    FinalizerWatchdog patience(kInterval);
    for (uint64_t slices = 0; slices < 100; ++slices) {
        EXPECT_FALSE(patience.is_over(slices, 0, true));
    }
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(patience.is_over(100, 0, i % 2 == 0));
    }
}

TEST(FinalizerWatchdog, EndsWhenASliceHasNoEnd) {
    FinalizerWatchdog patience(kInterval);
    EXPECT_FALSE(patience.is_over(7, 3 * kInterval, false));
    EXPECT_FALSE(patience.is_over(7, 3 * kInterval + kInterval / 2, false));
    EXPECT_TRUE(patience.is_over(7, 4 * kInterval, false));
    EXPECT_FALSE(patience.is_over(8, 9 * kInterval, false)) << "another slice";
}

}  // namespace
}  // namespace ouro::collector
