// What `ouro run` and `ouro plan` share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/runner/run/catalogue.hpp"
#include "experiments/runner/run/experiment.hpp"

namespace ouro::runner {

// --set, a flag for each key at the top of a file, and --python. The lists live as long as the parsing.
void add_experiment_options(CLI::App& command, std::vector<std::string>& overrides,
                            std::vector<std::string>& interpreters);
// Each option that the command has so far can be given by the environment: --noise-floor by
// OURO_RUN_NOISE_FLOOR.
void take_environment(CLI::App& command);
// "key=value" for each key that was given by a flag or by the environment, then the others.
std::vector<std::string> all_overrides(const CLI::App& command,
                                       const std::vector<std::string>& others);

// Absolute; results/20260131T123456Z-TITLE if nothing was named.
std::filesystem::path results_directory(const std::string& named, const Experiment& experiment);

// What this process was started with.
Words command_line();

}  // namespace ouro::runner
