#include "experiments/runner/command/flags.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "experiments/runner/decimal.hpp"
#include "experiments/runner/load.hpp"

namespace ouro::runner {
namespace {

using workloads::Parameter;
using workloads::Values;

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

void add_flag(CLI::App* command, const Parameter& parameter, Values& values) {
    const std::string flag = "--" + parameter.name;
    if (parameter.type == Parameter::Type::kSwitch) {
        command->add_flag_callback(
            flag, [&values, &parameter] { values[parameter.name] = true; }, parameter.help);
        return;
    }
    CLI::Option* option = command->add_option_function<std::string>(
        flag,
        [&values, &parameter](const std::string& text) {
            values[parameter.name] = value_of(parameter, text);
            for (const std::string& other : parameter.instead_of) {
                values[other] = nullptr;
            }
        },
        parameter.help);
    check_by(option, parameter);
    if (const nlohmann::json& initial = values.at(parameter.name); !initial.is_null()) {
        option->default_str(initial.is_string() ? initial.get<std::string>() : initial.dump());
    }
}

}  // namespace

void add_flags(CLI::App* command, const std::vector<Parameter>& parameters, Values& values) {
    for (const Parameter& each : parameters) {
        values[each.name] = each.command_initial.is_null() ? each.initial : each.command_initial;
        if (each.scope != Parameter::Scope::kPeers) {
            add_flag(command, each, values);
        }
    }
    for (const Parameter& each : parameters) {
        for (const std::string& other : each.instead_of) {
            command->get_option("--" + each.name)->excludes(command->get_option("--" + other));
        }
    }
}

bool refuse_together(const std::string& place, const workloads::Description& description,
                     const Values& values) {
    const std::optional<workloads::Problem> problem = description.problem_of(values, "--");
    if (problem) {
        fmt::print(stderr, "ouro: {} --{}: found '{}'; allowed: {}\n", place, problem->parameter,
                   values.at(problem->parameter).dump(), problem->allowed);
    }
    return problem.has_value();
}

}  // namespace ouro::runner
