// Metered latency: of seven operations, one of which stalls, as it was computed by hand; and of thousands as
// it follows from all their starts at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/runner/metered.hpp"
#include "experiments/workloads/edges.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using runner::Latencies;
using runner::MeteredLatency;

constexpr int64_t kUs = 1000;

struct Operation {
    int64_t start_ns, end_ns;
};

void expect_latencies(const Latencies& found, std::vector<int64_t> us) {
    std::ranges::sort(us);
    ASSERT_EQ(found.count(), us.size());
    for (size_t i = 0; i < us.size(); ++i) {
        const auto permille = static_cast<unsigned>(1000 * (i + 1) / us.size());
        const auto ns = static_cast<double>(us[i] * kUs);
        EXPECT_NEAR(static_cast<double>(found.at(permille)), ns, 0.01 * ns) << i;
    }
}

// One operation a millisecond, but the third takes four, and those behind it are late.
TEST(Metered, IsWhatAHandComputes) {
    MeteredLatency metered;
    for (const auto& [start_us, end_us] : std::vector<std::pair<int64_t, int64_t>>{{0, 100},
                                                                                   {1000, 1100},
                                                                                   {2000, 6000},
                                                                                   {6000, 6200},
                                                                                   {6200, 6400},
                                                                                   {6400, 6600},
                                                                                   {7000, 7100}}) {
        metered.add(start_us * kUs, end_us * kUs);
    }
    metered.finish();
    expect_latencies(metered.simple(), {100, 100, 4000, 200, 200, 200, 100});
    // In half a millisecond before and after there is nothing that an operation could have been late for.
    expect_latencies(metered.of_window(0), {100, 100, 4000, 200, 200, 200, 100});
    // The fourth sees the second to the last, 1000 to 7000 us, 1200 us apart: it should have begun at 3400 us.
    expect_latencies(metered.of_window(1), {100, 100, 4000, 2800, 1900, 850, 100});
    // All of them, 7000 / 6 us apart: 3500, 4667 and 5833 us for those behind the stall.
    expect_latencies(metered.of_window(2), {100, 100, 4000, 2700, 1733, 767, 100});
    EXPECT_EQ(metered.summary()["10ms"]["count"], 7);
}

Latencies at_once(const std::vector<Operation>& all, int64_t half_ns) {
    Latencies found;
    const auto from = [&](int64_t ns) {
        return std::ranges::lower_bound(all, ns, {}, &Operation::start_ns) - all.begin();
    };
    for (size_t i = 0; i < all.size(); ++i) {
        const Operation& own = all[i];
        const auto first = from(own.start_ns - half_ns);
        const auto last =
            std::min(from(own.start_ns + half_ns), static_cast<ptrdiff_t>(all.size()) - 1);
        int64_t start_ns = own.start_ns;
        if (last > first) {
            const int64_t first_ns = all[static_cast<size_t>(first)].start_ns;
            const double each =
                static_cast<double>(all[static_cast<size_t>(last)].start_ns - first_ns) /
                static_cast<double>(last - first);
            const auto place = static_cast<double>(static_cast<ptrdiff_t>(i) - first);
            start_ns = std::min(start_ns, first_ns + static_cast<int64_t>(each * place));
        }
        found.add(own.end_ns - start_ns);
    }
    return found;
}

TEST(Metered, IsThatOfAllStartsAtOnce) {
    workloads::Random random(seed());
    for (size_t round = 0; round < scaled(20, 4); ++round) {
        std::vector<Operation> all;
        MeteredLatency metered;
        int64_t now = static_cast<int64_t>(random.below(1'000'000'000));
        const uint32_t count = 1 + random.below(20'000);
        for (uint32_t i = 0; i < count; ++i) {
            now += random.below(3) == 0 ? 0 : random.below(20'000);  // some start together
            const int64_t end_ns =
                now + random.below(random.below(1000) == 0 ? 200'000'000 : 10'000);
            all.push_back({now, end_ns});
            metered.add(now, end_ns);
            now =
                random.below(2) == 0 ? end_ns : now;  // a thread, or a thread that only starts them
        }
        metered.finish();
        for (size_t window = 0; window < MeteredLatency::kWindowsMs.size(); ++window) {
            const Latencies expected =
                at_once(all, MeteredLatency::kWindowsMs[window] * 1'000'000 / 2);
            EXPECT_EQ(metered.of_window(window).summary(), expected.summary()) << window;
        }
    }
}

TEST(Metered, OfSeveralThreadsIsAllTheirOperations) {
    MeteredLatency sum;
    for (int64_t thread = 1; thread <= 2; ++thread) {
        MeteredLatency one;
        one.add(0, thread * 100 * kUs);
        one.finish();
        sum.add(one);
    }
    expect_latencies(sum.simple(), {100, 200});
    expect_latencies(sum.of_window(1), {100, 200});
    EXPECT_TRUE(MeteredLatency().summary()["1ms"]["p50_ns"].is_null());
}

}  // namespace
}  // namespace ouro::test
