// Whether two metadata (meta.json) are of one experiment.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ouro::runner {

// The first of "seed", "overrides", "config", "subjects" and "configurations" in which they differ;
// empty if they are of the same. Of the files the texts count, not where they lay.
std::string first_difference(const nlohmann::json& one, const nlohmann::json& other);

}  // namespace ouro::runner
