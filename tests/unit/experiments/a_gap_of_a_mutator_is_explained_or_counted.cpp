// What holds a mutator up shows in its own clock: a collection that an event tells of is explained, and
// the same time without an event is not, whether the thread worked or slept.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "Python.h"
#include "experiments/runner/bench_load.hpp"
#include "experiments/runner/slice_clock.hpp"
#include "experiments/workloads/churn.hpp"

namespace ouro::test {
namespace {

using runner::Gap;
using runner::Intervals;
using runner::unexplained_ns;

TEST(AGap, IsExplainedByWhatHappenedInIt) {
    const Gap gap = {100, 200, 0};
    EXPECT_EQ(unexplained_ns(gap, {}, {}), 100);
    EXPECT_EQ(unexplained_ns(gap, {{90, 150}}, {}), 50);
    EXPECT_EQ(unexplained_ns(gap, {{90, 150}}, {{180, 300}}), 30);
    EXPECT_EQ(unexplained_ns(gap, {{90, 150}}, {{120, 160}}), 40);  // of the hiccup 10 are new
    EXPECT_EQ(unexplained_ns(gap, {{0, 90}, {210, 300}}, {}), 100);
    EXPECT_EQ(unexplained_ns({100, 200, 70}, {{100, 110}}, {}), 20);
    EXPECT_EQ(unexplained_ns({100, 200, 70}, {{100, 110}}, {{190, 200}}),
              20);  // the longer of both
    EXPECT_EQ(unexplained_ns({100, 200, 500}, {}, {}), 0);
}

// Replaces rings; every so many operations something holds it up for some milliseconds.
class HeldUp final : public workloads::Load {
public:
    explicit HeldUp(void (*hold_up)()) : hold_up_(hold_up) {}
    void step() override {
        rings_.step();
        if (++steps_ % 5000 == 0) {
            hold_up_();
        }
    }
    void drop() override { rings_.drop(); }
    size_t live() const override { return rings_.live(); }
    size_t unreachable() const override { return rings_.unreachable(); }

private:
    void (*hold_up_)();
    int steps_ = 0;
    workloads::Churn rings_{{.live = 1000, .oldest_first = true}};
};

nlohmann::json gaps_of(void (*hold_up)()) {
    Py_Initialize();
    runner::LoadBench bench(
        "held-up", nlohmann::json::object(),
        [hold_up](unsigned, unsigned) { return std::make_unique<HeldUp>(hold_up); },
        {.seconds = 1, .load = "50000/s"});
    return bench.measure()["gaps"];
}

void work_on() {
    const int64_t end = runner::wall_ns() + 4'000'000;
    while (runner::wall_ns() < end) {
    }
}

// Of the ten operations of a run that hold the mutator up; where the machine does, too, that explains them: once more.
int most_unexplained(void (*hold_up)()) {
    int most = 0;
    for (int attempt = 0; attempt < 5 && most < 3; ++attempt) {
        most = std::max(most, gaps_of(hold_up)["unexplained"].get<int>());
    }
    return most;
}

TEST(AGap, ThatNoEventTellsOfIsCounted) {
    EXPECT_GE(most_unexplained(work_on), 3);
    EXPECT_GE(most_unexplained([] { std::this_thread::sleep_for(std::chrono::milliseconds(4)); }),
              3);
}

// How many of the longest, which are those of collections, are not explained: other processes make short ones.
int unexplained_long(const nlohmann::json& gaps) {
    const int64_t least = gaps["longest_ns"].get<int64_t>() / 4;
    return static_cast<int>(std::ranges::count_if(gaps["points"], [&](const nlohmann::json& point) {
        return point[1].get<int64_t>() > least && point[2].get<int64_t>() > 1'000'000;
    }));
}

TEST(AGap, OfACollectionIsExplained) {
    Py_Initialize();
    const workloads::Churn heap({.live = 400'000});
    nlohmann::json gaps;
    for (int attempt = 0; attempt < 5; ++attempt) {  // another process may be in the way, once
        gaps = gaps_of([] { PyGC_Collect(); });
        if (unexplained_long(gaps) == 0) {
            break;
        }
    }
    EXPECT_GE(gaps["count"].get<int>(), 3) << "the collections were too short to prove anything";
    EXPECT_EQ(unexplained_long(gaps), 0) << gaps;
    EXPECT_GE(gaps["longest_ns"].get<int64_t>(), 1'000'000);
}

}  // namespace
}  // namespace ouro::test
