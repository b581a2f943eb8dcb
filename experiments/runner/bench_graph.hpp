// Measuring the `graph` workload.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "experiments/workloads/graph.hpp"

namespace ouro::runner {

struct GraphOptions {
    workloads::GraphParameters random;
    // A captured heap instead of the random one; of `random`, its order and seed are used.
    std::optional<std::string> file;
    unsigned collections = 5;
};

// Runs the workload in this process, whose runtime must be initialised; returns the result row
// (experiments/schema). Throws std::bad_alloc or, for a file that cannot be used, HeapFileError, or
// std::runtime_error if what was rebuilt differs from it.
nlohmann::json bench_graph(const GraphOptions& options);

}  // namespace ouro::runner
