// `churn`: a live set of rings, a part of it replaced by new ones, by one thread or several.
#include "experiments/runner/bench/churn.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "experiments/runner/bench_steps.hpp"
#include "experiments/runner/bench_team.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Churn;
using workloads::ChurnParameters;
using workloads::Described;
using workloads::Kind;
using workloads::Parameter;
using workloads::Values;

// Operations that make the containers; none if it is said how long the run is.
uint64_t rings_of(const Values& values) {
    const json& objects = values.at("objects");
    const uint64_t size = values.at("cycle-size");
    return objects.is_null() ? 0 : (objects.get<uint64_t>() + size - 1) / size;
}

workloads::Measure of_one_thread(const Values& values, uint64_t seed) {
    return [=](Row& row) {
        row["params"].erase("threads");
        row["params"].erase("rounds");
        const json& seconds = values.at("seconds");
        Churn churn(churn_of(values, seed));
        return bench_steps(
            row, churn,
            {.operations = rings_of(values),
             .seconds = seconds.is_null() ? std::nullopt : std::optional(seconds.get<uint64_t>())});
    };
}

workloads::Measure begin(const Values& values, uint64_t seed) {
    const unsigned threads = values.at("threads");
    if (threads == 1) {
        return of_one_thread(values, seed);
    }
    const unsigned rounds = values.at("rounds");
    const ChurnParameters all = churn_of(values, seed);
    const uint64_t rings = part_of(rings_of(values), rounds);
    const int64_t ns = ns_of_round(values.at("seconds"), rounds);
    const uint64_t block = ns > 0 ? 64 : 1;  // the clock is read now and then
    const Prepare prepare = [=]() -> Build {
        return [=](unsigned worker) -> Round {
            ChurnParameters own = all;
            own.seed += worker;
            const auto churn = std::make_shared<Churn>(own);
            return [=] {
                return repeat(rings, ns, block, [&] {
                    for (uint64_t i = 0; i < block; ++i) {
                        churn->step();
                    }
                });
            };
        };
    };
    return begin_team({.threads = threads,
                       .rounds = rounds,
                       .prepare = prepare,
                       .live = uint64_t{threads} * all.live / all.cycle_size * all.cycle_size});
}

void print(const json& row) {
    if (row.contains("rounds")) {
        print_team(row);
    } else {
        print_steps(row);
    }
}

// In an experiment the live set is replaced about four times, unless it is said.
json objects_for(const Values& values) {
    return 40 * values.at("live").get<int64_t>();
}

double seconds(Kind kind, const Values& values) {
    const json& said = values.at("objects");
    const json objects = said.is_null() ? objects_for(values) : said;
    return 0.1 + (kind == Kind::kOurs ? 1 : 3) * 0.15e-6 * objects.get<double>();
}

double bytes(Kind, const Values& values) {
    return (38 + 8 / values.at("cycle-size").get<double>()) * values.at("live").get<double>();
}

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = churn_parameters();
    all.push_back({.name = "objects",
                   .least = 1,
                   .greatest = int64_t{1} << 50,
                   .help = "containers made, after the live set",
                   .command_initial = 20'000'000,
                   .otherwise = objects_for});
    all.push_back(team_threads());
    all.back().scope = Parameter::Scope::kOurs;
    all.push_back(Parameter::seconds_instead_of({"objects"}, "goes on for so long instead"));
    all.push_back(team_rounds());
    all.back().help = "parts of the run, measured one by one, with more than one thread";
    all.back().scope = Parameter::Scope::kCommand;
    return all;
}

const Described churn({
    .name = "churn",
    .summary = "a live set of rings, a part of it replaced by new ones; automatic collection",
    .parameters = parameters(),
    .size = "live",
    .least = {1, "cycle-size"},
    .begin = begin,
    .print = print,
    .script = "churn.py",
    .generator = {"places", {"live", "replace", "cycle-size", "objects"}},
    .ours_alone = [](const Values& values) { return values.at("threads") > 1; },
    .seconds = seconds,
    .bytes = bytes,
    .not_covered =
        "rings of one size and a live set of one age; no finalizers, no weak references, "
        "little computation between allocations",
});

}  // namespace

const std::vector<Parameter>& churn_parameters() {
    static const std::vector<Parameter> all = {
        Parameter::number("live", 100'000, 1, 1 << 30,
                          "containers of the live set, in rings on one list"),
        Parameter::number("replace", 10, 0, 100,
                          "per cent of the new rings that take the place of a live one, any of "
                          "them; the others are dropped at once"),
        Parameter::number("cycle-size", 4, 1, 1 << 20, "containers in a ring")};
    return all;
}

const workloads::Description& churn_description() {
    return *std::ranges::find(workloads::descriptions(), "churn", &workloads::Description::name);
}

ChurnParameters churn_of(const Values& values, uint64_t seed) {
    return {.live = values.at("live"),
            .replace_percent = values.at("replace"),
            .cycle_size = values.at("cycle-size"),
            .seed = seed};
}

}  // namespace ouro::runner
