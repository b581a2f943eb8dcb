// Measuring a workload that describes itself: so many operations of one mutator, or mutators under load.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/workloads/description.hpp"

namespace ouro::runner {

// All that it takes: its own and, under load, `threads`, `seconds` and `load`.
std::vector<workloads::Parameter> parameters_of(const workloads::Description& description);

// What its size must be with these values, "at least cycle-size, 4", with `prefix` before the name of a parameter;
// empty if it is.
std::string too_small(const workloads::Description& description, const workloads::Values& values,
                      std::string_view prefix = "");

// To be called before the runtime starts: load may have to be measured in a fork. The function that it returns is
// called when the runtime runs, and returns the result row (experiments/schema). Both throw std::bad_alloc or
// std::runtime_error. Pre: each value is in its range, the size is not too small. The description outlives both.
std::function<nlohmann::json()> begin_described(const workloads::Description& description,
                                                const workloads::Values& values, uint64_t seed);

}  // namespace ouro::runner
