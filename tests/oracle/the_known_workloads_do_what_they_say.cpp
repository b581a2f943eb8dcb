// The workloads that others know: as much garbage as was asked for, all of it cyclic or none of it, no more
// alive than was asked for, and nothing left at the end.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "experiments/workloads/binary_trees.hpp"
#include "experiments/workloads/cyclotron.hpp"
#include "experiments/workloads/gcbench.hpp"
#include "experiments/workloads/ggauss.hpp"
#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::CyclotronShape;

class KnownWorkloads : public RuntimeTest {
protected:
    void TearDown() override {
        PyGC_Enable();
        RuntimeTest::TearDown();
    }
};

// While it is disabled nothing is collected on request either.
Py_ssize_t collect() {
    PyGC_Enable();
    return PyGC_Collect();
}

constexpr uint32_t kLive = 400;
constexpr uint32_t kSize = 10;

workloads::CyclotronParameters cyclotron(CyclotronShape shape, double cyclic_fraction = 1) {
    return {.shape = shape,
            .cycle_size = kSize,
            .extra_bytes = 100,
            .live_objects = kLive,
            .cyclic_fraction = cyclic_fraction,
            .seed = seed()};
}

TEST_P(KnownWorkloads, ChainsAreDroppedWhenAsManyLiveAsWereAskedFor) {
    PyGC_Disable();
    workloads::Cyclotron load(cyclotron(CyclotronShape::kChain));
    const size_t dead = workloads::instances_deallocated();
    for (uint32_t step = 1; step <= 2 * kLive / kSize; ++step) {
        load.step();
        EXPECT_EQ(load.unreachable(), step / (kLive / kSize) * kLive);
        EXPECT_EQ(load.backlog(), load.unreachable()) << "nothing was collected yet";
    }
    EXPECT_EQ(workloads::instances_deallocated(), dead);
    // A witness is no instance, but a container.
    EXPECT_EQ(collect(), static_cast<Py_ssize_t>(2 * kLive + 2 * kLive / kSize));
    EXPECT_EQ(workloads::instances_deallocated() - dead, 2 * kLive);
    EXPECT_EQ(load.backlog(), 0u);
}

TEST_P(KnownWorkloads, AQueueDropsItsOldest) {
    PyGC_Disable();
    workloads::Cyclotron load(cyclotron(CyclotronShape::kQueue));
    for (uint32_t step = 1; step <= 3 * kLive / kSize + 7; ++step) {
        load.step();
        const uint32_t gone = step > kLive / kSize ? step * kSize - kLive : 0;
        EXPECT_EQ(load.unreachable(), gone);
        EXPECT_EQ(load.backlog(), gone);
    }
    const size_t alive = tracked();
    const auto collected = static_cast<size_t>(collect());
    EXPECT_EQ(collected, load.unreachable() / kSize * (kSize + 1));
    EXPECT_EQ(alive - tracked(), collected);
    EXPECT_EQ(load.backlog(), 0u);
    load.drop();
    EXPECT_EQ(load.backlog(), kLive);
    collect();
}

TEST_P(KnownWorkloads, ACollectorHasNothingToDoWhereNothingIsCyclic) {
    for (const CyclotronShape shape :
         {CyclotronShape::kChain, CyclotronShape::kTree, CyclotronShape::kQueue}) {
        const size_t before = tracked();
        PyGC_Disable();
        {
            workloads::Cyclotron load(cyclotron(shape, 0));
            for (uint32_t i = 0; i < 500; ++i) {
                load.step();
                EXPECT_EQ(load.backlog(), 0u);
            }
            EXPECT_GT(load.unreachable(), 0u);
            load.drop();
            EXPECT_EQ(load.backlog(), 0u);
        }
        EXPECT_EQ(tracked(), before);
        EXPECT_EQ(collect(), 0);
    }
}

TEST_P(KnownWorkloads, AFractionIsCyclic) {
    PyGC_Disable();
    workloads::Cyclotron load(cyclotron(CyclotronShape::kQueue, 0.25));
    constexpr uint32_t kUnits = 8000;
    for (uint32_t i = 0; i < kUnits; ++i) {
        load.step();
    }
    load.drop();
    EXPECT_EQ(load.unreachable(), kUnits * kSize);
    EXPECT_NEAR(static_cast<double>(load.backlog()), 0.25 * kUnits * kSize, 0.025 * kUnits * kSize);
    collect();
    EXPECT_EQ(load.backlog(), 0u);
}

// Steps with automatic collection, then all of it goes. Returns how many instances died.
size_t goes_and_comes(workloads::Load& load, size_t steps) {
    const size_t dead = workloads::instances_deallocated();
    for (size_t i = 0; i < steps; ++i) {
        load.step();
    }
    load.drop();
    collect();
    return workloads::instances_deallocated() - dead;
}

TEST_P(KnownWorkloads, GiveBackAllThatTheyMade) {
    const size_t before = tracked();
    for (const CyclotronShape shape :
         {CyclotronShape::kChain, CyclotronShape::kTree, CyclotronShape::kQueue}) {
        workloads::Cyclotron load(cyclotron(shape));
        const size_t dead = goes_and_comes(load, 1000);
        EXPECT_EQ(load.unreachable(), 1000u * kSize);
        EXPECT_EQ(load.backlog(), 0u);
        if (shape != CyclotronShape::kTree) {  // which has lists and tuples as well
            EXPECT_EQ(dead, load.unreachable());
        }
    }
    for (const bool parents : {false, true}) {
        workloads::BinaryTrees load({.depth = 6, .parents = parents});
        EXPECT_EQ(workloads::BinaryTrees::trees(6), 1u + 64 + 16);
        EXPECT_EQ(load.live(), 127u);
        const size_t dead = goes_and_comes(load, workloads::BinaryTrees::trees(6));
        EXPECT_EQ(dead, load.unreachable());
        EXPECT_EQ(load.unreachable(), 255u + 64 * 31 + 16 * 127 + 127);
    }
    {
        workloads::GaussianGraphs load({.live = 600, .nodes = 100, .degree = 3, .seed = seed()});
        EXPECT_EQ(load.live(), 600u);
        const size_t dead = goes_and_comes(load, 50);
        EXPECT_EQ(dead, load.unreachable());
        EXPECT_EQ(load.unreachable(), 600u + 50 * 100);
    }
    {
        workloads::GcBench bench(6, 1000);
        EXPECT_EQ(bench.round(), 511u + 2 * (1022 / 31) * 31 + 2 * (1022 / 127) * 127);
    }
    EXPECT_EQ(tracked(), before);
}

TEST_P(KnownWorkloads, TreesWithParentsAreGarbage) {
    for (const bool parents : {false, true}) {
        PyGC_Disable();
        workloads::BinaryTrees load({.depth = 5, .parents = parents});
        load.step();
        EXPECT_EQ(collect(), parents ? 127 : 0);
        load.drop();
        EXPECT_EQ(collect(), parents ? 63 : 0);
    }
}

// All tracked nodes without children, with a reference each.
std::vector<PyObject*> leaves() {
    std::vector<PyObject*> found;
    PyUnstable_GC_VisitObjects(
        [](PyObject* op, void* arg) {
            if (Py_TYPE(op) == workloads::instance_type(3, "workload.TreeNode") &&
                workloads::slots_of(op)[0] == nullptr) {
                static_cast<std::vector<PyObject*>*>(arg)->push_back(Py_NewRef(op));
            }
            return 1;
        },
        &found);
    return found;
}

TEST_P(KnownWorkloads, ATreeWithParentsIsOneComponent) {
    for (size_t which = 0; which < 32; ++which) {
        workloads::BinaryTrees load({.depth = 5, .parents = true});
        std::vector<PyObject*> all = leaves();
        ASSERT_EQ(all.size(), 32u);
        for (size_t i = 0; i < all.size(); ++i) {
            if (i != which) {
                Py_DECREF(all[i]);
            }
        }
        load.drop();
        EXPECT_EQ(collect(), 0) << "each leaf leads to the root, and that to all";
        Py_DECREF(all[which]);
        EXPECT_EQ(collect(), 63);
    }
}

TEST(Gaussian, DistancesHaveTheDeviationThatTheyShould) {
    for (const uint32_t deviation : {0u, 10u, 1000u}) {
        workloads::Random random(seed());
        double sum = 0;
        double squares = 0;
        size_t near = 0;
        constexpr size_t kDraws = 200'000;
        for (size_t i = 0; i < kDraws; ++i) {
            const auto each = static_cast<double>(workloads::gaussian_distance(random, deviation));
            sum += each;
            squares += each * each;
            near += std::abs(each) <= deviation;
        }
        const double mean = sum / kDraws;
        // Rounded down, so half a place to the left.
        EXPECT_NEAR(mean, deviation == 0 ? 0 : -0.5, 0.01 * deviation);
        EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean), deviation, 0.02 * deviation);
        if (deviation == 1000) {
            EXPECT_NEAR(static_cast<double>(near) / kDraws, 0.68, 0.02);
        }
    }
}

OURO_TEST_EACH_POLICY(KnownWorkloads);

}  // namespace
}  // namespace ouro::test
