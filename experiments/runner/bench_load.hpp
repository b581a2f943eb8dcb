// Measuring what mutators feel that do something all the time, or when it is due.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/runner/load.hpp"
#include "experiments/workloads/load.hpp"

namespace ouro::runner {

struct LoadOptions {
    unsigned threads = 1;
    uint64_t seconds = 10;
    std::string load{kSaturated};  // parse_load
};

// To be made before the runtime starts: it forks the process without a collector, if one is needed.
// Pre: the load can be parsed.
// Throws std::runtime_error if that fails.
class LoadBench {
public:
    LoadBench(std::string workload, nlohmann::json params, workloads::MakeLoad make,
              const LoadOptions& options);

    // The result row (experiments/schema). Throws std::bad_alloc, or std::runtime_error if anything is
    // left when all was dropped and collected.
    nlohmann::json measure();

private:
    std::string workload_;
    nlohmann::json params_;
    workloads::MakeLoad make_;
    LoadOptions options_;
    std::vector<double> rates_{};  // as MutatorRunOptions has them
    double off_rate_ = 0;          // as it was measured; 0: it was not
};

// Of the table of such a row (table.hpp).
void print_load(const nlohmann::json& row);

}  // namespace ouro::runner
