// The setting stress=N: with every Nth container that is allocated a collection of everything begins, whatever
// was deallocated meanwhile, unless collection is disabled.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

constexpr size_t kEvery = 7;

class Stress : public Things {
protected:
    void SetUp() override { begin_with(kEvery); }
    void TearDown() override {
        PyGC_Collect();
        stop_runtime();
        ASSERT_EQ(Ouro_Configure("stress=0", nullptr), 0);
    }
    static void begin_with(size_t every) {
        start_runtime(settings_for(GetParam(), "verify=on,generations=on") +
                      ",stress=" + std::to_string(every));
        PyGC_Collect();
        record.cycles.clear();
    }
    // So many containers, each dropped at once.
    static void allocate(size_t count) {
        for (size_t i = 0; i < count; ++i) {
            Py_XDECREF(PyList_New(0));
        }
    }
};

TEST_P(Stress, CollectsEverythingWithEachSoManyth) {
    allocate(kEvery - 1);
    EXPECT_EQ(record.cycles.size(), 0u);
    allocate(1);
    EXPECT_EQ(record.cycles.size(), 1u);
    allocate(100 * kEvery);
    EXPECT_EQ(record.cycles.size(), 101u);
    for (const OuroEvent& cycle : record.cycles) {
        EXPECT_EQ(cycle.generation, 2u);
        EXPECT_EQ(cycle.trigger, OURO_TRIGGER_ALLOCATION);
    }
}

TEST_P(Stress, CountsFromTheLastCollection) {
    allocate(kEvery - 1);
    PyGC_Collect();
    record.cycles.clear();
    allocate(kEvery - 1);
    EXPECT_EQ(record.cycles.size(), 0u);
    allocate(1);
    EXPECT_EQ(record.cycles.size(), 1u);
}

TEST_P(Stress, IsOfMoreThanAThreadCountsAlone) {
    Stress::TearDown();
    begin_with(1500);
    allocate(1499);
    EXPECT_EQ(record.cycles.size(), 0u);
    allocate(1501);
    EXPECT_EQ(record.cycles.size(), 2u);
}

TEST_P(Stress, CollectsNothingWhereThatIsDisabled) {
    PyGC_Disable();
    allocate(10 * kEvery);
    EXPECT_EQ(record.cycles.size(), 0u);
    PyGC_Enable();
    allocate(1);
    EXPECT_EQ(record.cycles.size(), 1u);
}

TEST_P(Stress, OfNothingIsCPythonsPolicy) {
    Stress::TearDown();
    begin_with(0);
    allocate(5000);
    EXPECT_EQ(record.cycles.size(), 0u) << "what was deallocated counted";
}

EVERY_RUNTIME_WITH_A_MIDDLE(Stress);

}  // namespace
}  // namespace ouro::test
