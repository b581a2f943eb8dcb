// Measuring the `young` workload: what a collection of the young costs beside an old heap.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/workloads/young.hpp"

namespace ouro::runner {

struct YoungOptions {
    workloads::YoungParameters heap;
    unsigned collections = 30;
};

// Runs the workload in this process, whose runtime must be initialised; returns the result row
// (experiments/schema), where `live` figures are those with all young objects alive, `garbage` those
// with all of them dead. Throws std::bad_alloc, or std::runtime_error if a collection found another
// number of objects than there was.
nlohmann::json bench_young(const YoungOptions& options);

}  // namespace ouro::runner
