// Values of keys that only experiments have.
#pragma once

#include <cstdint>
#include <optional>

#include "experiments/runner/run/cpus.hpp"
#include "experiments/runner/run/fields.hpp"

namespace ouro::runner {

inline constexpr int64_t kMostInvocations = 1000;

// noise-floor: true, false, or from 2 on a number of invocations, as 1, 0 or that number.
std::optional<unsigned> read_noise_floor(Fields& fields, Mistakes& mistakes);

// pin: "0,2-3", a number, or a list of numbers.
std::optional<Cpus> read_pin(Fields& fields, Mistakes& mistakes);

}  // namespace ouro::runner
