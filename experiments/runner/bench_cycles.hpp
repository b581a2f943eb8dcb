// Measuring the `cycles` workload: how long the world stands still for garbage in one component, and
// for as much of it in many.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/cycles.hpp"

namespace ouro::runner {

struct CyclesOptions {
    workloads::CycleShape shape = workloads::CycleShape::kRing;
    uint32_t objects = 1'000'000;
    uint32_t live = 100'000;
    unsigned collections = 3;
    uint64_t seed = 1;
};

// As the command and its rows have them.
const std::map<std::string, workloads::CycleShape>& cycle_shapes();

// Runs the workload in this process, whose runtime must be initialised; returns the result row
// (experiments/schema), where `pauses` are those of the world. Throws std::bad_alloc, or
// std::runtime_error if a collection found another number of objects than there was.
nlohmann::json bench_cycles(const CyclesOptions& options);

}  // namespace ouro::runner
