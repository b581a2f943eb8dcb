// A thread that comes to where a collection is due waits for the end of another thread's, but not for code of the
// program's that does not come back: a finalizer or a callback that blocks, or goes on and on, until that very thread
// has got on.
// label: concurrency

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/contract/flight.hpp"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"

namespace ouro::test {
namespace {

std::atomic<long> waits{0};
void count_wait(const OuroEvent* event, void*) {
    waits += event->phase == OURO_PHASE_WAIT ? 1 : 0;
}

// Called by gc.callbacks in that phase, once.
std::string_view told_phase;
std::function<void()> on_told;
PyObject* tell(PyObject*, PyObject* args) {
    if (on_told && PyUnicode_AsUTF8(PyTuple_GetItem(args, 0)) == told_phase) {
        std::exchange(on_told, nullptr)();
    }
    return Py_NewRef(Py_None);
}
PyMethodDef tell_def = {"tell", tell, METH_VARARGS, nullptr};

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

    // What is given to `call_later` is called by the collection that `collect` brings about, and waits by `wait` until
    // another thread has allocated far more containers than make a collection due.
    template <class CallLater, class Wait, class Collect>
    static void wait_until_another_has_got_on(const CallLater& call_later, const Wait& wait,
                                              const Collect& collect) {
        std::atomic<bool> is_called{false};
        std::atomic<bool> got_on{false};
        call_later([&] {
            waits = 0;
            is_called = true;
            wait(got_on);
        });
        std::thread other([&] {
            wait_until([&] { return is_called.load(); });
            const Attached attached;
            for (int i = 0; i < 60'000; ++i) {
                Py_DECREF(thing_ring(3, kUncounted));
            }
            got_on = true;
        });
        ASSERT_EQ(Ouro_AddListener(count_wait, nullptr), 0);
        collect(is_called, got_on);
        Ouro_RemoveListener(count_wait, nullptr);
        // Held back for a moment each time, it would wait ten thousand times.
        EXPECT_LT(waits.load(), 5000);
        const Detached outside;
        other.join();
    }

    template <class Wait, class Collect>
    static void finalize_until_another_has_got_on(const Wait& wait, const Collect& collect) {
        Fate fate;
        wait_until_another_has_got_on(
            [&fate](const std::function<void()>& work) {
                record.on_finalize = [work](Thing*) { work(); };
                Py_DECREF(thing_ring(1, &fate, &FinalThingType));
            },
            wait, collect);
        EXPECT_EQ(fate.died.load(), 1);
    }

    template <class Wait, class Collect>
    static void tell_until_another_has_got_on(const char* phase, const Wait& wait,
                                              const Collect& collect) {
        PyObject* gc = PyImport_ImportModule("gc");
        PyObject* callbacks = PyObject_GetAttrString(gc, "callbacks");
        PyObject* function = PyCFunction_New(&tell_def, nullptr);
        ASSERT_EQ(PyList_Append(callbacks, function), 0);
        wait_until_another_has_got_on(
            [phase](std::function<void()> work) {
                told_phase = phase;
                on_told = std::move(work);
            },
            wait, collect);
        PyList_SetSlice(callbacks, 0, 1, nullptr);
        Py_DECREF(function);
        Py_DECREF(callbacks);
        Py_DECREF(gc);
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

TEST_P(Trigger, IsPassedWhileACallbackSleepsAtTheStart) {
    tell_until_another_has_got_on("start", sleep_until, request);
}

TEST_P(Trigger, IsPassedWhileACallbackHasNoEndAtTheStop) {
    tell_until_another_has_got_on("stop", spin_until, request);
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
