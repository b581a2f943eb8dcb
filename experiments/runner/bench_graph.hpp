// Measuring the `graph` workload.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "experiments/workloads/graph.hpp"

namespace ouro::runner {

struct GraphOptions {
    workloads::GraphParameters random;
    std::optional<std::string> file;  // a captured heap instead of a random one
    unsigned collections = 5;
};

// Runs the workload in this process, whose runtime must be initialised; returns the result row
// (experiments/schema). Throws std::bad_alloc or, for a file that cannot be used, HeapFileError.
nlohmann::json bench_graph(const GraphOptions& options);

}  // namespace ouro::runner
