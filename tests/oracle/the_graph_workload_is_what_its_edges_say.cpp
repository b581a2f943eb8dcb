// The graph workload's objects against the numbers of edges.hpp, of which it is built: the same
// references in the same slots, the root list in the same order; and what its list's end leaves to
// the collector is what a model of counts says of those numbers.

#include <rapidcheck.h>

#include <algorithm>

#include "experiments/workloads/edges.hpp"
#include "experiments/workloads/graph.hpp"
#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::GraphParameters;

// The targets of each node, and the order of the root list.
struct Expected {
    std::vector<uint32_t> targets, order;
};

Expected expected_of(const GraphParameters& parameters) {
    Expected expected;
    workloads::EdgeGenerator edges(parameters.objects, parameters.seed);
    for (size_t i = 0; i < size_t{parameters.objects} * parameters.degree; ++i) {
        expected.targets.push_back(edges.next());
    }
    expected.order =
        workloads::root_order(parameters.objects, parameters.shuffled, parameters.seed);
    return expected;
}

// How many nodes are left when the root list drops its items one by one: those that nothing refers
// to go at once, with all that only they led to.
size_t left_when_dropped(const GraphParameters& parameters, const Expected& expected) {
    std::vector<uint32_t> count(parameters.objects);
    for (const uint32_t target : expected.targets) {
        ++count[target];
    }
    std::vector<uint32_t> dying;
    for (uint32_t node = 0; node < parameters.objects; ++node) {
        if (count[node] == 0) {
            dying.push_back(node);
        }
    }
    size_t died = 0;
    while (!dying.empty()) {
        const uint32_t node = dying.back();
        dying.pop_back();
        ++died;
        for (uint32_t i = 0; i < parameters.degree; ++i) {
            const uint32_t target = expected.targets[size_t{node} * parameters.degree + i];
            if (--count[target] == 0) {
                dying.push_back(target);
            }
        }
    }
    return parameters.objects - died;
}

void check(const GraphParameters& parameters) {
    const Expected expected = expected_of(parameters);
    const size_t before = workloads::instances_deallocated();
    const workloads::BuiltHeap heap = workloads::build_random_graph(parameters);
    RC_ASSERT(heap.objects == parameters.objects);
    RC_ASSERT(heap.references == expected.targets.size() + parameters.objects);
    RC_ASSERT(PyList_Size(heap.root) == static_cast<Py_ssize_t>(parameters.objects));

    std::vector<PyObject*> nodes(parameters.objects);
    for (uint32_t k = 0; k < parameters.objects; ++k) {
        PyObject*& node = nodes.at(expected.order[k]);
        RC_ASSERT(node == nullptr);
        node = PyList_GET_ITEM(heap.root, k);
    }
    std::vector<Py_ssize_t> count(parameters.objects, 1);
    for (size_t i = 0; i < expected.targets.size(); ++i) {
        RC_ASSERT(workloads::slots_of(nodes[i / parameters.degree])[i % parameters.degree] ==
                  nodes[expected.targets[i]]);
        ++count[expected.targets[i]];
    }
    for (uint32_t node = 0; node < parameters.objects; ++node) {
        RC_ASSERT(Py_REFCNT(nodes[node]) == count[node]);
        RC_ASSERT(PyObject_GC_IsTracked(nodes[node]) == 1);
    }

    RC_ASSERT(PyGC_Collect() == 0);
    RC_ASSERT(workloads::instances_deallocated() == before);
    Py_DECREF(heap.root);
    const size_t left = left_when_dropped(parameters, expected);
    RC_ASSERT(workloads::instances_deallocated() - before == parameters.objects - left);
    RC_ASSERT(PyGC_Collect() == static_cast<Py_ssize_t>(left));
    RC_ASSERT(workloads::instances_deallocated() - before == parameters.objects);
}

class TheGraphWorkload : public RuntimeTest {
protected:
    static void SetUpTestSuite() {
        const std::string parameters =
            "seed=" + std::to_string(seed()) + " max_success=" + std::to_string(scaled(200, 20));
        ::setenv("RC_PARAMS", parameters.c_str(), 0);
    }
};

TEST_P(TheGraphWorkload, IsWhatItsEdgesSay) {
    EXPECT_TRUE(rc::check("the graph is its edges", [] {
        GraphParameters parameters;
        parameters.objects = *rc::gen::inRange(1u, 300u);
        parameters.degree = *rc::gen::inRange(0u, 6u);
        parameters.shuffled = *rc::gen::arbitrary<bool>();
        parameters.seed = *rc::gen::arbitrary<uint64_t>();
        check(parameters);
    }));
}

// In memory the nodes lie in order: what "shuffled" is measured against.
TEST_P(TheGraphWorkload, AllocatesItsNodesInOrder) {
    GraphParameters parameters;
    parameters.objects = 5000;
    parameters.shuffled = true;
    const workloads::BuiltHeap heap = workloads::build_random_graph(parameters);
    const Expected expected = expected_of(parameters);
    std::vector<PyObject*> nodes(parameters.objects);
    for (uint32_t k = 0; k < parameters.objects; ++k) {
        nodes[expected.order[k]] = PyList_GET_ITEM(heap.root, k);
    }
    size_t ascending = 0;
    for (uint32_t node = 1; node < parameters.objects; ++node) {
        ascending += nodes[node - 1] < nodes[node] ? 1 : 0;
    }
    EXPECT_GT(ascending, parameters.objects - 10u);
    EXPECT_FALSE(std::ranges::is_sorted(expected.order));
    Py_DECREF(heap.root);
    PyGC_Collect();
}

// The size that the figures are made with, scaled down.
TEST_P(TheGraphWorkload, LivesOnOneListAndDiesWithIt) {
    for (const bool shuffled : {false, true}) {
        GraphParameters parameters;
        parameters.objects = static_cast<uint32_t>(scaled(200'000, 1000));
        parameters.shuffled = shuffled;
        const workloads::BuiltHeap heap = workloads::build_random_graph(parameters);
        EXPECT_EQ(PyGC_Collect(), 0);
        EXPECT_EQ(tracked(), size_t{parameters.objects} + 1);
        Py_DECREF(heap.root);
        EXPECT_EQ(PyGC_Collect(),
                  static_cast<Py_ssize_t>(left_when_dropped(parameters, expected_of(parameters))));
        EXPECT_EQ(tracked(), 0u);
    }
}
OURO_TEST_EACH_POLICY(TheGraphWorkload);

}  // namespace
}  // namespace ouro::test
