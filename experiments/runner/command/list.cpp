// `ouro list`: workloads with their parameters, engines, settings with their values.
#include <fmt/format.h>

#include <string>

#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/load.hpp"
#include "experiments/runner/run/catalogue.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

// "objects 1..1073741824 (1000000)": name, what it can be, what it is when nothing is said.
std::string described(const Parameter& parameter) {
    std::string values;
    switch (parameter.type) {
        case Parameter::Type::kNumber:
        case Parameter::Type::kDecimal:
            values = fmt::format("{}..{}", parameter.least, parameter.greatest);
            break;
        case Parameter::Type::kSwitch:
            values = "true|false";
            break;
        case Parameter::Type::kWord:
            values = joined(parameter.allowed);
            break;
        case Parameter::Type::kLoad:
            values = kLoadForms;
            break;
        case Parameter::Type::kText:
            values = "a text";
            break;
    }
    const std::string initial = parameter.initial.is_null() ? ""
                                : parameter.initial.is_string()
                                    ? parameter.initial.get<std::string>()
                                    : parameter.initial.dump();
    return fmt::format("{:<12} {}{}", parameter.name, values,
                       initial.empty() ? "" : fmt::format("  ({})", initial));
}

int run_list() {
    fmt::print("workloads\n");
    for (const Workload& workload : catalogue()) {
        fmt::print("  {:<12} {}\n", workload.name, workload.summary);
        for (const Parameter& parameter : workload.parameters) {
            fmt::print("    {}\n", described(parameter));
        }
    }
    fmt::print("engines\n");
    for (const std::string& engine : words(Ouro_SettingValues("engine"))) {
        fmt::print("  {:<16} {}\n", engine, Ouro_EngineSummary(engine.c_str()));
    }
    fmt::print("settings\n");
    for (const std::string& key : words(Ouro_SettingKeys())) {
        fmt::print("  {:<12} {}\n", key, Ouro_SettingValues(key.c_str()));
    }
    return 0;
}

}  // namespace

Command add_list(CLI::App& app) {
    return {app.add_subcommand(
                "list", "workloads with their parameters, engines, settings with their values"),
            run_list};
}

}  // namespace ouro::runner
