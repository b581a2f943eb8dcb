// The loads of mutators: lru replaces the oldest ring and nothing else, whatever order the heap has; as
// many of its objects are of the type without the flag as was asked for, and the rings stay rings; and
// every load gives back all that it made.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "experiments/workloads/adversary.hpp"
#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/cycles.hpp"
#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/ring.hpp"
#include "experiments/workloads/rings.hpp"
#include "experiments/workloads/server.hpp"
#include "tests/oracle/runtime_test.hpp"

namespace ouro::test {
namespace {

using workloads::slots_of;

class TheLoads : public RuntimeTest {
protected:
    // All instances of rings that are tracked.
    static std::set<PyObject*> instances() {
        std::set<PyObject*> found;
        PyUnstable_GC_VisitObjects(
            [](PyObject* op, void* arg) {
                if (!is_flagged(op) && !is_unflagged(op)) {
                    return 1;
                }
                static_cast<std::set<PyObject*>*>(arg)->insert(op);
                return 1;
            },
            &found);
        return found;
    }
    static bool is_flagged(PyObject* op) {
        return Py_TYPE(op) == workloads::instance_type(workloads::kRingSlots);
    }
    static bool is_unflagged(PyObject* op) {
        return Py_TYPE(op) == workloads::instance_type(workloads::kRingSlots, "workload.Unflagged",
                                                       {.flagged = false});
    }
};

TEST_P(TheLoads, OfLruReplaceTheOldest) {
    constexpr uint32_t kRings = 100;
    for (const bool shuffled : {false, true}) {
        for (const uint32_t steps : {0u, 1u, 40u, kRings, kRings + 7}) {
            PyGC_Disable();  // so that no new object lies where one of the first did
            workloads::Churn lru({.live = kRings * 4, .oldest_first = true, .shuffled = shuffled});
            const std::set<PyObject*> first = instances();
            ASSERT_EQ(first.size(), kRings * 4u);
            for (uint32_t i = 0; i < steps; ++i) {
                lru.step();
            }
            PyGC_Enable();
            EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(steps) * 4);
            size_t left = 0;
            for (PyObject* op : instances()) {
                left += first.contains(op) ? 1 : 0;
            }
            EXPECT_EQ(left, steps < kRings ? (kRings - steps) * 4u : 0u);
            lru.drop();
            PyGC_Collect();
            EXPECT_TRUE(instances().empty());
        }
    }
}

TEST_P(TheLoads, OfLruLieInTheHeapAsTheyAreToldTo) {
    for (const bool shuffled : {false, true}) {
        PyGC_Collect();
        const workloads::Churn lru({.live = 4000, .oldest_first = true, .shuffled = shuffled});
        size_t near = 0;
        for (PyObject* op : instances()) {
            PyObject* next = slots_of(op)[workloads::kNext];
            EXPECT_EQ(slots_of(next)[workloads::kPrevious], op);
            PyObject* around = slots_of(slots_of(next)[workloads::kNext])[workloads::kNext];
            EXPECT_EQ(slots_of(around)[workloads::kNext], op) << "no ring of four";
            near += std::abs(reinterpret_cast<char*>(next) - reinterpret_cast<char*>(op)) < 256;
        }
        EXPECT_EQ(near > 3900, !shuffled);
        EXPECT_EQ(near < 400, shuffled);
    }
    PyGC_Collect();
}

TEST_P(TheLoads, HaveAsManyUnflaggedObjectsAsTheyAreToldTo) {
    for (const uint32_t percent : {0u, 50u, 100u}) {
        workloads::Churn lru({.live = 4000, .oldest_first = true, .unflagged_percent = percent});
        for (int i = 0; i < 1500; ++i) {
            lru.step();
        }
        PyGC_Collect();
        const std::set<PyObject*> all = instances();
        ASSERT_EQ(all.size(), 4000u);
        const auto unflagged = std::count_if(all.begin(), all.end(), is_unflagged);
        EXPECT_NEAR(static_cast<double>(unflagged), 40.0 * percent, percent % 100 == 0 ? 0 : 200);
        for (PyObject* op : all) {
            EXPECT_EQ(PyType_HasFeature(Py_TYPE(op), OURO_TPFLAGS_CONCURRENT_TRAVERSE) == 0,
                      is_unflagged(op));
        }
    }
    PyGC_Collect();
}

void goes_and_comes(std::unique_ptr<workloads::Load> load, size_t dead_before) {
    for (int i = 0; i < 3000; ++i) {
        load->step();
    }
    load->drop();
    const size_t unreachable = load->unreachable();
    load.reset();
    PyGC_Collect();
    PyGC_Collect();  // what a weak reference brought back for a while
    EXPECT_EQ(workloads::instances_deallocated() - dead_before, unreachable);
}

TEST_P(TheLoads, GiveBackAllThatTheyMade) {
    const size_t before = tracked();
    goes_and_comes(std::make_unique<workloads::Churn>(
                       workloads::ChurnParameters{.live = 400, .oldest_first = true}),
                   workloads::instances_deallocated());
    goes_and_comes(std::make_unique<workloads::Server>(workloads::ServerParameters{.live = 400}),
                   workloads::instances_deallocated());
    for (const std::string& kind : workloads::adversary_kinds()) {
        SCOPED_TRACE(kind);
        goes_and_comes(workloads::new_adversary({.kind = kind, .live = 400, .depth = 300}),
                       workloads::instances_deallocated());
    }
    EXPECT_EQ(tracked(), before);
}

TEST_P(TheLoads, OfCyclesHaveTheComponentsThatTheySay) {
    using workloads::CycleShape;
    for (const CycleShape shape : {CycleShape::kRing, CycleShape::kChain, CycleShape::kRings}) {
        for (const uint32_t objects : {10u, 29u, 5000u}) {
            const workloads::CycleCounts counts = workloads::cycle_counts(shape, objects);
            PyObject* all = workloads::new_cycles(shape, objects);
            ASSERT_NE(all, nullptr);
            const size_t dead = workloads::instances_deallocated();
            Py_DECREF(all);
            EXPECT_EQ(workloads::instances_deallocated(), dead) << "counting freed some of it";
            EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(counts.objects));
            EXPECT_LE(counts.largest, counts.objects);
            EXPECT_LE(counts.components * uint64_t{counts.largest}, 2u * counts.objects);
        }
    }
}

TEST_P(TheLoads, OfRingsDropEachAndKeepNone) {
    PyGC_Disable();
    workloads::Rings rings;
    size_t made = 0;
    for (uint32_t step = 0; step < 12; ++step) {
        made += 2 + step % 5;  // from two to six, in turn
        rings.step();
        EXPECT_EQ(rings.unreachable(), made);
        EXPECT_EQ(rings.backlog(), made) << "nothing was collected yet";
        EXPECT_EQ(instances().size(), made);
    }
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(made));
    EXPECT_EQ(rings.backlog(), 0u);
    EXPECT_TRUE(instances().empty());
}

OURO_TEST_EACH_POLICY(TheLoads);

}  // namespace
}  // namespace ouro::test
