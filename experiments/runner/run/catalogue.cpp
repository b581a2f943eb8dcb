#include "experiments/runner/run/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "experiments/runner/build_config.hpp"
#include "experiments/runner/load.hpp"
#include "experiments/runner/run/captured.hpp"
#include "experiments/runner/run/program.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Values;

// A script under its interpreter: -I -S, because each module that is loaded adds containers.
Words script_words(const Workload& workload, const Call& call) {
    Words words = {call.subject.program, "-I", "-S"};
    words.insert(words.end(), call.subject.arguments.begin(), call.subject.arguments.end());
    words.push_back((call.places.experiments / "peers" / "cpython" / workload.script).string());
    return words;
}

// A variant of a peer, with what it needs in its environment.
Words variant_of(const Subject& subject) {
    Words words;
    for (const auto& [key, value] : subject.environment) {
        words.push_back(fmt::format("{}={}", key, value));
    }
    if (!words.empty()) {
        words.insert(words.begin(), "/usr/bin/env");
    }
    words.push_back(subject.program);
    words.insert(words.end(), subject.arguments.begin(), subject.arguments.end());
    return words;
}

bool is_given(const Parameter& parameter, Subject::Kind kind) {
    switch (parameter.scope) {
        case Parameter::Scope::kAll:
            return true;
        case Parameter::Scope::kOurs:
            return kind == Subject::Kind::kOurs;
        case Parameter::Scope::kPeers:
            return kind == Subject::Kind::kPeer;
        case Parameter::Scope::kCommand:
            break;
    }
    return false;
}

// What nulls stand for is said.
Values with_all_said(const Workload& workload, Values values) {
    for (const Parameter& each : workload.parameters) {
        if (each.otherwise != nullptr && values.at(each.name).is_null()) {
            values[each.name] = each.otherwise(values);
        }
    }
    return values;
}

std::vector<Load> loads_of(const Values& values) {
    return parse_load(values.at("load").get<std::string>()).value_or(std::vector<Load>(1));
}

// Of mutators under load: building, and measuring a rate first, of which the building is a part.
double load_seconds(const Workload& workload, const Values& values) {
    bool measured_before = false;
    for (const Load& load : loads_of(values)) {
        measured_before = measured_before || load.percent;
    }
    const double built = 0.5e-6 * values.at(workload.size).get<double>();
    return 0.3 + values.at("seconds").get<double>() + (measured_before ? 1 + 3 * built : 2 * built);
}

// All that is made under load, if nothing is collected: of one mutator a half to a fifth of what was measured.
double made_under_load(const Values& values) {
    constexpr double kMadeASecond = 50e6;
    constexpr double kMadeAnOperation = 100;
    double made = 0;
    for (const Load& load : loads_of(values)) {
        made = std::max(made, load.rate      ? kMadeAnOperation * static_cast<double>(*load.rate)
                              : load.percent ? kMadeASecond * *load.percent / 100
                                             : kMadeASecond);
    }
    return made * values.at("seconds").get<double>();
}

}  // namespace

Words bench_words(const Call& call, const std::string& workload) {
    Words words = {call.subject.program, "bench", workload};
    for (const auto& [key, value] : call.subject.settings) {
        words.insert(words.end(), {"--" + key, value});
    }
    if (!call.events.empty()) {
        words.insert(words.end(), {"--events", call.events.string()});
    }
    if (call.force) {
        words.push_back("--force");
    }
    words.insert(words.end(), {"--json", "-"});
    return words;
}

void add_flags(Words& words, const Values& values, const std::vector<std::string>& parameters) {
    for (const std::string& name : parameters) {
        const json& value = values.at(name);
        if (value.is_boolean() ? !value.get<bool>() : value.is_null()) {
            continue;
        }
        words.push_back("--" + name);
        if (!value.is_boolean()) {
            words.push_back(value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
}

void add_seed(Words& words, const Call& call) {
    words.insert(words.end(), {"--seed", std::to_string(call.seed)});
}

Steps commands(const Workload& workload, const Call& call) {
    if (workload.captures) {
        return captured_commands(call);
    }
    const Subject::Kind kind = call.subject.kind;
    const Values values = with_all_said(workload, call.parameters);
    Words words = kind == Subject::Kind::kPeer   ? variant_of(call.subject)
                  : kind == Subject::Kind::kOurs ? bench_words(call, workload.name)
                                                 : script_words(workload, call);
    for (const Parameter& each : workload.parameters) {
        if (is_given(each, kind)) {
            add_flags(words, values, {each.name});
        }
    }
    add_seed(words, call);
    if (kind != Subject::Kind::kPython || workload.generator.command.empty()) {
        return {{words}};
    }
    Words generator = {call.places.ouro, workload.generator.command};
    add_flags(generator, values, workload.generator.parameters);
    add_seed(generator, call);
    return {{generator, words}};
}

bool takes(const Workload& workload, const Subject& subject, const Values& values) {
    if (!subject.workloads.empty() &&
        std::ranges::find(subject.workloads, workload.name) == subject.workloads.end()) {
        return false;
    }
    switch (subject.kind) {
        case Subject::Kind::kOurs:
            return workload.is_ours() && (!subject.one_thread || values.value("threads", 1) == 1);
        case Subject::Kind::kPython:
            if (workload.captures) {
                return subject.free_threaded || !values.at("free_threaded").get<bool>();
            }
            return !workload.script.empty() &&
                   (workload.ours_alone == nullptr || !workload.ours_alone(values));
        case Subject::Kind::kPeer:
            return workload.peers;
    }
    return false;
}

double seconds_of(const Workload& workload, Subject::Kind kind, const Values& values) {
    if (workload.seconds != nullptr) {
        return workload.seconds(kind, values);
    }
    constexpr double kUnknown = 10;
    return workload.under_load() ? load_seconds(workload, values) : kUnknown;
}

double memory_of(const Workload& workload, const Subject& subject, const Values& values) {
    constexpr double kProgram = 8 << 20;
    constexpr double kSmall = 32;
    const bool collects =
        std::ranges::find(subject.settings, std::pair<std::string, std::string>("engine", "off")) ==
        subject.settings.end();
    const double bytes = workload.bytes != nullptr ? workload.bytes(subject.kind, values)
                                                   : kSmall * values.value(workload.size, 0.0);
    return kProgram + bytes + (collects || !workload.under_load() ? 0 : made_under_load(values));
}

std::string problem_of(const Workload& workload, const Values& values) {
    const std::optional<workloads::Problem> problem = workload.problem_of(values);
    return problem ? fmt::format("{}: found {}; allowed: {}", problem->parameter,
                                 values.at(problem->parameter).dump(), problem->allowed)
                   : "";
}

std::vector<std::string> scripts_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".py") {
            names.push_back(entry.path().stem());
        }
    }
    std::ranges::sort(names);
    return names;
}

const std::vector<Workload>& catalogue() {
    static const std::vector<Workload> all = [] {
        std::vector<Workload> found = workloads::descriptions();
        found.push_back(captured_heap());
        found.push_back(python_program());
        std::ranges::sort(found, {}, &Workload::name);
        for (Workload& each : found) {
            std::erase_if(each.parameters, [](const Parameter& parameter) {
                return parameter.scope == Parameter::Scope::kCommand;
            });
        }
        return found;
    }();
    return all;
}

const Workload* find_workload(const std::string& name) {
    const auto found = std::ranges::find(catalogue(), name, &Workload::name);
    return found == catalogue().end() ? nullptr : &*found;
}

Places places() {
    const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe");
    const BuildPaths build = build_paths(program);
    return {program, build.library_dir / "libouroboros.so", build.experiments_dir,
            program.parent_path().parent_path() / "peers",
            program.parent_path().parent_path() / "python"};
}

}  // namespace ouro::runner
