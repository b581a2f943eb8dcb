#include "core/bridge/pace.hpp"

#include <algorithm>

namespace ouro::bridge {

void Pace::restart(size_t old_objects) {
    old_ = static_cast<double>(old_objects);
    since_begin_ = 0;
    accounted_ = 0;
    owed_ns_ = 0;
}

void Pace::promoted(size_t objects) {
    since_begin_ += objects;
}

void Pace::begin(double least) {
    old_ += static_cast<double>(since_begin_);
    since_begin_ = 0;
    accounted_ = 0;
    owed_ns_ = 0;
    work_ns_ = 0;
    rate_ = 0;
    due_ = std::max(least, growth_ * old_);
    room_ = kRoom * due_;
}

void Pace::end(const Cycle::Report& report, double utilization) {
    if (report.given_up) {
        return;
    }
    const double odds = utilization / std::max(1 - utilization, 0.01) * due_ /
                        std::max(static_cast<double>(since_begin_), 1.0);
    share_ = std::clamp(odds / (1 + odds), kLeastShare, kProgramsShare);
    const auto objects = static_cast<double>(report.objects);
    const auto garbage = static_cast<double>(report.garbage);
    old_ = std::max(objects - garbage, 0.0);
    garbage_share_ = garbage / std::max(objects, 1.0);
    growth_ = std::clamp(kMostGrowth - garbage_share_, kGrowth, kMostGrowth);
    candidates_share_ = static_cast<double>(report.candidates) / std::max(objects, 1.0);
    refused_share_ = static_cast<double>(report.refused) / std::max(objects, 1.0);
    const double untraced = std::max(objects - static_cast<double>(report.alive), 1.0);
    untraced_share_ = untraced / std::max(objects, 1.0);
    untraced_garbage_share_ = static_cast<double>(report.untraced_garbage) / untraced;
}

void Pace::measured(Stage stage, size_t objects, int64_t ns) {
    if (objects < 32) {
        return;
    }
    double& cost = cost_ns_[static_cast<size_t>(stage)];
    const double seen = static_cast<double>(ns) / static_cast<double>(objects);
    const double weight = std::min(1.0, static_cast<double>(objects) / 4096);
    cost += weight * (std::clamp(seen, 5.0, 20'000.0) - cost);
}

int64_t Pace::left_ns(const Cycle& cycle) const {
    const Cycle::Report& report = cycle.report();
    const double objects = std::max(old_, static_cast<double>(report.objects));
    const auto passed = static_cast<double>(cycle.passed());
    const auto candidates = static_cast<double>(report.candidates);
    const auto found_untraced = static_cast<double>(report.untraced_garbage);
    const double found = static_cast<double>(report.garbage) - found_untraced;
    const auto refused = static_cast<double>(report.refused);
    // Known when all that is alive has been traced.
    const double untraced = cycle.stage() == Stage::kTrace
                                ? objects * untraced_share_
                                : std::max(objects - static_cast<double>(report.alive), 0.0);
    // What is left of it to be counted: known when the untraced have been tested.
    double counted = std::max(untraced - found_untraced, 0.0);
    if (cycle.stage() == Stage::kTrace) {
        counted = untraced * (1 - untraced_garbage_share_);
    } else if (cycle.stage() == Stage::kTestUntraced) {
        const auto tested = static_cast<double>(report.untraced);
        counted -= std::max(untraced - tested, 0.0) * (found_untraced + 1) / (tested + 1);
    }
    const double to_test = std::max(untraced - found_untraced - counted, 0.0);
    const double of_leftover =
        cost(Stage::kNumber) + cost(Stage::kRead) + cost(Stage::kOrder) + cost(Stage::kRelease);
    // A stage that has passed more than was to be expected is not over: objects became old meanwhile.
    const auto of_stage = [passed](double expected) {
        return std::max(expected - passed, passed / 8);
    };
    // What is found, and how, is about what the cycle before found.
    const double leftover = objects * refused_share_ * of_leftover;
    const double freeing = objects * candidates_share_ * cost(Stage::kTest) + leftover;
    const double after_trace = to_test * cost(Stage::kTestUntraced) +
                               counted * (cost(Stage::kCount) + cost(Stage::kMark)) + freeing;
    switch (cycle.stage()) {
        case Stage::kIdle:
            return 0;
        case Stage::kTrace:
            return static_cast<int64_t>(of_stage(objects - untraced) * cost(Stage::kTrace) +
                                        after_trace);
        case Stage::kTestUntraced:
            return static_cast<int64_t>(after_trace);
        case Stage::kCount:
            return static_cast<int64_t>(of_stage(counted) * cost(Stage::kCount) +
                                        counted * cost(Stage::kMark) + freeing);
        case Stage::kSettle:
            return static_cast<int64_t>(counted * (cost(Stage::kMark) + 1) + freeing);
        case Stage::kMark:
            return static_cast<int64_t>(of_stage(counted) * cost(Stage::kMark) + freeing);
        case Stage::kTest:
            return static_cast<int64_t>(std::max(candidates - found, 1000.0) * cost(Stage::kTest) +
                                        leftover);
        case Stage::kNumber:
        case Stage::kRead:
        case Stage::kOrder:
            return static_cast<int64_t>(refused * of_leftover);
        case Stage::kRelease:
            return static_cast<int64_t>(refused * cost(Stage::kRelease));
        case Stage::kClean:
            return static_cast<int64_t>(objects * cost(Stage::kClean));
    }
    return 0;
}

double Pace::programs_share(const Cycle& cycle) const {
    const double dues = static_cast<double>(since_begin_) / std::max(due_, 1.0);
    const double found = static_cast<double>(cycle.report().garbage) / std::max(old_, 1.0);
    const double of_garbage = std::min(std::max(garbage_share_, found) / kMuchGarbage, 1.0);
    const double late =
        std::clamp(std::max((dues - kLate) * of_garbage, dues - kTooLate), 0.0, 1.0);
    const double grown = dues * growth_;
    const double away = std::clamp((grown - kRunsAway) / (kRanAway - kRunsAway), 0.0, 1.0);
    const double share = kProgramsShare - of_garbage * (kProgramsShare - share_);
    return share - late * (share - kLeastShare) - away * of_garbage * (kLeastShare - kLastShare);
}

int64_t Pace::allowance_ns(const Cycle& cycle, int64_t pause_so_far_ns, double utilization) {
    const auto since = static_cast<double>(since_begin_);
    const double room = std::max({room_ - since, room_ / 16, 1.0});
    // For all that has become old since the last time, which is what the caller has told of.
    const double grown = since - accounted_;
    accounted_ = since;
    // Never nothing: a cycle that is in flight would not end.
    const double left = std::max(static_cast<double>(left_ns(cycle)), kUsualSliceNs);
    work_ns_ = std::max(work_ns_, left);
    rate_ = std::max(rate_, left / room);
    owed_ns_ = std::min(owed_ns_ + std::max(grown, 0.0) * rate_, work_ns_);
    if (left <= kUsualSliceNs) {
        owed_ns_ = std::max(owed_ns_, left);  // the last of it
    }
    const double share = programs_share(cycle);
    const double free_ns = (utilization - share) * kWindowNs - static_cast<double>(pause_so_far_ns);
    const auto left_of_budget =
        static_cast<double>(std::max(budget_ns_ - pause_so_far_ns, kLeastSliceNs));
    const bool cannot_come_sooner = period_ < kAlmostLeast && 10 * free_ns > kWindowNs;
    const double part = kUsualSliceNs * (1 + kLonger * (kProgramsShare - share) / kProgramsShare) +
                        (cannot_come_sooner ? std::min(left_of_budget, free_ns) / 2 : 0);
    const double ns = std::min({owed_ns_, part, left_of_budget});
    if (ns < kLeastSliceNs || ns > free_ns) {  // rather a whole one later than a shorter one now
        const double later = owed_ns_ < kLeastSliceNs ? kLaterForNothing : kLaterForNone;
        period_ = std::min(period_ * later, kMostPeriod);
        return 0;
    }
    return static_cast<int64_t>(ns);
}

void Pace::paid(int64_t ns) {
    owed_ns_ = std::max(owed_ns_ - static_cast<double>(ns), 0.0);
    const double change = owed_ns_ > static_cast<double>(ns) ? kSooner : kLater;
    period_ = std::clamp(period_ * change, kLeastPeriod, kMostPeriod);
}

void Pace::nursery_took(size_t objects, int64_t ns) {
    if (objects < 32) {
        return;
    }
    const double seen = static_cast<double>(ns) / static_cast<double>(objects);
    nursery_object_ns_ += (seen > nursery_object_ns_ ? kSlowerCounts : kFasterCounts) *
                          (std::clamp(seen, 5.0, 20'000.0) - nursery_object_ns_);
    nursery_ = std::clamp(static_cast<double>(budget_ns_) / 2 / nursery_object_ns_, kLeastNursery,
                          kMostNursery);
}

size_t Pace::objects_in(int64_t ns, Stage stage) const {
    return static_cast<size_t>(static_cast<double>(ns) / cost(stage)) + 1;
}

int64_t Pace::full_ns() const {
    return static_cast<int64_t>(static_cast<double>(old_objects()) *
                                (cost(Stage::kCount) + cost(Stage::kMark)));
}

}  // namespace ouro::bridge
