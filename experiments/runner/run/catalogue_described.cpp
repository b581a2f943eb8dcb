// What an experiment can run: the workloads that describe themselves.
#include <fmt/format.h>

#include <string>

#include "experiments/runner/bench_described.hpp"
#include "experiments/runner/load.hpp"
#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Description;

// Of mutators under load: building, and measuring a rate first, of which the building is a part.
double load_seconds(const Description& description, const json& parameters) {
    const bool measured_before =
        parse_load(parameters.at("load").get<std::string>()).value_or(Load{}).percent.has_value();
    const double built = 0.5e-6 * parameters.at(description.size).get<double>();
    return 0.3 + parameters.at("seconds").get<double>() +
           (measured_before ? 1 + 3 * built : 2 * built);
}

// All that is made: of one mutator a half to a fifth of what was measured.
double load_uncollected(const json& parameters) {
    constexpr double kMadeASecond = 50e6;
    constexpr double kMadeAnOperation = 100;
    const Load load = parse_load(parameters.at("load").get<std::string>()).value_or(Load{});
    const double made = load.rate      ? kMadeAnOperation * static_cast<double>(*load.rate)
                        : load.percent ? kMadeASecond * *load.percent / 100
                                       : kMadeASecond;
    return made * parameters.at("seconds").get<double>();
}

double seconds_of(const Description& description, Subject::Kind kind, const json& parameters) {
    if (description.seconds != nullptr) {
        return description.seconds(kind != Subject::Kind::kOurs, parameters);
    }
    constexpr double kUnknown = 10;
    return description.under_load() ? load_seconds(description, parameters) : kUnknown;
}

double bytes_of(const Description& description, const json& parameters) {
    constexpr double kSmall = 32;
    return description.bytes != nullptr ? description.bytes(parameters)
                                        : kSmall * parameters.value(description.size, 0.0);
}

std::function<double(const json&)> uncollected_of(const Description& description) {
    return description.under_load() ? load_uncollected : nullptr;
}

std::string problem_of(const Description& description, const json& parameters) {
    const std::string problem = too_small(description, parameters);
    return problem.empty() ? ""
                           : fmt::format("{}: found {}; allowed: {}", description.size,
                                         parameters.at(description.size).dump(), problem);
}

Workload workload_of(const Description& each) {
    return {.name = each.name,
            .summary = each.summary,
            .parameters = parameters_of(each),
            .script = each.script,
            .numbers = each.numbers,
            .seconds = [&each](Subject::Kind kind,
                               const json& values) { return seconds_of(each, kind, values); },
            .bytes = [&each](Subject::Kind, const json& values) { return bytes_of(each, values); },
            .uncollected = uncollected_of(each),
            .size = each.size,
            .objects = each.objects,
            .problem = [&each](const json& values) { return problem_of(each, values); },
            .title = each.title,
            .ours_alone = [&each](const json&) { return each.script.empty(); },
            .not_covered = each.not_covered};
}

}  // namespace

std::vector<Workload> described_workloads() {
    std::vector<Workload> all;
    for (const Description& each : workloads::descriptions()) {
        all.push_back(workload_of(each));
    }
    return all;
}

}  // namespace ouro::runner
