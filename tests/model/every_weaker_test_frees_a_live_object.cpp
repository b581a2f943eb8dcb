// The exact test, its pause and what follows cannot be had for less: with each part left out or
// made weaker, the shortest way to a live object that is cleared, or to garbage that stays, is
// printed and is as short as it says here.

#include <gtest/gtest.h>

#include <ostream>

#include "tests/model/pipeline/report.hpp"

namespace ouro::model::pipeline {
namespace {

struct Control {
    const char* name;
    Bounds bounds;
    unsigned length;
};

void PrintTo(const Control& control, std::ostream* out) {
    *out << control.name;
}

constexpr Bounds looking(Bounds bounds, Fault fault, Law law = Law::kClearedLive) {
    bounds.fault = fault;
    bounds.look_for = law;
    return bounds;
}

const Control kControls[] = {
    {"no test", looking({}, Fault::kNoTest), 7},
    {"counts equal since they were read", looking({}, Fault::kCountsEqual), 8},
    {"no count of a candidate touched since the cycle began", looking({}, Fault::kCountsUntouched),
     8},
    {"all tested at once, without closure", looking({}, Fault::kNoClosure), 8},
    {"references of the trace, counts of the pause", looking({}, Fault::kEdgesOfTheTrace), 7},
    {"weak references cleared after the pause", looking({.weak = true}, Fault::kWeakClearedLate),
     8},
    {"try-incref of the condemned", looking({.raw = true}, Fault::kTryIncrefCondemned), 7},
    {"condemned weak references keep their callbacks",
     looking({.weak_objects = true}, Fault::kCallbacksKept), 7},
    {"a condemned callback is called",
     looking({.weak_objects = true}, Fault::kCallbacksKept, Law::kLoudCallback), 6},
    {"the condemned are not held", looking({}, Fault::kNoHold), 8},
    {"no second test", looking({.finalizers = true}, Fault::kNoSecondTest), 9},
    {"the second test on the old components",
     looking({.finalizers = true}, Fault::kOldComponents, Law::kMissed), 13},
};

class WeakerTest : public testing::TestWithParam<Control> {};

TEST_P(WeakerTest, HasACounterExample) {
    const Control& control = GetParam();
    const Result result = explore(control.name, control.bounds);
    EXPECT_EQ(result.broken, control.bounds.look_for);
    EXPECT_EQ(result.length, control.length);
    // The bounds are not to blame: with the exact pipeline they break no law.
    Bounds sound = control.bounds;
    sound.fault = Fault::kNone;
    sound.look_for = Law::kNone;
    EXPECT_EQ(Explorer(sound).run().broken, Law::kNone);
}
INSTANTIATE_TEST_SUITE_P(Controls, WeakerTest, testing::ValuesIn(kControls),
                         [](const auto& tested) {
                             std::string name = tested.param.name;
                             std::erase_if(name, [](char c) { return c == ',' || c == '-'; });
                             std::replace(name.begin(), name.end(), ' ', '_');
                             return name;
                         });

}  // namespace
}  // namespace ouro::model::pipeline
