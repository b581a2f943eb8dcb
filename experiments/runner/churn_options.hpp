// The command line of the workloads `churn` and `young`, and of `ouro places`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "experiments/runner/bench_churn.hpp"
#include "experiments/runner/bench_young.hpp"

namespace ouro::runner {

void add_churn_options(CLI::App* app, ChurnOptions& churn);
void add_young_options(CLI::App* app, YoungOptions& young);

struct PlacesOptions {
    workloads::ChurnParameters churn;
    std::optional<uint64_t> objects;
};
void add_places_options(CLI::App* app, PlacesOptions& places);

// What is wrong with a live set that holds no ring; empty if it holds one.
std::string problem_of(const workloads::ChurnParameters& churn);

// Writes the numbers on standard output: as many as are wanted or, if it is not said how many, for
// ever. 0, or -1 with errno.
int write_places(const PlacesOptions& places);

}  // namespace ouro::runner
