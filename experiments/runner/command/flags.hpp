// Flags of the command line made of a workload's parameters.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "experiments/workloads/description.hpp"

namespace ouro::runner {

// Adds a flag for each that is not for peers alone. `values` has then what `ouro bench` begins with and, after the
// parsing, what was given. Both live as long as the parsing.
void add_flags(CLI::App* command, const std::vector<workloads::Parameter>& parameters,
               workloads::Values& values);

// Prints what is wrong with values taken together, "ouro: bench churn --live: found '3'; allowed: at least
// --cycle-size, 4"; `place` is the command. False if nothing is.
bool refuse_together(const std::string& place, const workloads::Description& description,
                     const workloads::Values& values);

}  // namespace ouro::runner
