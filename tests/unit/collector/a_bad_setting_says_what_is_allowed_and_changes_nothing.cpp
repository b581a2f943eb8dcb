// Settings are applied as a whole or not at all. What is wrong is said with its place, what was found,
// what is allowed and, where one is near, the spelling that was probably meant.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/include/ouroboros.h"
#include "core/option/settings.hpp"

namespace ouro::option {
namespace {

using testing::AllOf;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<size_t> values_of(const Settings& settings) {
    std::vector<size_t> values;
    for (const Key& key : keys()) {
        values.push_back(key.get(settings));
    }
    return values;
}

std::string error_of(std::string_view text) {
    Settings settings;
    return option::apply(text, settings);
}

TEST(Settings, OfEveryKeyAndValueAreApplied) {
    for (const Key& key : keys()) {
        for (size_t i = 0; i < key.values.size(); ++i) {
            Settings settings;
            const std::string text = std::string(key.name) + "=" + std::string(key.values[i]);
            EXPECT_THAT(option::apply(text, settings), IsEmpty()) << text;
            EXPECT_EQ(key.get(settings), i) << text;
        }
        if (!key.values.empty()) {
            EXPECT_EQ(key.get(Settings()), 0u) << key.name << ": the first value is the default";
        }
    }
}

TEST(Settings, MayBeNumbers) {
    Settings settings;
    EXPECT_EQ(settings.pause_budget_us, 200u);
    EXPECT_THAT(option::apply("pause-budget-us=1000000", settings), IsEmpty());
    EXPECT_EQ(settings.pause_budget_us, 1'000'000u);
    EXPECT_THAT(option::apply("pause-budget-us=1000001", settings), HasSubstr("0..1000000"));
    EXPECT_EQ(settings.pause_budget_us, 1'000'000u);
    EXPECT_THAT(option::apply("workers=7", settings), IsEmpty());
    EXPECT_EQ(settings.workers, 7u);
    EXPECT_THAT(option::apply("workers=0,verify=on", settings), IsEmpty());
    EXPECT_EQ(settings.workers, 0u);
    EXPECT_THAT(option::apply("workers=256", settings), IsEmpty());
    for (const char* bad :
         {"257", "-1", "+1", "1.5", "two", "", " 2", "2 ", "0x2", "1e2", "99999999999999999999"}) {
        EXPECT_THAT(option::apply(std::string("workers=") + bad, settings),
                    AllOf(HasSubstr("character 9:"), HasSubstr(std::string("'") + bad + "'"),
                          HasSubstr("0..256")));
        EXPECT_EQ(settings.workers, 256u);
    }
}

TEST(Settings, AreAppliedInOrderAndMayBeNone) {
    Settings settings;
    EXPECT_THAT(option::apply("", settings), IsEmpty());
    EXPECT_EQ(values_of(settings), values_of(Settings()));
    EXPECT_THAT(option::apply("engine=off,refcount=atomic,verify=on,engine=stw", settings),
                IsEmpty());
    EXPECT_EQ(settings.engine_row().name, "stw");
    EXPECT_EQ(settings.refcount, Policy::kAtomic);
    EXPECT_TRUE(settings.verify);
    // What is not named keeps its value.
    EXPECT_THAT(option::apply("verify=off", settings), IsEmpty());
    EXPECT_EQ(settings.refcount, Policy::kAtomic);
}

TEST(ABadSetting, IsNamedWithItsCharacterAndWhatWasFound) {
    EXPECT_THAT(error_of("engine"),
                AllOf(HasSubstr("character 1:"), HasSubstr("'engine'"), HasSubstr("key=value")));
    EXPECT_THAT(error_of("engine=stw,verify"),
                AllOf(HasSubstr("character 12:"), HasSubstr("'verify'"), HasSubstr("key=value")));
    EXPECT_THAT(error_of("engine=stw,,verify=on"),
                AllOf(HasSubstr("character 12:"), HasSubstr("''")));
    EXPECT_THAT(error_of("speed=7"), AllOf(HasSubstr("character 1:"), HasSubstr("'speed'")));
    EXPECT_THAT(error_of("engine=stw,speed=7"),
                AllOf(HasSubstr("character 12:"), HasSubstr("'speed'")));
    EXPECT_THAT(error_of("engine=fast"), AllOf(HasSubstr("character 8:"), HasSubstr("'fast'")));
    EXPECT_THAT(error_of("verify=on,engine="), AllOf(HasSubstr("character 18:"), HasSubstr("''")));
    EXPECT_THAT(error_of("verify=on,verify=yes=no"),
                AllOf(HasSubstr("character 18:"), HasSubstr("'yes=no'")));
    EXPECT_THAT(error_of(" engine=stw"), AllOf(HasSubstr("character 1:"), HasSubstr("' engine'")));
    EXPECT_THAT(error_of("Engine=stw"), HasSubstr("character 1:"));
}

TEST(ABadSetting, IsAnsweredWithAllThatIsAllowed) {
    for (const Key& key : keys()) {
        EXPECT_THAT(error_of("xyzzy=1"), HasSubstr(std::string(key.name)));
        for (const std::string_view value : key.values) {
            EXPECT_THAT(error_of(std::string(key.name) + "=xyzzyxyzzy"),
                        HasSubstr(std::string(value)));
        }
    }
}

TEST(ABadSetting, IsAnsweredWithTheNearestSpelling) {
    EXPECT_THAT(error_of("engin=stw"), HasSubstr("did you mean 'engine'?"));
    EXPECT_THAT(error_of("enigne=stw"), HasSubstr("did you mean 'engine'?"));
    EXPECT_THAT(error_of("refcounts=gil"), HasSubstr("did you mean 'refcount'?"));
    EXPECT_THAT(error_of("VERIFY=on"), Not(HasSubstr("did you mean")));
    EXPECT_THAT(error_of("engine=swt"), HasSubstr("did you mean 'stw'?"));
    EXPECT_THAT(error_of("engine=of"), HasSubstr("did you mean 'off'?"));
    EXPECT_THAT(error_of("refcount=atomics"), HasSubstr("did you mean 'atomic'?"));
    EXPECT_THAT(error_of("pineapples=7"), Not(HasSubstr("did you mean")));
}

TEST(ABadSetting, ChangesNothing) {
    for (const char* text : {"engine=off,verify=maybe", "engine=off,speed=7", "engine=off,verify",
                             "verify=on,engine=off,refcount=gils", "engine=off,,verify=on"}) {
        Settings settings;
        settings.refcount = Policy::kAtomic;
        const std::vector<size_t> before = values_of(settings);
        EXPECT_THAT(option::apply(text, settings), Not(IsEmpty())) << text;
        EXPECT_EQ(values_of(settings), before) << text;
    }
}

TEST(TheNearestWord, IsTheOneThatDiffersLeast) {
    EXPECT_STREQ(Ouro_NearestWord("grap", "graph|tree|grape"), "graph");
    EXPECT_STREQ(Ouro_NearestWord("tre", "graph|tree|grape"), "tree");
    EXPECT_STREQ(Ouro_NearestWord("tree", "graph|tree|grape"), "tree");
    EXPECT_STREQ(Ouro_NearestWord("concurent-snyc", "stw|concurrent|concurrent-sync"),
                 "concurrent-sync");
    EXPECT_EQ(Ouro_NearestWord("banana", "graph|tree"), nullptr);
    EXPECT_EQ(Ouro_NearestWord("graph", ""), nullptr);
    EXPECT_STREQ(Ouro_NearestWord("on", "on"), "on");
}

// Through the public functions, up to the point from which settings are fixed.
TEST(Configuring, IsRefusedWithAReasonAndChangesNothing) {
    const char* error = nullptr;
    ASSERT_EQ(Ouro_Configure("refcount=atomic", &error), 0);
    EXPECT_EQ(error, nullptr);
    EXPECT_EQ(Ouro_Configure("engine=off,refcount=git", &error), -1);
    ASSERT_NE(error, nullptr);
    EXPECT_THAT(error, AllOf(HasSubstr("character 21:"), HasSubstr("'git'"),
                             HasSubstr("gil, biased, atomic"), HasSubstr("did you mean 'gil'?")));
    EXPECT_STREQ(Ouro_Setting("engine"), "stw");
    EXPECT_STREQ(Ouro_Setting("refcount"), "atomic");
    EXPECT_EQ(Ouro_Configure("nonsense", nullptr), -1);
    EXPECT_EQ(Ouro_Setting("nonsense"), nullptr);
    EXPECT_STREQ(Ouro_SettingValues("refcount"), "gil|biased|atomic");
    EXPECT_EQ(Ouro_SettingValues("nonsense"), nullptr);
    EXPECT_THAT(Ouro_SettingKeys(), StartsWith("engine|refcount|"));
    EXPECT_STREQ(Ouro_SettingValues("workers"), "0..256");
    EXPECT_STREQ(Ouro_Setting("workers"), "0");
    EXPECT_EQ(Ouro_Configure("refcount=gil", nullptr), 0);
    Py_Initialize();
    error = nullptr;
    EXPECT_EQ(Ouro_Configure("engine=off", &error), -1);
    ASSERT_NE(error, nullptr);
    EXPECT_THAT(error, HasSubstr("Py_Initialize"));
    EXPECT_STREQ(Ouro_Setting("engine"), "stw");
    Py_Finalize();
}

}  // namespace
}  // namespace ouro::option
