// The `graph` workload: a heap that hangs on one list, collected while everything is alive, then
// dropped and collected as garbage. The heap is random, or rebuilt from a capture.
#pragma once

#include <cstdint>

#include "Python.h"

namespace ouro::workloads {

struct GraphParameters {
    uint32_t objects = 1'000'000;
    uint32_t degree = 3;
    bool shuffled = false;
    uint64_t seed = 1;
};

// What a builder made.
struct BuiltHeap {
    PyObject* root = nullptr;  // new reference; all that keeps the heap alive
    size_t objects = 0;        // containers, the root not counted
    size_t references = 0;
};

// The random graph: `objects` instances with `degree` slots, allocated in order. Throws
// std::bad_alloc when memory is out.
BuiltHeap build_random_graph(const GraphParameters& parameters);

}  // namespace ouro::workloads
