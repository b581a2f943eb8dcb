// Values of keys that only experiments have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/runner/run/cpus.hpp"
#include "experiments/runner/run/fields.hpp"

namespace ouro::runner {

inline constexpr int64_t kMostInvocations = 1000;

// noise-floor: true, false, or from 2 on a number of invocations, as 1, 0 or that number.
std::optional<unsigned> read_noise_floor(Fields& fields, Mistakes& mistakes);

// pin: "0,2-3", a number, or a list of numbers.
std::optional<Cpus> read_pin(Fields& fields, Mistakes& mistakes);

// collecting: how an interpreter does it (experiments/peers/cpython/collecting.py), a word or a list; as it is, if the key
// is not there.
inline constexpr const char* kAsItIs = "stock";
inline constexpr const char* kBridge = "bridge";
std::vector<std::string> read_collecting(Fields& fields, Mistakes& mistakes);

}  // namespace ouro::runner
