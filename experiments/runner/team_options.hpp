// The command line of workloads that threads do at once.
#pragma once

#include <CLI/CLI.hpp>

#include "experiments/runner/bench_team.hpp"

namespace ouro::runner {

// --threads alone, and --rounds: churn has the other options already.
void add_team_options(CLI::App* app, TeamOptions& team);
void add_storm_options(CLI::App* app, StormOptions& storm);
void add_gcbench_options(CLI::App* app, GcBenchOptions& gcbench);

}  // namespace ouro::runner
