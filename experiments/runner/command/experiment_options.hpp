// What `ouro run` and `ouro plan` share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/runner/run/catalogue.hpp"
#include "experiments/runner/run/experiment.hpp"

namespace ouro::runner {

// --set and --python. The lists live as long as the parsing.
void add_experiment_options(CLI::App& command, std::vector<std::string>& overrides,
                            std::vector<std::string>& interpreters);

// Absolute; results/20260131T123456Z-TITLE if nothing was named.
std::filesystem::path results_directory(const std::string& named, const Experiment& experiment);

// What this process was started with.
Words command_line();

}  // namespace ouro::runner
