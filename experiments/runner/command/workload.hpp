// What the workloads of `ouro bench`, and `ouro ext`, share: settings and files before, the row after.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/runner/command/command.hpp"
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

// Returns the row.
using Measured = std::function<nlohmann::json()>;

// Settings and files; then `begin`, which returns the measuring; the runtime; the measuring; and the row, written as
// JSON or printed by `print`. The exit status.
int run_workload(const std::string& name, const Common& common,
                 const std::function<Measured()>& begin,
                 const std::function<void(const nlohmann::json& row)>& print);

}  // namespace ouro::runner
