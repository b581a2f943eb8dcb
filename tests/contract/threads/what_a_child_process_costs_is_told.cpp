// Engine snapshot: of each child process one event tells how much CPU time it took, which is what the system
// charges to this process's children, and which memory it began with. A child that crashes or is killed has
// taken its time all the same.

#include <sys/resource.h>

#include <ctime>

#include "tests/contract/flight.hpp"

namespace ouro::test {
namespace {

constexpr int64_t kBurnt = 30'000'000;

int64_t nanoseconds(const timeval& time) {
    return (int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
}

// Of the children that have ended.
int64_t charged_ns() {
    rusage used = {};
    getrusage(RUSAGE_CHILDREN, &used);
    return nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
}

int64_t process_cpu_ns() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A traversal that takes a known time in a child.
int burning_traverse(PyObject* op, visitproc visit, void* arg) {
    if (gate().of.load() != getpid()) {
        while (process_cpu_ns() < kBurnt) {
        }
    }
    return gate_traverse(op, visit, arg);
}

PyTypeObject BurningType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Burning",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = burning_traverse,
    .tp_clear = thing_clear,
    .tp_base = &ThingType,
};

struct Told {
    std::vector<OuroEvent> forks, children, cycles;
};

void hear_costs(const OuroEvent* event, void* arg) {
    auto* told = static_cast<Told*>(arg);
    if (event->phase == OURO_PHASE_FORK) {
        told->forks.push_back(*event);
    } else if (event->phase == OURO_PHASE_CHILD) {
        told->children.push_back(*event);
    } else if (event->phase == OURO_PHASE_CYCLE) {
        told->cycles.push_back(*event);
    }
}

class AChild : public Flight {
protected:
    void SetUp() override {
        Flight::SetUp();
        ASSERT_EQ(PyType_Ready(&BurningType), 0);
        burning_ = new_thing(kUncounted, &BurningType);
        charged_before_ns_ = charged_ns();
        ASSERT_EQ(Ouro_AddListener(hear_costs, &told), 0);
    }
    void TearDown() override {
        Ouro_RemoveListener(hear_costs, &told);
        Py_DECREF(burning_);
        Flight::TearDown();
    }

    // Two requests: two forks, each with a child and its time.
    void collect_twice() {
        PyGC_Collect();
        PyGC_Collect();
        ASSERT_EQ(told.cycles.size(), 2u);
        ASSERT_EQ(told.forks.size(), 2u);
        ASSERT_EQ(told.children.size(), 2u);
        int64_t sum_ns = 0;
        for (size_t i = 0; i < 2; ++i) {
            const OuroEvent& child = told.children[i];
            EXPECT_EQ(child.cycle, told.forks[i].cycle);
            EXPECT_EQ(child.generation, 2u);
            EXPECT_NE(child.thread, static_cast<uint64_t>(getpid()));
            EXPECT_GE(child.start_ns, told.forks[i].start_ns);
            EXPECT_LE(child.end_ns, told.cycles[i].end_ns);
            EXPECT_GT(child.cpu_ns, 0);
            sum_ns += child.cpu_ns;
        }
        // Both are kept in microseconds, of two kinds of time each, into which the system divides the whole anew for
        // each who asks: 10 us of difference have been seen.
        EXPECT_NEAR(static_cast<double>(charged_ns() - charged_before_ns_),
                    static_cast<double>(sum_ns), 100'000);
    }

    Told told;

private:
    PyObject* burning_ = nullptr;
    int64_t charged_before_ns_ = 0;
};

TEST_P(AChild, ThatWorksTellsItsTimeAndItsMemory) {
    collect_twice();
    for (const OuroEvent& child : told.children) {
        EXPECT_GT(child.objects, 0u);
        EXPECT_GE(child.cpu_ns, kBurnt);
        EXPECT_GE(child.end_ns - child.start_ns, kBurnt);
        EXPECT_GT(child.page_table_bytes, 0u);
        EXPECT_GT(child.rss_bytes, child.page_table_bytes);
    }
}

// It is waited for as long as the limit says, which a busy machine must not make too short for one that works.
class AChildWithALimit : public AChild {
    const char* settings() const override { return ",snapshot-limit-ms=200"; }
};

TEST_P(AChildWithALimit, ThatHangsHasTakenItsTime) {
    gate().mode = kHangs;
    collect_twice();
    for (const OuroEvent& child : told.children) {
        EXPECT_EQ(child.objects, 0u);
        EXPECT_GT(child.rss_bytes, 0u);
    }
}

TEST_P(AChild, ThatCrashesHasTakenItsTime) {
    gate().mode = kCrashes;
    collect_twice();
}

EVERY_SNAPSHOT(AChild);
EVERY_SNAPSHOT(AChildWithALimit);

}  // namespace
}  // namespace ouro::test
