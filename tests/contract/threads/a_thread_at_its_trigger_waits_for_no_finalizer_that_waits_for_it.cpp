// A thread that comes to where a collection is due waits for the end of another thread's, but not for code of the
// program's that does not come back: a finalizer that blocks, or goes on and on, until that very thread has got on.
// label: concurrency

#include <atomic>
#include <thread>

#include "tests/contract/flight.hpp"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"

namespace ouro::test {
namespace {

std::atomic<long> waits{0};
void count_wait(const OuroEvent* event, void*) {
    waits += event->phase == OURO_PHASE_WAIT ? 1 : 0;
}

class Trigger : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&ThingType), 0);
        ASSERT_EQ(PyType_Ready(&FinalThingType), 0);
    }
    void TearDown() override {
        record.on_finalize = nullptr;
        PyGC_Collect();
        EXPECT_EQ(record.live.load(), 0);
        Py_FinalizeEx();
    }

    // A collection on this thread, whose finalizer waits by `wait` until another thread has allocated
    // far more containers than make a collection due.
    template <class Wait>
    void finalize_until_another_has_got_on(const Wait& wait) {
        std::atomic<bool> finalizes{false};
        std::atomic<bool> got_on{false};
        record.on_finalize = [&](Thing*) {
            finalizes = true;
            wait(got_on);
        };
        std::thread other([&] {
            wait_until([&] { return finalizes.load(); });
            const Attached attached;
            for (int i = 0; i < 60'000; ++i) {
                Py_DECREF(thing_ring(3, kUncounted));
            }
            got_on = true;
        });
        Fate fate;
        Py_DECREF(thing_ring(1, &fate, &FinalThingType));
        waits = 0;
        ASSERT_EQ(Ouro_AddListener(count_wait, nullptr), 0);
        PyGC_Collect();
        Ouro_RemoveListener(count_wait, nullptr);
        EXPECT_EQ(fate.died.load(), 1);
        // Held back for a moment each time, it would wait ten thousand times.
        EXPECT_LT(waits.load(), 5000);
        const Detached outside;
        other.join();
    }
};

TEST_P(Trigger, IsPassedWhileAFinalizerSleeps) {
    finalize_until_another_has_got_on([](const std::atomic<bool>& got_on) {
        const Detached outside;
        while (!got_on) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
}

TEST_P(Trigger, IsPassedWhileAFinalizerHasNoEnd) {
    finalize_until_another_has_got_on(
        [](const std::atomic<bool>& got_on) { run_until([&] { return got_on.load(); }); });
}

EVERY_ENGINE(Trigger);

}  // namespace
}  // namespace ouro::test
