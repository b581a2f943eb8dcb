// Measuring the workloads `gc-collect` and `gc-traversal`: pyperformance's shapes.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace ouro::runner {

struct CollectOptions {
    uint32_t cycles = 100;
    uint32_t links = 20;
    unsigned collections = 100;
};

struct TraversalOptions {
    uint32_t levels = 1000;
    unsigned collections = 20;
};

// Each runs the workload in this process, whose runtime must be initialised, and returns the result
// row (experiments/schema). Throws std::bad_alloc, or std::runtime_error if a collection found
// another number of objects than there was.
//
// gc-collect: a full collection that is not measured; the cycles are made and dropped; the full
// collection of that garbage is a sample.
nlohmann::json bench_gc_collect(const CollectOptions& options);
// gc-traversal: full collections of lists with many references, all alive.
nlohmann::json bench_gc_traversal(const TraversalOptions& options);

}  // namespace ouro::runner
