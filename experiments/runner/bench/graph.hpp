// What `ouro edges` and captured heaps must know of the workload `graph`.
#pragma once

#include <vector>

#include "experiments/workloads/description.hpp"
#include "experiments/workloads/graph.hpp"

namespace ouro::runner {

// Its parameters that are those of the random graph.
const std::vector<workloads::Parameter>& graph_parameters();
const workloads::Description& graph_description();
workloads::GraphParameters graph_of(const workloads::Values& values, uint64_t seed);

}  // namespace ouro::runner
