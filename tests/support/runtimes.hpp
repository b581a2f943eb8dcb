// The ways to run the runtime under which every rule must hold: the tests' parameter. A new engine is here when it is
// in the table of engines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <iterator>
#include <string>
#include <vector>

#include "core/option/engines.hpp"

namespace ouro::test {

// The policy under which a new object is counted by its owner alone.
#ifdef OURO_REFCOUNT_PLAIN
inline constexpr const char* kOwnedCounts = "plain";
#else
inline constexpr const char* kOwnedCounts = "gil";
#endif

// What follows "refcount=" in the settings.
using Runtimes = std::vector<const char*>;

// A policy with an engine of the table (core/option/engines.def), for as long as the program runs.
inline const char* runtime(const std::string& policy, const option::Engine& engine,
                           const std::string& more = {}) {
    static std::deque<std::string> all;
    const std::string name(engine.name);
    return all
        .emplace_back(policy + (name == "stw" ? "" : ",engine=" + name) +
                      (name == "stw-parallel" ? ",workers=3" : "") + more)
        .c_str();
}

// The engines that programs are run with: that collect, and not only for measurements. Plain counts allow no thread
// concurrently with the program's.
inline std::vector<option::Engine> programs_engines() {
    std::vector<option::Engine> found;
    std::ranges::copy_if(
        option::engines(), std::back_inserter(found), [](const option::Engine& engine) {
#ifdef OURO_REFCOUNT_PLAIN
            const bool may = engine.driver != option::Driver::kThread;
#else
        const bool may = true;
#endif
            return may && engine.driver != option::Driver::kCallerAtOnce && engine.name != "off";
        });
    return found;
}

#ifdef OURO_REFCOUNT_PLAIN
inline constexpr std::array kPolicies = {"plain"};
#else
inline constexpr std::array kPolicies = {"gil", "biased", "atomic"};
#endif

// The first engine under each count policy, and each other one under one of them.
inline auto every_runtime() {
    Runtimes found(kPolicies.begin(), kPolicies.end());
    const std::vector<option::Engine> engines = programs_engines();
    for (size_t i = 1; i < engines.size(); ++i) {
        // With small slices there are many.
        found.push_back(
            runtime(kPolicies[i % 3 == 0 ? kPolicies.size() / 2 : 0], engines[i],
                    engines[i].driver == option::Driver::kSlices ? ",pause-budget-us=20" : ""));
    }
    return testing::ValuesIn(found);
}

// Each engine under each count policy.
inline auto every_engine() {
    Runtimes found;
    for (const option::Engine& engine : programs_engines()) {
        for (const char* policy : kPolicies) {
            found.push_back(runtime(policy, engine));
        }
    }
    return testing::ValuesIn(found);
}

#define EVERY_ENGINE(suite) INSTANTIATE_TEST_SUITE_P(Engines, suite, every_engine(), runtime_name)

// The count policies alone: for what no engine has a part in.
inline auto every_way_of_counting() {
#ifdef OURO_REFCOUNT_PLAIN
    return testing::Values("plain");
#else
    return testing::Values("gil", "atomic", "biased");
#endif
}

// Those under which survivors of a young collection are of a middle generation.
inline auto every_runtime_with_a_middle() {
#ifdef OURO_REFCOUNT_PLAIN
    return testing::Values("plain", "plain,engine=stw-parallel,workers=3");
#else
    return testing::Values("gil", "atomic", "biased", "gil,engine=stw-parallel,workers=3");
#endif
}

// Settings for such a parameter; `more` are others, that it may not contradict.
inline std::string settings_for(const char* runtime, const std::string& more) {
    return "engine=stw," + more + ",refcount=" + runtime;
}

// The parameter as a part of a test's name.
inline std::string runtime_name(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
}

#define EVERY_RUNTIME(suite) INSTANTIATE_TEST_SUITE_P(Counts, suite, every_runtime(), runtime_name)
#define EVERY_RUNTIME_WITH_A_MIDDLE(suite) \
    INSTANTIATE_TEST_SUITE_P(Counts, suite, every_runtime_with_a_middle(), runtime_name)
#define EVERY_WAY_OF_COUNTING(suite) \
    INSTANTIATE_TEST_SUITE_P(Counts, suite, every_way_of_counting(), runtime_name)

}  // namespace ouro::test
