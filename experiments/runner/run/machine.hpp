// What must be known about the machine and the programs to judge a figure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {

nlohmann::json describe_machine();

// Compiler, flags and commit of this command, packages that it and its peers come from.
nlohmann::json describe_build(const Places& places);

// Digests of programs of ours, of the library, of peers, of what interpreters run, and of the bridge where it may be on:
// a rebuild between runs changes them.
std::string fingerprint(const Places& places, const std::vector<Subject>& subjects);

// Memory that can still be had, in bytes; 0 if the system does not tell.
size_t available_memory();
// One-minute load average; null if the system does not tell.
nlohmann::json load_average();
// "2026-01-31T12:34:56+00:00"
std::string utc_now();

}  // namespace ouro::runner
