// `ouro list`: workloads, engines and settings.
#include <fmt/format.h>

#include <string>

#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

int run_list() {
    fmt::print("workloads\n"
               "  graph      a heap that hangs on one list, alive and then dropped; random, or\n"
               "             captured from a Python program (--file)\n"
               "settings\n");
    for (const std::string& key : words(Ouro_SettingKeys())) {
        fmt::print("  {:<11} {}\n", key, Ouro_SettingValues(key.c_str()));
    }
    return 0;
}

}  // namespace

Command add_list(CLI::App& app) {
    return {app.add_subcommand("list", "workloads, engines and settings"), run_list};
}

}  // namespace ouro::runner
