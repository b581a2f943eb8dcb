#include "experiments/runner/run/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/load.hpp"
#include "experiments/runner/run/machine.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Kind = Quantity::Kind;

constexpr const char* kData = "data";
constexpr double kUsuallyKeptUp = 99;  // per cent
constexpr int64_t kMostRate = 1'000'000'000;

const Parameter* parameter_of(const Workload& workload, const std::string& name) {
    const auto found = std::ranges::find(workload.parameters, name, &Parameter::name);
    const bool numeric =
        found != workload.parameters.end() &&
        (found->type == Parameter::Type::kNumber || found->type == Parameter::Type::kLoad) &&
        found->scope != Parameter::Scope::kPeers;
    return numeric ? &*found : nullptr;
}

// The settings whose values are a range, with its end.
std::map<std::string, int64_t> numeric_settings() {
    std::map<std::string, int64_t> found;
    for (const std::string& key : words(Ouro_SettingKeys())) {
        const std::string allowed = Ouro_SettingValues(key.c_str());
        if (const size_t dots = allowed.find(".."); dots != std::string::npos) {
            found[key] = std::stoll(allowed.substr(dots + 2));
        }
    }
    return found;
}

// Whether with these values operations are due at fixed times.
bool is_scheduled(const Configuration& configuration, const Quantity& quantity) {
    const json load = configuration.parameters.value("load", json(kSaturated));
    return quantity.name == "load" || load != kSaturated;
}

}  // namespace

json with_value(const json& parameters, const Quantity& quantity, int64_t value) {
    json changed = parameters;
    if (quantity.kind == Kind::kParameter) {
        changed[quantity.name] =
            quantity.unit.empty() ? json(value) : json(fmt::format("{}/s", value));
    }
    return changed;
}

Subject with_value(const Subject& subject, const Quantity& quantity, int64_t value) {
    Subject changed = subject;
    if (quantity.kind == Kind::kSetting) {
        std::erase_if(changed.settings,
                      [&](const auto& each) { return each.first == quantity.name; });
        changed.settings.emplace_back(quantity.name, std::to_string(value));
    }
    return changed;
}

std::string text_of(const Criterion& criterion) {
    switch (criterion.kind) {
        case Criterion::Kind::kKeepsUp:
            return fmt::format("keeps-up={}", criterion.number);
        case Criterion::Kind::kCpu:
            return fmt::format("cpu={}", criterion.number);
        default:
            return "survives";
    }
}

std::optional<Criterion> parse_criterion(const std::string& text) {
    const size_t equals = std::min(text.find('='), text.size());
    const std::string word = text.substr(0, equals);
    std::optional<double> number;
    if (equals < text.size()) {
        double value = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, value);
        if (error != std::errc() || rest != end) {
            return {};
        }
        number = value;
    }
    if (text == "survives") {
        return Criterion{};
    }
    if (word == "keeps-up" && number.value_or(kUsuallyKeptUp) > 0 &&
        number.value_or(kUsuallyKeptUp) <= 100) {
        return Criterion{Criterion::Kind::kKeepsUp, number.value_or(kUsuallyKeptUp)};
    }
    if (word == "cpu" && number.value_or(0) >= 1) {
        return Criterion{Criterion::Kind::kCpu, *number};
    }
    return {};
}

Quantity quantity_of(const std::string& name, const Experiment& experiment) {
    const std::map<std::string, int64_t> settings = numeric_settings();
    std::vector<std::string> allowed = {kData};
    std::ranges::transform(settings, std::back_inserter(allowed),
                           [](const auto& each) { return each.first; });
    Quantity quantity;
    quantity.name = name;
    if (name == kData) {
        quantity.unit = "MiB";
        quantity.least = quantity.from = 1;
        quantity.greatest = int64_t{1} << 40;
        quantity.to = std::max<int64_t>(static_cast<int64_t>(available_memory() >> 20), 2);
        return quantity;
    }
    if (const auto setting = settings.find(name); setting != settings.end()) {
        quantity.kind = Kind::kSetting;
        quantity.from = 1;
        quantity.to = quantity.greatest = setting->second;
        return quantity;
    }
    bool known = false;
    for (const Configuration& each : experiment.configurations) {
        for (const Parameter& parameter : each.workload->parameters) {
            if (parameter_of(*each.workload, parameter.name) == nullptr) {
                continue;
            }
            if (std::ranges::find(allowed, parameter.name) == allowed.end()) {
                allowed.push_back(parameter.name);
            }
            if (parameter.name == name) {
                const bool load = parameter.type == Parameter::Type::kLoad;
                const int64_t least = load ? 1 : parameter.least;
                const int64_t greatest = load ? kMostRate : parameter.greatest;
                quantity.unit = load ? "/s" : "";
                quantity.least = known ? std::max(quantity.least, least) : least;
                quantity.greatest = known ? std::min(quantity.greatest, greatest) : greatest;
                known = true;
            }
        }
    }
    if (!known) {
        throw BadExperiment(fmt::format("ouro: search: found '{}'; {}", name,
                                        allowed_words(name, joined(allowed))));
    }
    quantity.kind = Kind::kParameter;
    quantity.from = std::max<int64_t>(quantity.least, 1);
    quantity.to = quantity.greatest;
    return quantity;
}

std::vector<Target> targets_of(const Experiment& experiment, const Quantity& quantity) {
    std::vector<Target> targets;
    std::set<std::string> known;
    for (size_t i = 0; i < experiment.configurations.size(); ++i) {
        const Configuration& wanted = experiment.configurations[i];
        const Workload& workload = *wanted.workload;
        if (workload.captures || (quantity.kind == Kind::kParameter &&
                                  parameter_of(workload, quantity.name) == nullptr)) {
            continue;
        }
        // Those that differ in what is looked for alone are one.
        if (!known.insert(workload.name + with_value(wanted.parameters, quantity, 0).dump())
                 .second) {
            continue;
        }
        for (size_t k = 0; k < experiment.subjects.size(); ++k) {
            const Subject& subject = experiment.subjects[k];
            if (takes(workload, subject, wanted.parameters) &&
                (quantity.kind != Kind::kSetting || subject.kind == Subject::Kind::kOurs)) {
                targets.push_back({i, k});
            }
        }
    }
    return targets;
}

std::string search_problem(const Experiment& experiment, const Quantity& quantity,
                           const Criterion& criterion) {
    if (quantity.from < quantity.least || quantity.from >= quantity.to) {
        return fmt::format("--from: found {}; allowed: from {}, less than --to, {}", quantity.from,
                           quantity.least, quantity.to);
    }
    if (quantity.to > quantity.greatest) {
        return fmt::format("--to: found {}; allowed: at most {}", quantity.to, quantity.greatest);
    }
    const std::vector<Target> targets = targets_of(experiment, quantity);
    if (targets.empty()) {
        return fmt::format(
            "there is no workload with a subject that has {}: settings are those of subjects "
            "of ours, and captured heaps (heap) are not searched",
            quantity.name);
    }
    for (const Target& target : targets) {
        const Configuration& wanted = experiment.configurations[target.configuration];
        const std::string& name = wanted.workload->name;
        const bool scheduled = is_scheduled(wanted, quantity);
        if (criterion.kind == Criterion::Kind::kKeepsUp && !scheduled) {
            return fmt::format(
                "--criterion keeps-up: no operation of {} is due at any time; allowed: {}", name,
                wanted.parameters.contains("load") ? "a load, as in 300000/s"
                                                   : "workloads with a load");
        }
        if (criterion.kind == Criterion::Kind::kCpu && scheduled) {
            return fmt::format(
                "--criterion cpu: who waits for the next operation of {} to be due looks at the "
                "clock; allowed: a saturated load",
                name);
        }
        for (const int64_t bound : {quantity.from, quantity.to}) {
            const json values = with_value(wanted.parameters, quantity, bound);
            const std::string problem = problem_of(*wanted.workload, values);
            if (!problem.empty()) {
                return fmt::format("--{}: {}: {}", bound == quantity.from ? "from" : "to", name,
                                   problem);
            }
        }
    }
    return {};
}

Steps probe_commands(const Experiment& experiment, const Quantity& quantity, const Target& target,
                     int64_t value, uint64_t seed) {
    const Configuration& wanted = experiment.configurations[target.configuration];
    const Places here = places();
    const Subject subject = with_value(experiment.subjects[target.subject], quantity, value);
    const json parameters = with_value(wanted.parameters, quantity, value);
    Steps steps = commands(*wanted.workload, {here, subject, parameters, seed, {}, {}});
    if (quantity.kind == Kind::kData) {
        // The last process alone: what it reads from a pipe is not its memory.
        Words& last = steps.back().back();
        last.insert(last.begin(), {kLimiter, fmt::format("--data={}", value << 20)});
    }
    return steps;
}

std::string value_text(const Quantity& quantity, int64_t value) {
    return fmt::format("{}{}{}", value, quantity.unit == "MiB" ? " " : "", quantity.unit);
}

}  // namespace ouro::runner
