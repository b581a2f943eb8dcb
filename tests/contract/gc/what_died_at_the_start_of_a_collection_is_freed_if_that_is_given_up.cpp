// References that wait for an object's owner are dropped when a collection begins. What died so is freed,
// even if the program asks for another collection, or for none, before that one goes on.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

std::atomic<bool> begun{false};

void hear_pause(const OuroEvent* event, void*) {
    if (event->phase == OURO_PHASE_PAUSE && event->generation == 2) {
        begun = true;
    }
}

class GivenUp : public testing::TestWithParam<void (*)()> {};

TEST_P(GivenUp, CollectionsLoseNothing) {
    ASSERT_EQ(Ouro_Configure("engine=incremental,refcount=biased,generations=off,verify=off"
                             ",pause-budget-us=20",
                             nullptr),
              0);
    Py_Initialize();
    ASSERT_EQ(PyType_Ready(&ThingType), 0);
    PyGC_Collect();
    ASSERT_EQ(Ouro_AddListener(hear_pause, nullptr), 0);
    begun = false;
    Fate fate;
    {
        const OwnedElsewhere thing([&fate] { return new_thing(&fate); });
        Py_DECREF(thing.get());
        EXPECT_EQ(fate.died, 0);
        while (!begun) {
            PyObject* ring = new_thing(kUncounted);
            refer(ring, 0, ring);
            Py_DECREF(ring);
        }
        GetParam()();
        EXPECT_EQ(fate.died, 1);
    }
    Ouro_RemoveListener(hear_pause, nullptr);
    PyGC_Enable();
    PyGC_Collect();
    EXPECT_EQ(record.live.load(), 0);
    Py_FinalizeEx();
}

#ifdef OURO_REFCOUNT_PLAIN
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GivenUp);
#else
INSTANTIATE_TEST_SUITE_P(By, GivenUp,
                         testing::Values([] { PyGC_Collect(); }, [] { PyGC_Disable(); }));
#endif

}  // namespace
}  // namespace ouro::test
