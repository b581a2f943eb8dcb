// How much mutators have to do, as it is written on command lines and in configurations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ouro::runner {

// Neither: as much as they can.
struct Load {
    // Per cent of what the same mutators do in a process without a collector, measured just before.
    std::optional<unsigned> percent{};
    std::optional<uint64_t> rate{};  // operations a second of all mutators
};

inline constexpr std::string_view kSaturated = "saturated";
inline constexpr std::string_view kLoadForms = "saturated|1..1000|1/s..1000000000/s, or two of "
                                               "these with a comma, which take turns of a second";
inline constexpr int64_t kTurnNs = 1'000'000'000;

// "saturated", "50" for per cent, "300000/s": one; or two of them, as in "12,saturated", of which each has its turn of
// kTurnNs. Nothing if it is none of these.
std::optional<std::vector<Load>> parse_load(std::string_view text);

}  // namespace ouro::runner
