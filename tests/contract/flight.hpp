// A collection in flight, for tests of engines that run concurrently with the program: an object whose traversal
// waits, off the test's thread, until the test lets it go on. What it notes lies in memory that child processes
// share.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "tests/contract/threads.hpp"

namespace ouro::test {

struct Gate {
    std::atomic<bool> closed{false};
    std::atomic<int> waiting{0};  // those that came to it
    std::atomic<pid_t> of{0};     // the test's process
    std::atomic<int> mode{0};     // what the traversal does in a child of that process
};
enum ChildMode { kWorks, kCrashes, kHangs };

inline Gate& gate() {
    static Gate* const shared =
        new (mmap(nullptr, sizeof(Gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
            Gate;
    return *shared;
}
inline std::thread::id test_thread;

inline int gate_traverse(PyObject* op, visitproc visit, void* arg) {
    const bool in_child = gate().of.load() != getpid();
    if (in_child && gate().mode.load() == kCrashes) {
        *static_cast<volatile int*>(nullptr) = 1;
    }
    while (in_child && gate().mode.load() == kHangs) {
        pause();
    }
    if (in_child || std::this_thread::get_id() != test_thread) {
        ++gate().waiting;
        while (gate().closed.load()) {
            usleep(100);
        }
    }
    return thing_traverse(op, visit, arg);
}

// A cell whose traversal waits at the gate.
inline PyTypeObject GateType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Gate",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = gate_traverse,
    .tp_clear = thing_clear,
    .tp_base = &ThingType,
};

// Full collections heard of.
struct Heard {
    std::atomic<int> ended{0}, fallbacks{0};
};
inline Heard heard;

inline void hear_flight(const OuroEvent* event, void*) {
    heard.ended += event->phase == OURO_PHASE_CYCLE && event->generation == 2 ? 1 : 0;
    heard.fallbacks += event->phase == OURO_PHASE_FALLBACK ? 1 : 0;
}

// Each engine that runs concurrently with the program, every collection a full one. An object with a gate lives.
class Flight : public testing::TestWithParam<const char*> {
protected:
    static constexpr unsigned kSeconds = 120;
    static std::string more_settings(const char* more) {
        return std::string("verify=off,generations=off,snapshot-limit-ms=60000") + more;
    }
    virtual const char* settings() const { return ""; }

    void SetUp() override {
        alarm(kSeconds);
        ASSERT_NO_FATAL_FAILURE(start_runtime(settings_for(GetParam(), more_settings(settings()))));
        test_thread = std::this_thread::get_id();
        gate().of = getpid();
        gate().mode = kWorks;
        gate().closed = false;
        ASSERT_EQ(PyType_Ready(&GateType), 0);
        guard_ = new_thing(kUncounted, &GateType);
        PyGC_Collect();
        heard.ended = heard.fallbacks = 0;
        ASSERT_EQ(Ouro_AddListener(hear_flight, nullptr), 0);
    }
    void TearDown() override {
        gate().closed = false;
        Ouro_RemoveListener(hear_flight, nullptr);
        Py_DECREF(guard_);
        PyGC_Collect();
        stop_runtime();
        alarm(0);
    }

    // Allocates until one is in flight: it waits at the gate.
    void take_off() {
        gate().waiting = 0;  // a child that was killed there is no other's
        gate().closed = true;
        while (gate().waiting.load() == 0) {
            Py_DECREF(thing_ring(3, kUncounted));
            EXPECT_EQ(Py_MakePendingCalls(), 0);
        }
    }

private:
    PyObject* guard_ = nullptr;
};

#ifdef OURO_REFCOUNT_PLAIN
#define EVERY_FLIGHT(suite) GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)
#define EVERY_SNAPSHOT(suite) GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)
#else
#define EVERY_FLIGHT(suite)                                                                       \
    INSTANTIATE_TEST_SUITE_P(Engines, suite,                                                      \
                             testing::Values("gil,engine=concurrent", "biased,engine=concurrent", \
                                             "atomic,engine=concurrent", "gil,engine=snapshot",   \
                                             "biased,engine=snapshot"),                           \
                             runtime_name)
#define EVERY_SNAPSHOT(suite)                                                                 \
    INSTANTIATE_TEST_SUITE_P(Engines, suite,                                                  \
                             testing::Values("gil,engine=snapshot", "biased,engine=snapshot", \
                                             "atomic,engine=snapshot",                        \
                                             "gil,engine=snapshot-sync"),                     \
                             runtime_name)
#endif

}  // namespace ouro::test
