// Measuring the `slices` workload.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/workloads/slices.hpp"

namespace ouro::runner {

struct SlicesOptions {
    workloads::SlicesParameters heap;
    uint32_t slices = 4000;  // all of them
    uint32_t warmup = 1000;  // of them: the first so many are kept apart. Less than slices
    uint32_t slice = 250;    // operations of each
};

// Runs the workload in this process, whose runtime must be initialised, with automatic collection alone;
// returns the result row (experiments/schema). Throws std::bad_alloc, or std::runtime_error if a ring was
// damaged, or if anything is left when all was dropped and collected.
nlohmann::json bench_slices(const SlicesOptions& options);

}  // namespace ouro::runner
