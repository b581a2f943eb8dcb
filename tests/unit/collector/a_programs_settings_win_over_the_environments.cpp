// The environment variable OURO is applied first: what it says holds where the program says nothing,
// and the program's own settings win, also those that are the defaults. A bad variable is reported and
// not ignored.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "core/include/ouroboros.h"

namespace {

// The variable is read once in a program's life: each case is a program of its own, a copy of this
// one. It exits with 0 if `holds`.
void expect_in_new_program(const char* environment, bool (*holds)()) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("OURO", environment, 1);
            std::exit(holds() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "")
        << "OURO=" << environment;
}

bool setting_is(const char* key, const char* value) {
    const bool is = std::string_view(Ouro_Setting(key)) == value;
    if (!is) {
        std::fprintf(stderr, "%s is %s, not %s\n", key, Ouro_Setting(key), value);
    }
    return is;
}

TEST(TheEnvironmentDeathTest, HoldsWhereTheProgramSaysNothing) {
    expect_in_new_program("engine=off,verify=on", [] {
        Py_Initialize();
        return setting_is("engine", "off") && setting_is("verify", "on") &&
               setting_is("refcount", "gil");
    });
    expect_in_new_program("", [] {
        Py_Initialize();
        return setting_is("engine", "stw");
    });
}

TEST(TheEnvironmentDeathTest, HoldsForOtherKeysThanTheProgramNames) {
    expect_in_new_program("engine=off,verify=on", [] {
        const int result = Ouro_Configure("engine=stw", nullptr);
        Py_Initialize();
        return result == 0 && setting_is("engine", "stw") && setting_is("verify", "on");
    });
}

TEST(TheEnvironmentDeathTest, LosesToTheProgram) {
    expect_in_new_program("refcount=gil", [] {
        Ouro_Configure("refcount=atomic", nullptr);
        Py_Initialize();
        return setting_is("refcount", "atomic");
    });
    // Though it asks for what would be so without the variable.
    expect_in_new_program("refcount=atomic", [] {
        Ouro_Configure("refcount=gil", nullptr);
        Py_Initialize();
        return setting_is("refcount", "gil");
    });
    // And keeps losing after a second start.
    expect_in_new_program("refcount=atomic", [] {
        Py_Initialize();
        Py_Finalize();
        Ouro_Configure("refcount=gil", nullptr);
        Py_Initialize();
        Py_Finalize();
        Py_Initialize();
        return setting_is("refcount", "gil");
    });
}

TEST(TheEnvironmentDeathTest, IsAReasonToRefuseIfItIsWrong) {
    expect_in_new_program("engine=wst", [] {
        const char* error = nullptr;
        const int result = Ouro_Configure("verify=on", &error);
        return result == -1 && error != nullptr &&
               std::string_view(error).find("OURO") != std::string_view::npos &&
               std::string_view(error).find("'wst'") != std::string_view::npos;
    });
}

TEST(TheEnvironmentDeathTest, EndsAProgramThatStartsRegardless) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            setenv("OURO", "engine=wst", 1);
            Py_Initialize();
        },
        "Fatal Python error: environment variable OURO: .*character 8.*'wst'.*did you mean 'stw'");
}

}  // namespace
