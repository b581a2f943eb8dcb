// What an experiment can run: the workloads that others know.
#include <fmt/format.h>

#include <string>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Type = Parameter::Type;

constexpr int64_t kMostObjects = int64_t{1} << 30;

double number(const json& parameters, const char* name) {
    return parameters.at(name).get<double>();
}

std::string at_least(const json& parameters, const char* name, const char* part) {
    return parameters.at(name) >= parameters.at(part)
               ? ""
               : fmt::format("{}: found {}; allowed: at least {}, {}", name,
                             parameters.at(name).dump(), part, parameters.at(part).dump());
}

double cyclotron_seconds(Subject::Kind kind, const json& parameters) {
    const double each = (kind == Subject::Kind::kOurs ? 0.3e-6 : 1.5e-6) *
                        (parameters.at("shape") == "tree" ? 4 : 1);
    const double units = number(parameters, "total-objects") / number(parameters, "cycle-size");
    return 0.1 + each * number(parameters, "total-objects") +
           units * 0.2e-9 * number(parameters, "extra-bytes");
}

// What waits to be collected included.
double cyclotron_bytes(Subject::Kind, const json& parameters) {
    const double units =
        number(parameters, "live-objects") / number(parameters, "cycle-size") + 2000;
    return 3 * (150 * number(parameters, "live-objects") +
                units * number(parameters, "extra-bytes")) +
           (1 << 24);
}

std::string cyclotron_problem(const json& parameters) {
    return at_least(parameters, "live-objects", "cycle-size");
}

// "cyclotron:chain of 100 +10000 B": each shape, and each kind of unit, is a workload of its own.
std::string cyclotron_title(const json& parameters) {
    std::string title = fmt::format("cyclotron:{} of {}", parameters.at("shape").get<std::string>(),
                                    parameters.at("cycle-size").dump());
    if (parameters.at("extra-bytes") != 0) {
        title += fmt::format(" +{} B", parameters.at("extra-bytes").dump());
    }
    if (parameters.at("cyclic-fraction") != 1.0) {
        title += fmt::format(", {} cyclic", parameters.at("cyclic-fraction").dump());
    }
    return title;
}

uint64_t trees_live(const json& parameters) {
    return (uint64_t{2} << parameters.at("depth").get<unsigned>()) - 1;
}

double trees_nodes(const json& parameters) {
    return static_cast<double>(trees_live(parameters));
}

double trees_seconds(Subject::Kind kind, const json& parameters) {
    const double depths = (number(parameters, "depth") - 2) / 2;
    return 0.1 + (kind == Subject::Kind::kOurs ? 0.15e-6 : 1.0e-6) * 16 * depths *
                     trees_nodes(parameters);
}

double trees_bytes(Subject::Kind, const json& parameters) {
    return 100 * 5 * trees_nodes(parameters);
}

std::string trees_title(const json& parameters) {
    return parameters.at("parents").get<bool>() ? "binary-trees:parents" : "binary-trees";
}

double btree_seconds(Subject::Kind kind, const json& parameters) {
    const double nodes = number(parameters, "nodes");
    const bool ours = kind == Subject::Kind::kOurs;
    return 0.1 + nodes * ((ours ? 3e-6 : 20e-6) +
                          (ours ? 0.2e-6 : 0.6e-6) * number(parameters, "collections"));
}

double btree_bytes(Subject::Kind, const json& parameters) {
    return 600 * number(parameters, "nodes");
}

double ggauss_seconds(Subject::Kind kind, const json& parameters) {
    const double draws = number(parameters, "degree") + 2 * number(parameters, "mutations");
    const double made = number(parameters, "objects") + number(parameters, "live");
    return 0.1 +
           made * (kind == Subject::Kind::kOurs ? 0.2e-6 + 0.05e-6 * draws : 1e-6 + 1.5e-6 * draws);
}

double ggauss_bytes(Subject::Kind, const json& parameters) {
    return 3 * (80 + 8 * number(parameters, "degree")) * number(parameters, "live") + (1 << 24);
}

std::string ggauss_problem(const json& parameters) {
    return at_least(parameters, "live", "nodes");
}

}  // namespace

std::vector<Workload> classic_workloads() {
    return {
        {.name = "cyclotron",
         .summary = "cyclic garbage beside a small live set: Schemenauer's benchmark of 2026",
         .parameters = {{"shape", Type::kWord, "chain", 0, 0, {"chain", "tree", "queue"}},
                        {"cycle-size", Type::kNumber, 4, 1, 1 << 24},
                        {"extra-bytes", Type::kNumber, 0, 0, 1 << 30},
                        {"live-objects", Type::kNumber, 10'000, 1, kMostObjects},
                        {"total-objects", Type::kNumber, 1'000'000, 1, int64_t{1} << 50},
                        {"cyclic-fraction", Type::kDecimal, 1.0, 0, 1}},
         .script = "cyclotron.py",
         .numbers = true,
         .seconds = cyclotron_seconds,
         .bytes = cyclotron_bytes,
         .size = "live-objects",
         .problem = cyclotron_problem,
         .title = cyclotron_title},
        {.name = "binary-trees",
         .summary = "trees of all sizes are built, counted and dropped: the Benchmarks Game's",
         .parameters = {{"depth", Type::kNumber, 16, 4, 24}, {"parents", Type::kSwitch, false}},
         .script = "binary_trees.py",
         .seconds = trees_seconds,
         .bytes = trees_bytes,
         .objects = trees_live,
         .title = trees_title},
        {.name = "btree",
         .summary = "an index of records, used and collected alive: pyperformance's btree",
         .parameters = {{"nodes", Type::kNumber, 200'000, 1, 1 << 26},
                        {"collections", Type::kNumber, 5, 1, 1'000'000}},
         .script = "btree.py",
         .numbers = true,
         .seconds = btree_seconds,
         .bytes = btree_bytes,
         .size = "nodes"},
        {.name = "ggauss",
         .summary = "random graphs of Gaussian neighbours change and are dropped: a torture test",
         .parameters = {{"live", Type::kNumber, 100'000, 1, kMostObjects},
                        {"nodes", Type::kNumber, 1000, 1, 1 << 24},
                        {"degree", Type::kNumber, 3, 1, 2000},
                        {"deviation", Type::kNumber, 10, 0, 1 << 20},
                        {"mutations", Type::kNumber, 4, 0, 1'000'000},
                        {"objects", Type::kNumber, 1'000'000, 1, int64_t{1} << 50}},
         .script = "ggauss.py",
         .numbers = true,
         .seconds = ggauss_seconds,
         .bytes = ggauss_bytes,
         .size = "live",
         .problem = ggauss_problem},
    };
}

}  // namespace ouro::runner
