// A fixture with the runtime started anew: `verify=on`, and the count policy of the test's parameter.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "Python.h"
#include "ouroboros.h"
#include "tests/support/runtimes.hpp"

namespace ouro::test {

// Ends the runtime if it runs, and starts it with these settings.
inline void restart(const std::string& settings) {
    Py_Finalize();
    const char* error = nullptr;
    ASSERT_EQ(Ouro_Configure(settings.c_str(), &error), 0) << error;
    Py_Initialize();
}

class RuntimeTest : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        restart(settings_for(GetParam(), "verify=on"));
        tracked_before_ = tracked_now();
    }
    void TearDown() override {
        EXPECT_EQ(tracked(), 0u) << "the test left objects behind";
        Py_Finalize();
    }

    // Tracked objects that came into being since the test began.
    size_t tracked() const { return tracked_now() - tracked_before_; }

private:
    static size_t tracked_now() {
        OuroHeapStatistics statistics;
        Ouro_GetHeapStatistics(&statistics);
        return statistics.tracked;
    }
    size_t tracked_before_ = 0;
};

#define OURO_TEST_EACH_POLICY(Fixture) \
    INSTANTIATE_TEST_SUITE_P(EachPolicy, Fixture, every_runtime(), runtime_name)

}  // namespace ouro::test
