// The ways to run the runtime under which every rule must hold: the tests' parameter. A new engine or
// count policy is one line here.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace ouro::test {

// The policy under which a new object is counted by its owner alone.
#ifdef OURO_REFCOUNT_PLAIN
inline constexpr const char* kOwnedCounts = "plain";
#else
inline constexpr const char* kOwnedCounts = "gil";
#endif

// What follows "refcount=" in the settings.
inline auto every_runtime() {
#ifdef OURO_REFCOUNT_PLAIN
    return testing::Values("plain", "plain,engine=stw-parallel,workers=3",
                           "plain,engine=incremental");
#else
    return testing::Values("gil", "atomic", "biased", "gil,engine=stw-parallel,workers=3",
                           "gil,engine=incremental,pause-budget-us=20", "biased,engine=concurrent",
                           "gil,engine=snapshot");
#endif
}

// Each engine under each count policy.
inline auto every_engine() {
#ifdef OURO_REFCOUNT_PLAIN
    return testing::Values("plain", "plain,engine=stw-parallel,workers=3",
                           "plain,engine=incremental");
#else
    return testing::Values(
        "gil", "biased", "atomic", "gil,engine=stw-parallel,workers=3",
        "biased,engine=stw-parallel,workers=3", "atomic,engine=stw-parallel,workers=3",
        "gil,engine=incremental", "biased,engine=incremental", "atomic,engine=incremental",
        "gil,engine=concurrent", "biased,engine=concurrent", "atomic,engine=concurrent",
        "gil,engine=snapshot", "biased,engine=snapshot", "atomic,engine=snapshot");
#endif
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

#define EVERY_WAY_OF_COUNTING(suite) \
    INSTANTIATE_TEST_SUITE_P(Counts, suite, every_way_of_counting(), runtime_name)

}  // namespace ouro::test
