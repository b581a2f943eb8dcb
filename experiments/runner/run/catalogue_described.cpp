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

// What waits to be collected included; and, without a collector, all that is made.
double load_bytes(const Description& description, const json& parameters) {
    constexpr double kMadeASecond = 300e6;
    return 3 * 150 * parameters.at(description.size).get<double>() +
           kMadeASecond * parameters.at("seconds").get<double>();
}

double seconds_of(const Description& description, Subject::Kind kind, const json& parameters) {
    if (description.seconds != nullptr) {
        return description.seconds(kind != Subject::Kind::kOurs, parameters);
    }
    constexpr double kUnknown = 10;
    return description.under_load() ? load_seconds(description, parameters) : kUnknown;
}

double bytes_of(const Description& description, const json& parameters) {
    if (description.bytes != nullptr) {
        return description.bytes(parameters);
    }
    constexpr double kUnknown = 1 << 30;
    return description.under_load() ? load_bytes(description, parameters) : kUnknown;
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
