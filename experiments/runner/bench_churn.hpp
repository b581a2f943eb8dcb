// Measuring the `churn` workload.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "experiments/workloads/churn.hpp"

namespace ouro::runner {

struct ChurnOptions {
    workloads::ChurnParameters churn;
    uint64_t objects = 20'000'000;    // containers that the operations make
    std::optional<uint64_t> seconds;  // goes on for so long instead
};

// Runs the workload in this process, whose runtime must be initialised, with automatic collection
// alone; returns the result row (experiments/schema). Throws std::bad_alloc, or std::runtime_error if
// anything is left when all was dropped and collected.
nlohmann::json bench_churn(const ChurnOptions& options);

}  // namespace ouro::runner
