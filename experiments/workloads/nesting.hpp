// How deep the parts of a JSON or TOML text lie in each other. Their parsers, and what copies, writes or destroys what
// they made, call themselves for each level: a text of others' that is nested deep enough would end the process.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace ouro::workloads {

inline constexpr size_t kMostNesting = 100;

// Where brackets, or the dots of a key, are nested deeper than that; nothing if nowhere. Of a text that is neither
// JSON nor TOML it is right up to the first mistake.
std::optional<size_t> too_deep_at(std::string_view text);

// A text of others'; discarded if it is no JSON, or too deep.
nlohmann::json parse_json(std::string_view text);

}  // namespace ouro::workloads
