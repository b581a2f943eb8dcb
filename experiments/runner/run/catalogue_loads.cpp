// What an experiment can run: mutators under load, and garbage in components. With subjects of ours alone.
#include <fmt/format.h>

#include "experiments/runner/load.hpp"
#include "experiments/runner/run/catalogue.hpp"
#include "experiments/workloads/adversary.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Type = Parameter::Type;

constexpr int64_t kMostObjects = int64_t{1} << 30;

bool always(const json&) {
    return true;
}

// Of mutators under load: building, and measuring a rate first, of which the building is a part.
double load_seconds(Subject::Kind, const json& parameters) {
    const bool measured_before =
        parse_load(parameters.at("load").get<std::string>()).value_or(Load{}).percent.has_value();
    const double built = 0.5e-6 * parameters.at("live").get<double>();
    return 0.3 + parameters.at("seconds").get<double>() +
           (measured_before ? 1 + 3 * built : 2 * built);
}

// What waits to be collected included; and, without a collector, all that is made.
double load_bytes(Subject::Kind, const json& parameters) {
    constexpr double kMadeASecond = 300e6;
    return 3 * 150 * parameters.at("live").get<double>() +
           kMadeASecond * parameters.at("seconds").get<double>();
}

std::string load_problem(const json& parameters) {
    const int64_t least =
        parameters.value("cycle-size", int64_t{4}) * 2 * parameters.at("threads").get<int64_t>();
    return parameters.at("live") >= least ? ""
                                          : fmt::format("live: found {}; allowed: at least {}",
                                                        parameters.at("live").dump(), least);
}

double cycles_seconds(Subject::Kind, const json& parameters) {
    return 0.1 + 0.5e-6 * parameters.at("objects").get<double>() *
                     parameters.at("collections").get<double>();
}

double cycles_bytes(Subject::Kind, const json& parameters) {
    return 150 * (parameters.at("objects").get<double>() + parameters.at("live").get<double>());
}

// "adversary:moves": each kind is a workload of its own.
std::string adversary_title(const json& parameters) {
    return "adversary:" + parameters.at("kind").get<std::string>();
}

std::string cycles_title(const json& parameters) {
    return "cycles:" + parameters.at("shape").get<std::string>();
}

// What the workloads of mutators under load have in common, behind what is their own.
std::vector<Parameter> with_load(std::vector<Parameter> parameters) {
    parameters.insert(parameters.begin(), {"live", Type::kNumber, 100'000, 2, kMostObjects});
    parameters.push_back({"threads", Type::kNumber, 1, 1, 8});
    parameters.push_back({"seconds", Type::kNumber, 10, 1, 1'000'000});
    parameters.push_back({"load", Type::kLoad, std::string(kSaturated)});
    return parameters;
}

}  // namespace

std::vector<Workload> load_workloads() {
    return {
        {.name = "lru",
         .summary = "a cache of rings: each operation replaces the oldest; automatic collection",
         .parameters = with_load({{"cycle-size", Type::kNumber, 4, 1, 1 << 20},
                                  {"shuffled", Type::kSwitch, false},
                                  {"unflagged", Type::kNumber, 0, 0, 100}}),
         .seconds = load_seconds,
         .bytes = load_bytes,
         .size = "live",
         .problem = load_problem,
         .ours_alone = always},
        {.name = "server",
         .summary = "requests: each builds a small graph, looks at sessions, and drops it",
         .parameters = with_load({{"cyclic", Type::kNumber, 25, 0, 100}}),
         .seconds = load_seconds,
         .bytes = load_bytes,
         .size = "live",
         .problem = load_problem,
         .ours_alone = always},
        {.name = "adversary",
         .summary = "what is hard on a collector that works beside its mutators, and lru besides",
         .parameters =
             with_load({{"kind", Type::kWord, "graph", 0, 0, workloads::adversary_kinds()},
                        {"depth", Type::kNumber, 10'000, 1, 1 << 24},
                        {"cycle-size", Type::kNumber, 4, 1, 1 << 20},
                        {"shuffled", Type::kSwitch, false},
                        {"unflagged", Type::kNumber, 0, 0, 100}}),
         .seconds = load_seconds,
         .bytes = load_bytes,
         .size = "live",
         .problem = load_problem,
         .title = adversary_title,
         .ours_alone = always},
        {.name = "cycles",
         .summary = "garbage in one component or in many, collected beside a live set",
         .parameters = {{"shape", Type::kWord, "ring", 0, 0, {"ring", "chain", "rings"}},
                        {"objects", Type::kNumber, 1'000'000, 10, kMostObjects},
                        {"live", Type::kNumber, 100'000, 4, kMostObjects},
                        {"collections", Type::kNumber, 3, 1, 1'000'000}},
         .seconds = cycles_seconds,
         .bytes = cycles_bytes,
         .size = "objects",
         .title = cycles_title,
         .ours_alone = always},
    };
}

}  // namespace ouro::runner
