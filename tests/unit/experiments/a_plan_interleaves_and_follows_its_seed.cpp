// A plan makes each configuration once for each subject in each invocation, invocations outermost, in
// an order that the seed alone decides; and what is left of it is exactly what has no row.

#include "experiments/runner/run/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace ouro::runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Planned = runner::Run;  // a test has a member of that name
using Plan = std::vector<Planned>;

const Workload& workload(const std::string& name) {
    return *std::ranges::find(catalogue(), name, &Workload::name);
}

nlohmann::json graph(int objects, bool shuffled) {
    return {{"objects", objects}, {"degree", 3}, {"shuffled", shuffled}, {"collections", 5}};
}

// Two sizes in two orders five times, a larger one three times, a captured heap twice; three subjects.
Experiment experiment(uint64_t seed) {
    Experiment made;
    made.title = "test";
    made.seed = seed;
    for (const bool shuffled : {false, true}) {
        made.configurations.push_back({&workload("graph"), graph(10'000, shuffled), 5, 0});
        made.configurations.push_back({&workload("graph"), graph(30'000, shuffled), 5, 0});
        made.configurations.push_back({&workload("graph"), graph(1'000'000, shuffled), 3, 0});
    }
    made.configurations.push_back({&workload("heap"),
                                   {{"program", "ast_stdlib"},
                                    {"arguments", nullptr},
                                    {"shuffled", false},
                                    {"free_threaded", false},
                                    {"collections", 5}},
                                   2,
                                   0});
    made.subjects = {{Subject::Kind::kOurs, "ouro-stw", "ouro", {{"engine", "stw"}}, ""},
                     {Subject::Kind::kPython, "cpython-3.11.2", "/usr/bin/python3", {}, ""},
                     {Subject::Kind::kPython, "cpython-3.14.0t", "python3.14t", {}, ""}};
    made.subjects.back().free_threaded = true;
    return made;
}

constexpr size_t kHeap = 6;  // the captured heap's configuration

TEST(ThePlan, IsTheSameForTheSameSeedAndAnotherForAnother) {
    EXPECT_EQ(make_plan(experiment(7)), make_plan(experiment(7)));
    const Plan seven = make_plan(experiment(7));
    const Plan eight = make_plan(experiment(8));
    ASSERT_EQ(seven.size(), eight.size());
    size_t elsewhere = 0;
    for (size_t i = 0; i < seven.size(); ++i) {
        elsewhere += seven[i].configuration != eight[i].configuration ? 1 : 0;
    }
    EXPECT_GT(elsewhere, seven.size() / 2);
}

TEST(ThePlan, HasInvocationsOutermost) {
    const Plan plan = make_plan(experiment(1));
    EXPECT_TRUE(std::ranges::is_sorted(plan, {}, &Planned::invocation));
    EXPECT_EQ(plan.back().invocation, 4U);
}

TEST(ThePlan, MakesEachConfigurationOnceAnInvocationForEachSubject) {
    const Experiment wanted = experiment(1);
    const Plan plan = make_plan(wanted);
    std::set<std::tuple<unsigned, size_t, size_t, unsigned>> expected;
    for (size_t c = 0; c < kHeap; ++c) {
        for (unsigned i = 0; i < wanted.configurations[c].invocations; ++i) {
            for (size_t s = 0; s < wanted.subjects.size(); ++s) {
                expected.insert({i, c, s, 0});
            }
            expected.insert({i, c, 0, 1});  // the second of the A/A pair, of ours alone
        }
    }
    for (unsigned i = 0; i < 2; ++i) {
        // The first interpreter captures, and collects what it keeps; the other takes no part.
        expected.insert({{i, kHeap, 0, 0}, {i, kHeap, 0, 1}, {i, kHeap, 1, 0}, {i, kHeap, 1, 1}});
    }
    std::set<std::tuple<unsigned, size_t, size_t, unsigned>> found;
    for (const Planned& run : plan) {
        found.insert({run.invocation, run.configuration, run.subject, run.repeat});
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(plan.size(), expected.size());
}

TEST(ThePlan, InterleavesSubjectsAndConfigurations) {
    const Plan plan = make_plan(experiment(1));
    size_t subjects = 0;
    size_t configurations = 0;
    for (size_t i = 1; i < plan.size(); ++i) {
        subjects += plan[i].subject != plan[i - 1].subject ? 1 : 0;
        configurations += plan[i].configuration != plan[i - 1].configuration ? 1 : 0;
    }
    // One after the other there would be a handful of changes.
    EXPECT_GT(subjects, plan.size() / 3);
    EXPECT_GT(configurations, plan.size() / 2);
}

TEST(ThePlan, GivesAllOfAnInvocationTheSameSeed) {
    for (const Planned& run : make_plan(experiment(40))) {
        EXPECT_EQ(run.seed, 40 + run.invocation);
    }
}

TEST(ThePlan, CapturesBeforeAnyoneReadsWhatIsCaptured) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        std::vector<bool> captures;
        for (const Planned& run : make_plan(experiment(seed))) {
            if (run.configuration == kHeap) {
                captures.push_back(run.captures);
            }
        }
        EXPECT_THAT(captures, ElementsAre(true, false, false, false, true, false, false, false));
    }
}

TEST(ThePlan, CapturesWithoutALockWhereThatIsAsked) {
    Experiment wanted = experiment(1);
    wanted.configurations = {wanted.configurations[kHeap]};
    wanted.configurations[0].parameters["free_threaded"] = true;
    std::set<size_t> subjects;
    for (const Planned& run : make_plan(wanted)) {
        subjects.insert(run.subject);
    }
    EXPECT_THAT(subjects, ElementsAre(0, 2));
    wanted.subjects.pop_back();
    EXPECT_TRUE(make_plan(wanted).empty());
}

TEST(ThePlan, HasNoPairsWithoutANoiseFloor) {
    Experiment wanted = experiment(1);
    for (Configuration& each : wanted.configurations) {
        each.noise_floor = 0;
    }
    for (const Planned& run : make_plan(wanted)) {
        EXPECT_EQ(run.repeat, run.captures ? 1U : 0U);
    }
    wanted.configurations.front().noise_floor = 1;
    unsigned pairs = 0;
    for (const Planned& run : make_plan(wanted)) {
        pairs += run.repeat == 1 && !run.captures ? 1 : 0;
        EXPECT_TRUE(run.repeat == 0 || run.captures || run.configuration == 0);
    }
    EXPECT_EQ(pairs, 5U) << "one each invocation, of the subject that is ours";
}

TEST(ThePlan, HasPairsInEverySoManythInvocationFromTheFirstOn) {
    Experiment wanted = experiment(5);
    for (Configuration& each : wanted.configurations) {
        each.noise_floor = 3;
    }
    std::set<unsigned> pairs;
    for (const Planned& run : make_plan(wanted)) {
        if (run.repeat == 1 && !run.captures) {
            pairs.insert(run.invocation);
        }
    }
    EXPECT_THAT(pairs, ElementsAre(0, 3));
}

std::vector<size_t> heap_runs(const Plan& plan) {
    std::vector<size_t> places;
    for (size_t i = 0; i < plan.size(); ++i) {
        if (plan[i].configuration == kHeap) {
            places.push_back(i);
        }
    }
    return places;
}

TEST(WhatIsLeft, IsWhatHasNoRow) {
    const Experiment wanted = experiment(5);
    const Plan plan = make_plan(wanted);
    std::map<size_t, std::string> statuses;
    std::vector<size_t> left = left_to_do(plan, wanted, statuses, false);
    ASSERT_EQ(left.size(), plan.size());
    for (size_t i = 0; i < plan.size(); ++i) {
        EXPECT_EQ(left[i], i);
        statuses[i] = i % 3 == 0 ? "failed" : "ok";
    }
    EXPECT_THAT(left_to_do(plan, wanted, statuses, false), IsEmpty());
    statuses[plan.size() - 1] = "interrupted";
    EXPECT_THAT(left_to_do(plan, wanted, statuses, false), ElementsAre(plan.size() - 1));
}

TEST(WhatIsLeft, HasWhatFailedOnlyIfAsked) {
    const Experiment wanted = experiment(5);
    const Plan plan = make_plan(wanted);
    std::map<size_t, std::string> statuses;
    for (size_t i = 0; i < plan.size(); ++i) {
        statuses[i] = "ok";
    }
    const auto graph = static_cast<size_t>(
        std::ranges::find(plan, size_t{0}, &Planned::configuration) - plan.begin());
    for (const char* status : {"failed", "timeout", "skipped"}) {
        statuses[graph] = status;
        EXPECT_THAT(left_to_do(plan, wanted, statuses, false), IsEmpty());
        EXPECT_THAT(left_to_do(plan, wanted, statuses, true), ElementsAre(graph));
    }
}

TEST(WhatIsLeft, CapturesAgainWhereARunOfItsInvocationIsLeft) {
    const Experiment wanted = experiment(5);
    const Plan plan = make_plan(wanted);
    const std::vector<size_t> heap = heap_runs(plan);
    ASSERT_EQ(heap.size(), 8U);
    std::map<size_t, std::string> statuses;
    for (size_t i = 0; i < plan.size(); ++i) {
        statuses[i] = "ok";
    }
    // One run of each invocation is to be made again: the program must run again for each.
    statuses[heap[2]] = statuses[heap[6]] = "interrupted";
    EXPECT_THAT(left_to_do(plan, wanted, statuses, false),
                ElementsAre(heap[0], heap[2], heap[4], heap[6]));
    statuses[heap[2]] = "ok";
    EXPECT_THAT(left_to_do(plan, wanted, statuses, false), ElementsAre(heap[4], heap[6]));
    // A capture that failed stays so, and what needs it will be skipped.
    statuses[heap[4]] = "failed";
    EXPECT_THAT(left_to_do(plan, wanted, statuses, false), ElementsAre(heap[6]));
    EXPECT_THAT(left_to_do(plan, wanted, statuses, true), ElementsAre(heap[4], heap[6]));
}

}  // namespace
}  // namespace ouro::runner
