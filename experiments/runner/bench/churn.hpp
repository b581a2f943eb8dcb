// What `ouro places` must know of the workload `churn`.
#pragma once

#include <vector>

#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/description.hpp"

namespace ouro::runner {

// Its parameters that say which places are drawn.
const std::vector<workloads::Parameter>& churn_parameters();
workloads::ChurnParameters churn_of(const workloads::Values& values, uint64_t seed);
const workloads::Description& churn_description();

}  // namespace ouro::runner
