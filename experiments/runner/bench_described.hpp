// Measuring a workload as it describes itself: so many operations of one mutator, mutators under load, or its own.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "experiments/workloads/description.hpp"

namespace ouro::runner {

// To be called before the runtime starts: load may have to be measured in a fork. The function that it returns is
// called when the runtime runs, and returns the result row (experiments/schema). Both throw std::bad_alloc or
// std::runtime_error. Pre: each value is in its range, and nothing is wrong with them together. The description
// outlives both.
std::function<nlohmann::json()> begin_described(const workloads::Description& description,
                                                const workloads::Values& values, uint64_t seed);

// What prints its part of the table of such a row (table.hpp).
void (*printing_of(const workloads::Description& description))(const nlohmann::json& row);

}  // namespace ouro::runner
