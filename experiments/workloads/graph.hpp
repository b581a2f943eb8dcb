// The `graph` workload: a heap that hangs on one list, collected while everything is alive, then
// dropped and collected as garbage. The heap is random, or rebuilt from a capture.
#pragma once

#include <cstdint>

#include "Python.h"
#include "experiments/workloads/edges.hpp"

namespace ouro::workloads {

struct GraphParameters {
    uint32_t objects = 1'000'000;
    uint32_t degree = 3;
    bool shuffled = false;
    uint32_t mutate_percent = 0;  // of the references: how many a round of mutations changes
    uint64_t seed = 1;
};

// What a builder made.
struct BuiltHeap {
    PyObject* root = nullptr;  // new reference; all that keeps the heap alive
    size_t objects = 0;        // containers, the root not counted
    size_t references = 0;
};

// Makes one slot of a random graph refer elsewhere. Every object stays alive, on the root list.
void mutate(PyObject* root, const Mutation& change);

// Changes the references of a random graph between collections, as its parameters say.
class Mutator {
public:
    // `heap` is the graph that build_random_graph made; it and its root must outlive this.
    Mutator(const GraphParameters& parameters, const BuiltHeap& heap)
        : root_(heap.root),
          mutations_(parameters.objects, parameters.degree == 0 ? 1 : parameters.degree,
                     parameters.seed),
          round_(mutations_a_round(parameters.objects, parameters.degree,
                                   parameters.mutate_percent)) {}
    // One round.
    void mutate();

private:
    PyObject* root_;
    MutationGenerator mutations_;
    uint64_t round_;
};

// The random graph: `objects` instances with `degree` slots, allocated in order. Throws
// std::bad_alloc when memory is out.
BuiltHeap build_random_graph(const GraphParameters& parameters);

}  // namespace ouro::workloads
