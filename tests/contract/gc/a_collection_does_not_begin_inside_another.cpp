// While a collection runs, PyGC_Collect returns 0 at once, from whatever user code the collection
// calls; the same when collection is disabled. Enabling and disabling return the state before.
// Source: "Supporting Cyclic Garbage Collection", PyGC_Collect, PyGC_Enable, PyGC_Disable.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Inside : public Things {
protected:
    // Other garbage that an inner collection could find, were it to run.
    static void expect_refused() {
        drop_ring(2, &ThingType, 100);
        const long before = record.count(Call::kClear);
        EXPECT_EQ(PyGC_Collect(), 0);
        EXPECT_EQ(record.count(Call::kClear), before);
        ++asked;
    }
    void SetUp() override {
        Things::SetUp();
        asked = 0;
    }
    static inline int asked = 0;
};

TEST_P(Inside, AFinalizer) {
    record.on_finalize = [](Thing*) { expect_refused(); };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(PyGC_Collect(), 6) << "what the finalizers left";
}

TEST_P(Inside, AClear) {
    record.on_clear = [](Thing* op) {
        if (op->id < 100) {
            expect_refused();
        }
        return true;
    };
    drop_ring(3);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(PyGC_Collect(), 6);
}

TEST_P(Inside, ADeallocation) {
    record.on_dealloc = [](Thing* op) {
        if (op->id < 100) {
            expect_refused();
        }
    };
    drop_ring(3);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(PyGC_Collect(), 6);
}

// A deallocation that no collection caused is not inside one.
TEST_P(Inside, ADeallocationByCountAloneMayCollect) {
    Py_ssize_t found = -1;
    record.on_dealloc = [&](Thing* op) {
        if (op->id == 1) {
            found = PyGC_Collect();
        }
    };
    drop_ring(2, &ThingType, 100);
    Py_DECREF(new_thing(1));
    EXPECT_EQ(found, 2);
}

using Switch = Things;

TEST_P(Switch, ADisabledCollectorFindsNothing) {
    drop_ring(3);
    ASSERT_EQ(PyGC_Disable(), 1);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.live, 3);
    EXPECT_THAT(record.calls, testing::IsEmpty());
    ASSERT_EQ(PyGC_Enable(), 0);
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_P(Switch, EachReturnsTheStateBefore) {
    EXPECT_EQ(PyGC_IsEnabled(), 1) << "enabled from the start";
    EXPECT_EQ(PyGC_Enable(), 1);
    EXPECT_EQ(PyGC_Disable(), 1);
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    EXPECT_EQ(PyGC_Disable(), 0);
    EXPECT_EQ(PyGC_Enable(), 0);
    EXPECT_EQ(PyGC_Enable(), 1);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
}

EVERY_RUNTIME(Inside);
EVERY_RUNTIME(Switch);

}  // namespace
}  // namespace ouro::test
