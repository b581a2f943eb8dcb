// The churn workload against the numbers of places.hpp, of which it is made: which live rings are
// replaced, how much becomes unreachable, and that all of it waits for the collector. And the young
// workload: as many old and young objects as it says, each young one with a reference to an old one.

#include <rapidcheck.h>

#include <memory>
#include <set>

#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/ring.hpp"
#include "experiments/workloads/young.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::slots_of;

class TheChurnWorkload : public RuntimeTest {
protected:
    static void SetUpTestSuite() {
        const std::string parameters =
            "seed=" + std::to_string(seed()) + " max_success=" + std::to_string(scaled(100, 10));
        ::setenv("RC_PARAMS", parameters.c_str(), 0);
    }
};

TEST_P(TheChurnWorkload, ReplacesWhatItsPlacesSay) {
    EXPECT_TRUE(rc::check("churn is its places", [this] {
        workloads::ChurnParameters parameters;
        parameters.cycle_size = *rc::gen::inRange(1u, 7u);
        const uint32_t groups = *rc::gen::inRange(1u, 50u);
        parameters.live = groups * parameters.cycle_size +
                          *rc::gen::inRange(0u, parameters.cycle_size);  // left out
        parameters.replace_percent = *rc::gen::inRange(0u, 101u);
        parameters.seed = *rc::gen::arbitrary<uint64_t>();
        const auto operations = *rc::gen::inRange(0u, 200u);

        const size_t tracked_before = tracked();
        const size_t dead_before = workloads::instances_deallocated();
        PyGC_Disable();
        workloads::PlaceGenerator places(groups, parameters.replace_percent, parameters.seed);
        std::set<uint32_t> replaced;
        size_t kept = 0;
        for (uint32_t i = 0; i < operations; ++i) {
            const uint32_t place = places.next();
            if (place != workloads::PlaceGenerator::kNone) {
                RC_ASSERT(place < groups);
                replaced.insert(place);
                ++kept;
            }
        }
        if (parameters.replace_percent == 0) {
            RC_ASSERT(kept == 0u);
        } else if (parameters.replace_percent == 100) {
            RC_ASSERT(kept == operations);
        }
        {
            workloads::Churn churn(parameters);
            const size_t live = size_t{groups} * parameters.cycle_size;
            RC_ASSERT(churn.live() == live);
            RC_ASSERT(tracked() - tracked_before == live + 1);
            for (uint32_t i = 0; i < operations; ++i) {
                churn.step();
            }
            const size_t unreachable = size_t{operations} * parameters.cycle_size;
            RC_ASSERT(churn.unreachable() == unreachable);
            RC_ASSERT(churn.backlog() == unreachable);
            RC_ASSERT(churn.made() == live + unreachable);
            RC_ASSERT(workloads::instances_deallocated() == dead_before);
            PyGC_Enable();
            RC_ASSERT(PyGC_Collect() == static_cast<Py_ssize_t>(unreachable));
            RC_ASSERT(churn.backlog() == 0u);
            RC_ASSERT(tracked() - tracked_before == live + 1);
        }
        PyGC_Collect();
        RC_ASSERT(tracked() == tracked_before);
    }));
}

TEST_P(TheChurnWorkload, ItsRingsAreRings) {
    PyTypeObject* type = workloads::instance_type(workloads::kRingSlots);
    for (const uint32_t size : {1u, 2u, 3u, 10u}) {
        PyObject* first = workloads::new_ring(type, size);
        std::set<PyObject*> seen;
        PyObject* op = first;
        do {
            seen.insert(op);
            PyObject* next = slots_of(op)[workloads::kNext];
            EXPECT_EQ(slots_of(next)[workloads::kPrevious], op);
            EXPECT_EQ(Py_REFCNT(op), op == first ? 3 : 2);
            op = next;
        } while (op != first);
        EXPECT_EQ(seen.size(), size);
        Py_DECREF(first);
        EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(size));
    }
}

// With a middle generation, so that what survived once can be collected without the old.
class TheYoungWorkload : public TheChurnWorkload {};

TEST_P(TheYoungWorkload, ReferToTheOld) {
    constexpr size_t kOld = 400;
    constexpr size_t kYoung = 80;
    auto owned =
        std::make_unique<workloads::YoungAndOld>(workloads::YoungParameters{kOld + 3, kYoung + 1});
    workloads::YoungAndOld& heap = *owned;
    EXPECT_EQ(heap.old_objects(), kOld);
    EXPECT_EQ(heap.young_objects(), kYoung);
    const size_t without_young = tracked();
    EXPECT_EQ(Ouro_CollectGeneration(1), 0);

    heap.make_young(true);
    EXPECT_EQ(tracked(), without_young + kYoung);
    struct References {
        size_t young = 0;
        std::set<PyObject*> old_ones;
    } references;
    const auto note = [](PyObject* op, void* arg) {
        if (Py_TYPE(op) == workloads::instance_type(3) && slots_of(op)[2] != nullptr) {
            auto* found = static_cast<References*>(arg);
            ++found->young;
            found->old_ones.insert(slots_of(op)[2]);
            EXPECT_EQ(slots_of(slots_of(op)[2])[2], nullptr) << "that is no old one";
        }
        return 1;
    };
    PyUnstable_GC_VisitObjects(note, &references);
    EXPECT_EQ(references.young, kYoung);
    EXPECT_GT(references.old_ones.size(), kYoung / 2) << "they are not scattered";
    EXPECT_EQ(Ouro_CollectGeneration(0), 0);
    heap.let_go();
    EXPECT_EQ(Ouro_CollectGeneration(1), static_cast<Py_ssize_t>(kYoung));

    heap.make_young(false);
    EXPECT_EQ(Ouro_CollectGeneration(0), static_cast<Py_ssize_t>(kYoung));
    EXPECT_EQ(tracked(), without_young);
    owned.reset();
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(kOld));
}
OURO_TEST_EACH_POLICY(TheChurnWorkload);
INSTANTIATE_TEST_SUITE_P(EachPolicy, TheYoungWorkload, every_runtime_with_a_middle(), runtime_name);

}  // namespace
}  // namespace ouro::test
