// What the workloads of `ouro bench`, and `ouro ext`, share: settings and files before, the row after.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {

// What every workload takes.
struct Common {
    std::string command = "bench";  // in messages
    std::map<std::string, std::string> settings;
    std::string json, events, trace;
    uint64_t seed = 1;
    bool force = false;
    // What a subject needs at least, as far as it is known: `ouro bench` begins nothing that cannot fit.
    std::function<double(const Subject& subject)> memory{};
};
void add_common(CLI::App* app, Common& common);
// For Common::memory: of a workload with these values, and the first ones of parameters that are not among them.
std::function<double(const Subject& subject)> memory_of(const std::string& workload,
                                                        nlohmann::json values);

// Returns the workload's part of the row.
using Measure = std::function<nlohmann::json()>;

// Settings and files; then `begin`, which returns the measuring; the runtime; and the measuring. The
// exit status.
int run_workload_after(const std::string& name, const Common& common,
                       const std::function<Measure()>& begin);
int run_workload(const std::string& name, const Common& common, const Measure& measure);

// Adds the subcommands of the workloads that describe themselves.
std::vector<Command> add_described(CLI::App& bench);

}  // namespace ouro::runner
