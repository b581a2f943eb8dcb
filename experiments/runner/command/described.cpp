// `ouro bench` of the workloads that describe themselves: a subcommand for each, a flag for each parameter.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/runner/bench_described.hpp"
#include "experiments/runner/command/workload.hpp"
#include "experiments/runner/decimal.hpp"
#include "experiments/runner/load.hpp"

namespace ouro::runner {
namespace {

using workloads::Description;
using workloads::Parameter;

CLI::Validator a_load() {
    return {[](const std::string& text) {
                return parse_load(text) ? std::string()
                                        : fmt::format("found '{}'; allowed: {}", text, kLoadForms);
            },
            std::string(kLoadForms)};
}

// Of a parameter that is not a switch: what it can be.
void check_by(CLI::Option* option, const Parameter& parameter) {
    switch (parameter.type) {
        case Parameter::Type::kNumber:
            option
                ->check(decimal(static_cast<uint64_t>(parameter.least),
                                static_cast<uint64_t>(parameter.greatest)))
                ->type_name("UINT");
            break;
        case Parameter::Type::kDecimal:
            option
                ->check(CLI::Range(static_cast<double>(parameter.least),
                                   static_cast<double>(parameter.greatest)))
                ->type_name("FLOAT");
            break;
        case Parameter::Type::kWord:
            option->check(CLI::IsMember(parameter.allowed));
            break;
        case Parameter::Type::kLoad:
            option->check(a_load());
            break;
        case Parameter::Type::kSwitch:
        case Parameter::Type::kText:
            break;
    }
}

nlohmann::json value_of(const Parameter& parameter, const std::string& text) {
    switch (parameter.type) {
        case Parameter::Type::kNumber:
            return std::stoull(text);
        case Parameter::Type::kDecimal:
            return std::stod(text);
        default:
            return text;
    }
}

// `value` outlives the parsing.
void add_flag(CLI::App* command, const Parameter& parameter, nlohmann::json& value) {
    const std::string flag = "--" + parameter.name;
    value = parameter.initial;
    if (parameter.type == Parameter::Type::kSwitch) {
        command->add_flag_callback(
            flag, [&value] { value = true; }, parameter.help);
        return;
    }
    CLI::Option* option = command->add_option_function<std::string>(
        flag, [&value, parameter](const std::string& text) { value = value_of(parameter, text); },
        parameter.help);
    check_by(option, parameter);
    option->default_str(parameter.initial.is_string() ? parameter.initial.get<std::string>()
                                                      : parameter.initial.dump());
}

Command add_workload(CLI::App& bench, const Description& description) {
    struct Wanted {
        Common common;
        workloads::Values values = workloads::Values::object();
    };
    const auto wanted = std::make_shared<Wanted>();
    CLI::App* command = bench.add_subcommand(description.name, description.summary);
    for (const Parameter& parameter : parameters_of(description)) {
        add_flag(command, parameter, wanted->values[parameter.name]);
    }
    add_common(command, wanted->common);
    return {command, [wanted, &description] {
                const std::string problem = too_small(description, wanted->values, "--");
                if (!problem.empty()) {
                    fmt::print(stderr, "ouro: bench {} --{}: found '{}'; allowed: {}\n",
                               description.name, description.size,
                               wanted->values.at(description.size).dump(), problem);
                    return kExitBadArguments;
                }
                wanted->common.memory = memory_of(description.name, wanted->values);
                return run_workload_after(description.name, wanted->common, [&] {
                    return begin_described(description, wanted->values, wanted->common.seed);
                });
            }};
}

}  // namespace

std::vector<Command> add_described(CLI::App& bench) {
    std::vector<Command> commands;
    for (const Description& each : workloads::descriptions()) {
        commands.push_back(add_workload(bench, each));
    }
    return commands;
}

}  // namespace ouro::runner
