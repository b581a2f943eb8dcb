// Whether two metadata (meta.json) are of one experiment.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/runner/run/experiment.hpp"

namespace ouro::runner {

// "ouro", "cpython", "peer", as rows have it.
const char* name_of(Subject::Kind kind);

// What must be the same for the rows of two sessions to belong together: that part of meta.json.
nlohmann::json identity_of(const Experiment& experiment);

// The first of "seed", "overrides", "config", "subjects" and "configurations" in which they differ;
// empty if they are of the same. Of the files the texts count, not where they lay.
std::string first_difference(const nlohmann::json& one, const nlohmann::json& other);

// The first of "cpu", "cores" and "kernel" in which the machines of the two differ; empty if they are as one: only then
// can times be compared.
std::string machine_difference(const nlohmann::json& one, const nlohmann::json& other);

}  // namespace ouro::runner
