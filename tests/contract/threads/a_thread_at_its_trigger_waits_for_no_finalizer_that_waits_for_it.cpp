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
    void SetUp() override { start("verify=off"); }
    static void start(const char* settings) {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), settings).c_str(), nullptr), 0);
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

    // A collection, which `collect` brings about, whose finalizer waits by `wait` until another thread has allocated
    // far more containers than make a collection due.
    template <class Wait, class Collect>
    void finalize_until_another_has_got_on(const Wait& wait, const Collect& collect) {
        std::atomic<bool> finalizes{false};
        std::atomic<bool> got_on{false};
        record.on_finalize = [&](Thing*) {
            waits = 0;
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
        ASSERT_EQ(Ouro_AddListener(count_wait, nullptr), 0);
        collect(finalizes, got_on);
        Ouro_RemoveListener(count_wait, nullptr);
        EXPECT_EQ(fate.died.load(), 1);
        // Held back for a moment each time, it would wait ten thousand times.
        EXPECT_LT(waits.load(), 5000);
        const Detached outside;
        other.join();
    }
};

// Ways to wait.
void sleep_until(const std::atomic<bool>& got_on) {
    const Detached outside;
    while (!got_on) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}
// Not run_until, which gives its processor to whoever wants it: how long this is waited for is its processor time.
void spin_until(const std::atomic<bool>& got_on) {
    while (!got_on) {
        Py_MakePendingCalls();
    }
}

// Ways to collect.
void request(const std::atomic<bool>&, const std::atomic<bool>&) {
    PyGC_Collect();
}
void allocate(const std::atomic<bool>& finalizes, const std::atomic<bool>& got_on) {
    while (!finalizes) {
        Py_DECREF(thing_ring(3, kUncounted));
    }
    {
        const Detached outside;
        wait_until([&] { return got_on.load(); });
    }
    PyGC_Collect();
}

TEST_P(Trigger, IsPassedWhileAFinalizerSleeps) {
    finalize_until_another_has_got_on(sleep_until, request);
}

TEST_P(Trigger, IsPassedWhileAFinalizerHasNoEnd) {
    finalize_until_another_has_got_on(spin_until, request);
}

// Each automatic collection is a full one, of a thread of the engine's choice.
class TriggerOfFull : public Trigger {
protected:
    void SetUp() override { start("verify=off,generations=off"); }
};

TEST_P(TriggerOfFull, IsPassedWhileAFinalizerSleeps) {
    finalize_until_another_has_got_on(sleep_until, allocate);
}

TEST_P(TriggerOfFull, IsPassedWhileAFinalizerHasNoEnd) {
    finalize_until_another_has_got_on(spin_until, allocate);
}

EVERY_ENGINE(Trigger);
EVERY_ENGINE(TriggerOfFull);

}  // namespace
}  // namespace ouro::test
