// The control law of pacing (core/collector/pace.hpp) against simulated mutators and collectors: no clock, no heap.
//
// A heap of kAlive objects, of which mutators replace so many a second. A collection is due when a quarter has been
// replaced, marks beside mutators, then tests what it found in stops of a budget. Or mutators make all of it in slices of
// a budget. Time goes on in steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "core/collector/pace.hpp"

namespace ouro::collector {
namespace {

constexpr double kAlive = 10e6;
constexpr double kStep = 20e-6;  // seconds
constexpr double kBudget = 200e-6;
constexpr double kWindow = 10e-3;
constexpr double kLongWindow = 100e-3;
constexpr double kLimit = 200;   // per cent
constexpr double kQuiet = 2e6;   // objects a second
constexpr double kLonger = 0.1;  // of the last collection's work, as in schedule.cpp
constexpr double kAtLimit =
    32 / kBudget;  // objects a second of a mutator that is held as long as it takes

struct Speed {
    double mark_s;     // of one collection
    double test_s;     // of a dead object, in stops
    double reclaim_s;  // of a dead object, beside mutators
};
constexpr Speed kUsual = {0.3, 33e-9, 60e-9};

struct Simulation {
    std::vector<double> found;   // of each collection, objects
    double most_grown = 0;       // per cent
    double least_left = 1;       // of a window, to mutators that are not held back
    double least_left_long = 1;  // of a long window, to mutators, once it has settled
    double made = 0;             // objects
    double held_in_quiet_s = 0;  // by slices for more than a third of the time at less than kQuiet
    double seconds = 0;
};

class World {
public:
    World(Speed speed, std::function<double(double)> rate, bool in_slices = false)
        : speed_(speed), rate_(std::move(rate)), in_slices_(in_slices) {}

    Simulation run(double seconds) {
        while (time_ < seconds) {
            if (pending_ >= kAlive / 4) {
                collect();
            } else {
                mutate(kStep, 0);
            }
        }
        result_.seconds = time_;
        return result_;
    }

private:
    double percent(double objects) const { return objects * 100 / kAlive; }
    Pace pace() const {
        const auto begin = static_cast<size_t>(percent(begun_));
        const auto now = static_cast<size_t>(percent(begun_ + pending_));
        const auto limit = static_cast<size_t>(kLimit);
        if (took_ == 0) {
            return {begin, now, limit};
        }
        const double elapsed = ((in_slices_ ? worked_ : time_) - since_) / took_;
        if (!in_slices_) {
            return {begin, now, limit, elapsed};
        }
        const double rest = std::max(1 + kLonger - elapsed, kLonger) * took_;
        const double between = rate_(time_) * rest * Pace::kBetweenSlices;
        return {begin, now, limit, Pace::Expected{0, percent(between)}};
    }

    // Mutators run, but for the part of the time that they are held back.
    void mutate(double seconds, double held) {
        const double rate = rate_(time_);
        const double made = seconds * (held < 1 ? rate * (1 - held) : std::min(rate, kAtLimit));
        pending_ += made;
        result_.made += made;
        result_.most_grown = std::max(result_.most_grown, percent(begun_ + pending_));
        pass(seconds, 1 - held);
    }

    // Time goes on, of which mutators have a part.
    void pass(double seconds, double part) {
        time_ += seconds;
        left_ += seconds * part;
        window_ += seconds;
        if (window_ >= kWindow) {
            if (pace().pressure() == 0) {
                result_.least_left = std::min(result_.least_left, left_ / window_);
            }
            window_ = left_ = 0;
        }
        if (result_.found.size() > 3) {  // it has settled
            long_left_ += seconds * part;
            long_window_ += seconds;
            if (long_window_ >= kLongWindow) {
                result_.least_left_long =
                    std::min(result_.least_left_long, long_left_ / long_window_);
                long_window_ = long_left_ = 0;
            }
        }
    }

    void beside(double seconds) {
        for (; seconds > 0; seconds -= kStep) {
            mutate(kStep, begun_ > 0 ? pace().pressure() : 0);
        }
    }

    void collect() {
        begun_ = pending_;
        pending_ = 0;
        result_.found.push_back(begun_);
        if (in_slices_) {
            work_in_slices(speed_.mark_s + begun_ * (speed_.test_s + speed_.reclaim_s));
        } else {
            work_beside();
        }
        begun_ = 0;
    }

    void work_in_slices(double work_s) {
        constexpr double least = kBudget / 100;  // until the next allocation that looks
        since_ = worked_;
        while (worked_ < since_ + work_s) {
            worked_ += kBudget;
            pass(kBudget, 0);
            if (rate_(time_) < kQuiet && pace().pressure() > 1.0 / 3) {
                result_.held_in_quiet_s += kBudget;
            }
            mutate(std::max(kBudget * pace().between_slices(), least), 0);
        }
        took_ = work_s;
    }

    void work_beside() {
        since_ = time_;
        beside(speed_.mark_s);
        for (double left = begun_ * speed_.test_s; left > 0; left -= kBudget) {
            pass(kBudget, 0);
            beside(kBudget * pace().running());
        }
        beside(begun_ * speed_.reclaim_s);
        took_ = time_ - since_;
    }

    const Speed speed_;
    const std::function<double(double)> rate_;
    double time_ = 0, pending_ = 0, begun_ = 0, window_ = 0, left_ = 0;
    const bool in_slices_;
    double worked_ = 0, since_ = 0, took_ = 0, long_window_ = 0, long_left_ = 0;
    Simulation result_;
};

Simulation at(double rate, Speed speed = kUsual, double seconds = 30) {
    return World(speed, [rate](double) { return rate; }).run(seconds);
}

// Differences of later collections from one to the next that go there and back.
double swing(const std::vector<double>& found) {
    double most = 0;
    for (size_t i = 4; i + 1 < found.size(); ++i) {
        const double before = found[i] - found[i - 1];
        const double after = found[i + 1] - found[i];
        if (before * after < 0) {
            most = std::max(most, std::min(std::abs(before), std::abs(after)) / found[i]);
        }
    }
    return most;
}

TEST(Pace, SettlesAtEveryRateAndForCollectorsOfEverySpeed) {
    for (const double rate : {0.1e6, 0.6e6, 1.2e6, 2.4e6, 4.8e6, 9.6e6, 20e6}) {
        for (const Speed speed : {kUsual, Speed{0.05, 10e-9, 20e-9}, Speed{1.0, 100e-9, 200e-9}}) {
            const Simulation run = at(rate, speed, 60);
            ASSERT_GE(run.found.size(), 1u) << rate;
            EXPECT_LT(swing(run.found), 0.03) << rate << " a second, " << speed.test_s;
        }
    }
}

TEST(Pace, StaysBelowTheLimit) {
    for (const double rate : {2.4e6, 4.8e6, 9.6e6, 20e6, 100e6}) {
        for (const Speed speed : {kUsual, Speed{1.0, 100e-9, 200e-9}, Speed{5.0, 400e-9, 400e-9}}) {
            // But for what those make who are held back all the time, which is not nothing.
            const double crept =
                kAtLimit * (speed.mark_s + kAlive * (speed.test_s + speed.reclaim_s));
            EXPECT_LT(at(rate, speed).most_grown, kLimit + 100 * crept / kAlive)
                << rate << ", " << speed.test_s;
        }
    }
}

TEST(Pace, LeavesHalfOfEveryTenMillisecondsWhereItKeepsUp) {
    for (const double rate : {0.6e6, 1.2e6, 2.4e6}) {
        const Simulation run = at(rate);
        EXPECT_GE(run.least_left, 0.45) << rate;
        EXPECT_NEAR(run.made / run.seconds, rate, 0.25 * rate) << "all but stops is left";
    }
}

TEST(Pace, LetsGarbageWaitForTwoGrowthsAtMostWhereItKeepsUp) {
    for (const double rate : {0.6e6, 1.2e6, 2.4e6}) {
        EXPECT_LE(at(rate).most_grown, 52) << rate;
    }
}

// At twice the rate that can be found, mutators run for some two fifths of the time: in every window, not in turns.
TEST(Pace, HoldsBackEvenlyWhereItDoesNotKeepUp) {
    const Simulation twice = at(4.8e6, {0.5, 100e-9, 250e-9});
    EXPECT_NEAR(twice.made / twice.seconds, 2.2e6, 0.2e6);
    EXPECT_GE(twice.least_left_long, 0.2);
    EXPECT_GE(at(9.6e6).least_left_long, 0.35);
}

TEST(Pace, StarvesNoMutator) {
    const Simulation run = at(100e6, {5.0, 400e-9, 400e-9});
    EXPECT_GT(run.made / run.seconds, kAtLimit / 2);
}

TEST(Pace, IsItselfAgainAfterAStepInTheRate) {
    const auto steps = [](double time) { return static_cast<int>(time) % 20 < 10 ? 0.6e6 : 20e6; };
    const Simulation run = World(kUsual, steps).run(200);
    EXPECT_LT(run.most_grown, kLimit * 1.02);
    const double usual = at(0.6e6).found.back();
    size_t quiet = 0;
    for (const double found : run.found) {
        quiet += found < 1.1 * usual ? 1 : 0;
    }
    EXPECT_GE(quiet, 10u) << "in each quiet half at least one collection is as in a quiet program";
}

// Those who make more than slices find run for the same part of all of a collection, and not freely before hardly at all.
TEST(Pace, SpreadsSlicesEvenly) {
    constexpr Speed speed{0.35, 140e-9, 60e-9};
    const auto in_slices = [&](double rate) {
        return World(
                   speed, [rate](double) { return rate; }, true)
            .run(60);
    };
    EXPECT_GE(in_slices(1.2e6).least_left_long, 0.5);
    EXPECT_GE(in_slices(4.8e6).least_left_long, 0.35);
    const Simulation saturated = in_slices(7e6);
    EXPECT_GE(saturated.least_left_long, 0.3);
    EXPECT_LE(saturated.most_grown, 160);
    EXPECT_LT(swing(saturated.found), 0.03);
}

// Whoever makes little is not held back for what was made in a burst before.
TEST(Pace, ForgivesWhatWasMadeInABurst) {
    const auto bursts = [](double time) { return static_cast<int>(time) % 4 == 0 ? 7e6 : 1.2e6; };
    const Simulation run = World({0.35, 140e-9, 60e-9}, bursts, true).run(60);
    EXPECT_LT(run.held_in_quiet_s, 0.01 * run.seconds);
    EXPECT_LE(run.most_grown, 160);
}

TEST(Pace, GrowsTheStopsWithTheDebt) {
    EXPECT_DOUBLE_EQ(Pace(25, 25, 200).running(), 3);
    EXPECT_NEAR(Pace(25, 50, 200).running(), 2.2, 0.01);
    EXPECT_DOUBLE_EQ(Pace(25, 50, 200).pressure(), 0);
    EXPECT_DOUBLE_EQ(Pace(25, 75, 200, 1).running(), 1);
    EXPECT_DOUBLE_EQ(Pace(25, 75, 200, 1).pressure(), 0);
    EXPECT_DOUBLE_EQ(Pace(25, 125, 200).pressure(), 1);
    EXPECT_NEAR(Pace(20, 80, 200).pressure(), 0.46, 0.01);
    EXPECT_DOUBLE_EQ(Pace(25, 125, 200).running(), 0);
}

// A mutator that makes slices does not feel where the pressure begins.
TEST(Pace, BringsSlicesTogetherLittleByLittle) {
    EXPECT_DOUBLE_EQ(Pace(25, 25, 200).between_slices(), 1.25);
    EXPECT_DOUBLE_EQ(Pace(25, 50, 200).between_slices(), 1.25);
    EXPECT_DOUBLE_EQ(Pace(25, 125, 200).between_slices(), 0);
    for (size_t growth = 26; growth <= 125; ++growth) {
        const double less =
            Pace(25, growth - 1, 200).between_slices() - Pace(25, growth, 200).between_slices();
        EXPECT_GE(less, 0) << growth;
        EXPECT_LT(less, 0.02) << growth;
    }
}

TEST(Pace, DrawsALineThroughTheTimeThatACollectionTakes) {
    EXPECT_DOUBLE_EQ(Pace(20, 20, 200, 0).pressure(), 0);
    EXPECT_DOUBLE_EQ(Pace(20, 25, 200, 0).pressure(), 0.2);
    EXPECT_DOUBLE_EQ(Pace(20, 45, 200, 0).pressure(), 1);
    EXPECT_DOUBLE_EQ(Pace(20, 50, 200, 0.4).pressure(), 0);
    EXPECT_DOUBLE_EQ(Pace(20, 95, 200, 1).pressure(), 0);
    EXPECT_DOUBLE_EQ(Pace(20, 100, 200, 1).pressure(), 0.2);
    EXPECT_DOUBLE_EQ(Pace(20, 100, 200, 7).pressure(), 0.2);
    EXPECT_DOUBLE_EQ(Pace(20, 120, 200, 0).pressure(), 1);
}

TEST(Pace, HoldsBackThoseWhoMakeSlicesAsMuchAsWhatTheyWillMakeAsks) {
    const auto pressure = [](size_t now, double beside, double between) {
        return Pace(20, now, 200, Pace::Expected{beside, between}).pressure();
    };
    EXPECT_DOUBLE_EQ(pressure(20, 0, 75), 0);
    EXPECT_DOUBLE_EQ(pressure(20, 0, 150), 0.5);
    EXPECT_DOUBLE_EQ(pressure(20, 15, 75), 0.2);
    EXPECT_DOUBLE_EQ(pressure(57, 0, 76), 0.5) << "half of the way the same is left for each";
    EXPECT_DOUBLE_EQ(pressure(80, 0, 10), 0) << "made before, not now";
    EXPECT_DOUBLE_EQ(pressure(80, 16, 10), 1);
    EXPECT_DOUBLE_EQ(pressure(95, 0, 0), 0);
    EXPECT_DOUBLE_EQ(pressure(96, 0, 0), 1);
    EXPECT_DOUBLE_EQ(pressure(120, 0, 0), 1);
}

TEST(Pace, HoldsBackFromTheBeginningWhereTheLimitIsPassedOrNothing) {
    EXPECT_DOUBLE_EQ(Pace(300, 300, 200).pressure(), 1);
    EXPECT_DOUBLE_EQ(Pace(0, 0, 0).pressure(), 1);
    EXPECT_GT(Pace(190, 196, 200).pressure(), 0);
}

}  // namespace
}  // namespace ouro::collector
