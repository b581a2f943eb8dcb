// A chain of 200,000 objects, each referring to the one allocated before it or after it, or to any,
// lives while its head is held; closed to a ring and dropped, all of it is collected at once.

#include <algorithm>
#include <random>

#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::instances_deallocated;
using workloads::new_instance;
using workloads::slots_of;

class ALongChain : public RuntimeTest {
protected:
    const size_t size_ = scaled(200'000, 1000);

    std::vector<PyObject*> make() const {
        PyTypeObject* type = workloads::instance_type(1);
        std::vector<PyObject*> objects(size_);
        std::generate(objects.begin(), objects.end(), [type] { return new_instance(type); });
        return objects;
    }

    // order[k] refers to order[k + 1]; the program holds order[0] alone.
    void expect_to_live_and_die(const std::vector<PyObject*>& order) {
        for (size_t k = 0; k + 1 < size_; ++k) {
            slots_of(order[k])[0] = order[k + 1];
        }
        const size_t before = instances_deallocated();
        EXPECT_EQ(PyGC_Collect(), 0);
        EXPECT_EQ(tracked(), size_);

        // The chain ends in the program's hands: its tail is held too, and nothing else changes.
        Py_INCREF(order.back());
        EXPECT_EQ(PyGC_Collect(), 0);
        slots_of(order.back())[0] = order.front();  // the program's reference closes the ring
        EXPECT_EQ(PyGC_Collect(), 0) << "the tail is held";
        Py_DECREF(order.back());
        EXPECT_EQ(instances_deallocated(), before);
        EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(size_));
        EXPECT_EQ(instances_deallocated(), before + size_);
        EXPECT_EQ(PyGC_Collect(), 0);
    }
};

TEST_P(ALongChain, ForwardInMemory) {
    expect_to_live_and_die(make());
}

TEST_P(ALongChain, BackwardInMemory) {
    std::vector<PyObject*> order = make();
    std::ranges::reverse(order);
    expect_to_live_and_die(order);
}

TEST_P(ALongChain, InAnyOrder) {
    std::vector<PyObject*> order = make();
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed()));
    expect_to_live_and_die(order);
}

// It is taken apart from its head, so that each deallocation frees one object.
TEST_P(ALongChain, TakenApartByCountingLeavesNothing) {
    const std::vector<PyObject*> objects = make();
    for (size_t k = 0; k + 1 < size_; ++k) {
        slots_of(objects[k])[0] = objects[k + 1];
    }
    EXPECT_EQ(PyGC_Collect(), 0);
    const size_t before = instances_deallocated();
    for (PyObject* head = objects[0]; head != nullptr;) {
        PyObject* next = slots_of(head)[0];
        slots_of(head)[0] = nullptr;
        Py_DECREF(head);
        head = next;
    }
    EXPECT_EQ(instances_deallocated(), before + size_);
    EXPECT_EQ(PyGC_Collect(), 0);
}
OURO_TEST_EACH_POLICY(ALongChain);

}  // namespace
}  // namespace ouro::test
