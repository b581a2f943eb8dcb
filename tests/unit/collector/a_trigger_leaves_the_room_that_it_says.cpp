// When a full collection is due under each value of the setting `trigger` (core/collector/triggers), and that pacing has
// its room under each: no clock, no heap.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/collector/pace.hpp"
#include "core/collector/policy.hpp"
#include "core/collector/triggers/resident.hpp"
#include "core/collector/triggers/square_root.hpp"

namespace ouro::collector {
namespace {

double now_s = 0;
size_t resident = 0;
constexpr Gauges kGauges = {[] { return now_s; }, [] { return resident; }};
constexpr double kPrice = 16 * 0.01 / 1e6;
constexpr size_t kYoung = Policy::kYoungThreshold;
constexpr size_t kMega = size_t{1} << 20;

std::unique_ptr<Trigger> make(const std::string& name) {
    now_s = 0;
    resident = 100 * kMega;
    if (name == "resident") {
        return std::make_unique<Resident>(kYoung, kGauges);
    }
    if (name == "square-root") {
        return std::make_unique<SquareRoot>(kPrice, kGauges);
    }
    return std::make_unique<Quarter>();
}

// ---- The rules.

TEST(Quarter, IsOfWhatIsAlive) {
    EXPECT_EQ(Quarter().room(4000), 1000u);
    EXPECT_EQ(Quarter().room(0), 0u);
}

TEST(Resident, WaitsUntilMemoryHasGrownByATenth) {
    const auto it = make("resident");
    it->end(40'000, 1);
    EXPECT_EQ(it->room(40'000), 10'000u);
    resident = 110 * kMega;
    EXPECT_FALSE(it->confirms(10'000));
    EXPECT_EQ(it->room(40'000), 20'000u)
        << "it is looked at again when as many more have been allocated";
    resident = 110 * kMega + 1;
    EXPECT_TRUE(it->confirms(20'000));
    it->begin();
    EXPECT_EQ(it->room(40'000), 10'000u);
    it->end(40'000, 1);
    EXPECT_FALSE(it->confirms(10'000))
        << "memory is compared with what it was at the end of the last one";
}

TEST(Resident, WaitsForFortyThresholdsAtMost) {
    const auto it = make("resident");
    size_t grown = 0;
    do {
        grown = std::max(it->room(1000), kYoung + 1);
    } while (!it->confirms(grown) && grown < 1'000'000);
    EXPECT_GT(grown, 40 * kYoung);
    EXPECT_LE(grown, 42 * (kYoung + 1));
}

TEST(Resident, IsAQuarterWhereTheSystemSaysNothing) {
    const auto it = make("resident");
    resident = 0;
    EXPECT_TRUE(it->confirms(10'000));
}

// With so many alive, so many made a second, and so many looked at a second.
size_t square_root(double price, size_t live, double made, double looked_at) {
    now_s = 0;
    SquareRoot it(price, kGauges);
    for (int sample = 1; sample <= 20; ++sample) {
        now_s = sample * 0.1;
        it.note(static_cast<size_t>(now_s * made));
    }
    it.end(live, static_cast<double>(live) / looked_at);
    return it.room(live);
}

double cost(double room, double price, double live, double made, double looked_at) {
    return live * made / (looked_at * room) + price * room;
}

TEST(SquareRoot, MakesTimeAndMemoryTogetherLeast) {
    for (const size_t live : {10'000u, 1'000'000u, 10'000'000u}) {
        for (const double made : {1e4, 1e6}) {
            for (const double looked_at : {5e6, 3e7}) {
                const auto room = static_cast<double>(square_root(kPrice, live, made, looked_at));
                const auto at = [&](double factor) {
                    return cost(factor * room, kPrice, static_cast<double>(live), made, looked_at);
                };
                EXPECT_LT(at(1), at(0.9)) << live << ", " << made << ", " << looked_at;
                EXPECT_LT(at(1), at(1.1)) << live << ", " << made << ", " << looked_at;
                EXPECT_NEAR(at(1), 2 * kPrice * room, 0.01 * at(1)) << "half of it is time";
            }
        }
    }
}

TEST(SquareRoot, IsAQuarterAtTheUsualPriceWhereTheHeapIsLargeAndSlow) {
    const size_t room = square_root(kPrice, 10'000'000, 1e6, 1e7);
    EXPECT_NEAR(static_cast<double>(room), 2.5e6, 5e4);
}

TEST(SquareRoot, IsAQuarterUntilThereIsSomethingMeasured) {
    const auto it = make("square-root");
    EXPECT_EQ(it->room(4000), 1000u);
    it->note(1000);
    it->end(0, 0);
    EXPECT_EQ(it->room(4000), 1000u);
}

TEST(SquareRoot, HasNoEndWhereMemoryCostsNothing) {
    EXPECT_EQ(square_root(0, 1000, 1e6, 1e7), Trigger::kUnbounded);
}

TEST(SquareRoot, FollowsTheRateWithinSeconds) {
    const auto it = make("square-root");
    size_t made = 0;
    const auto allocate = [&](double seconds, double rate) {
        for (int sample = 0; sample < seconds * 10; ++sample) {
            now_s += 0.1;
            made += static_cast<size_t>(rate / 10);
            it->note(made);
        }
    };
    it->end(1'000'000, 0.1);
    allocate(10, 1e6);
    const auto fast = static_cast<double>(it->room(1'000'000));
    allocate(3, 1e4);
    EXPECT_LT(static_cast<double>(it->room(1'000'000)), 0.4 * fast);
    allocate(10, 1e6);
    EXPECT_NEAR(static_cast<double>(it->room(1'000'000)), fast, 0.05 * fast);
}

// A program that replaces `rate(now)` of kLive containers a second while it runs, and stands still for collections.
struct Simulated {
    std::vector<double> rooms;  // at the end of each collection
    double most = 0;            // grown
    double collecting = 0;      // part of the time
};
constexpr size_t kLive = 1'000'000;
constexpr double kLooked = 1e7;  // containers a second

Simulated simulate(double seconds, const std::function<double(double)>& rate) {
    constexpr double kStep = 0.01;
    now_s = 0;
    SquareRoot it(kPrice, kGauges);
    Simulated found;
    double made = 0;
    double before = 0;  // made when the last collection ended
    while (now_s < seconds) {
        now_s += kStep;
        made += kStep * rate(now_s);
        it.note(static_cast<size_t>(made));
        found.most = std::max(found.most, made - before);
        if (made - before >= static_cast<double>(it.room(kLive))) {
            const double took = kLive / kLooked;
            now_s += took;
            found.collecting += took / seconds;
            it.end(kLive, took);
            before = made;
            found.rooms.push_back(static_cast<double>(it.room(kLive)));
        }
    }
    return found;
}

// The room at which E = sqrt(L a (1 - c E) / (c s)).
double settled(double rate) {
    const double square = kLive * rate / (kPrice * kLooked);
    const double half = square * kPrice / 2;
    return std::sqrt(square + half * half) - half;
}

TEST(SquareRoot, SettlesThoughCollectionsSlowTheProgram) {
    for (const double rate : {1e4, 1e5, 1e6, 5e6}) {
        constexpr double kSeconds = 120;
        const Simulated run = simulate(kSeconds, [=](double) { return rate; });
        ASSERT_GE(run.rooms.size(), 8u) << rate;
        for (size_t i = run.rooms.size() / 2; i < run.rooms.size(); ++i) {
            EXPECT_NEAR(run.rooms[i], settled(rate), 0.15 * settled(rate)) << rate << ", " << i;
        }
        const double one = kLive / kLooked / kSeconds;  // collection, more or less
        EXPECT_NEAR(run.collecting, kPrice * settled(rate), 0.15 * kPrice * settled(rate) + one)
            << rate;
    }
}

TEST(SquareRoot, OvershootsNoStepInTheRate) {
    const auto steps = [](double now) { return static_cast<int>(now) % 20 < 10 ? 1e4 : 2e6; };
    const Simulated run = simulate(200, steps);
    EXPECT_LT(run.most, 1.1 * std::sqrt(kLive * 2e6 / (kPrice * kLooked)));
    const auto [least, most] = std::ranges::minmax(run.rooms);
    EXPECT_GT(most, 0.8 * settled(2e6));
    EXPECT_LT(least, 3 * settled(1e4)) << "in the quiet halves memory is let go of";
}

// ---- In the policy.

struct Due {
    size_t allocated;
    Scope scope;
};

// Allocates containers, all of which stay and a second's worth of which are a million, until a full collection is due.
Due until_due(Policy& policy, bool generations) {
    size_t allocated = 0;
    for (size_t young = 0;;) {
        const size_t batch = 667;  // a third of what exceeds the young threshold
        young += batch;
        allocated += batch;
        now_s += static_cast<double>(batch) / 1e6;
        resident += batch * 64;
        Scope scope = Scope::kYoung;
        if (!policy.due(young, generations, &scope)) {
            continue;
        }
        policy.begin(scope, young);
        if (scope == Scope::kFull || allocated > 100'000'000) {
            return {allocated, scope};
        }
        if (!policy.leave_out()) {
            policy.end(scope, scope == Scope::kMiddle ? 11 * young : young, 0);
        } else {
            policy.left_out();
        }
        young = 0;
    }
}

class InThePolicy : public testing::TestWithParam<const char*> {};

TEST_P(InThePolicy, PacingHasItsRoomWhenACollectionBegins) {
    constexpr size_t kLimit = 200;
    for (const bool generations : {true, false}) {
        for (const bool budgeted : {true, false}) {
            for (const size_t live : {0u, 1000u, 30'000u, 1'000'000u, 10'000'000u}) {
                Policy policy(budgeted, kYoung, make(GetParam()));
                policy.begin(Scope::kFull, 0);
                policy.end(Scope::kFull, live, 0, static_cast<double>(live) / 1e7);
                for (int round = 0; round < 3; ++round) {
                    const std::string where =
                        std::to_string(live) + (generations ? ", on" : ", off") +
                        (budgeted ? ", budgeted, " : ", ") + std::to_string(round);
                    ASSERT_EQ(until_due(policy, generations).scope, Scope::kFull) << where;
                    const size_t begun = policy.growth_at_begin(generations);
                    EXPECT_LE(begun, 105u) << where;
                    EXPECT_EQ(policy.growth(0, generations), begun) << where;
                    EXPECT_EQ(Pace(begun, begun, kLimit).pressure(), 0) << where;
                    size_t young = 0;
                    size_t last = begun;
                    while (Pace(begun, policy.growth(young, generations), kLimit).pressure() < 1) {
                        ASSERT_LT(young, 200'000'000u) << where;
                        EXPECT_GE(policy.growth(young, generations), last) << where;
                        last = policy.growth(young, generations);
                        young += 1 + young / 8;
                    }
                    policy.end(Scope::kFull, live + 1000, 1000,
                               static_cast<double>(live + 1) / 1e7);
                }
            }
        }
    }
}

TEST_P(InThePolicy, AnAbandonedCollectionIsDueAgainAtOnceAndCountedOnce) {
    for (const bool generations : {true, false}) {
        Policy policy(true, kYoung, make(GetParam()));
        policy.begin(Scope::kFull, 0);
        policy.end(Scope::kFull, 1'000'000, 0, 0.1);
        const size_t first = until_due(policy, generations).allocated;
        policy.abandoned();
        EXPECT_LT(until_due(policy, generations).allocated, 2 * kYoung);
        policy.end(Scope::kFull, 1'000'000, 0, 0.1);
        const size_t again = until_due(policy, generations).allocated;
        EXPECT_NEAR(static_cast<double>(again), static_cast<double>(first),
                    0.25 * static_cast<double>(std::max(first, again)));
    }
}

INSTANTIATE_TEST_SUITE_P(EachTrigger, InThePolicy,
                         testing::Values("quarter", "resident", "square-root"),
                         [](const auto& name) {
                             return name.param == std::string("square-root")
                                        ? std::string("SquareRoot")
                                        : std::string(name.param);
                         });

TEST(SquareRootInThePolicy, TheSquareRootNeedsNoTenMiddleCollections) {
    const auto allocated = [](const std::string& name) {
        Policy policy(true, kYoung, make(name));
        policy.begin(Scope::kFull, 0);
        policy.end(Scope::kFull, 100'000, 0, 0.001);
        policy.set_thresholds({static_cast<int>(kYoung), 10, 1000});
        (void)until_due(policy, true);
        policy.end(Scope::kFull, 100'000, 0, 0.001);
        return until_due(policy, true).allocated;
    };
    EXPECT_LT(allocated("square-root"), 150'000u);
    EXPECT_GT(allocated("quarter"), 190'000u) << "until it has tripled";
}

}  // namespace
}  // namespace ouro::collector
