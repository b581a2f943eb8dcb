// What an experiment can run: the workload that the peers of experiments/peers have as well.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Type = Parameter::Type;

double objects_made(const json& parameters) {
    return 4 * parameters.at("slices").get<double>() * parameters.at("slice").get<double>() +
           parameters.at("live").get<double>();
}

// Of an interpreter, an object: to make it, and its part of the full collections, of which there is one
// when a quarter of what is alive was made.
double python_seconds(const json& parameters) {
    const double millions = parameters.at("live").get<double>() / 1e6;
    const bool shuffled = parameters.at("shuffled").get<bool>();
    return 0.5e-6 + 4 * (shuffled ? std::min(1.4e-6, (0.1 + std::sqrt(millions)) * 1e-6) : 0.2e-6);
}

double slices_seconds(Subject::Kind kind, const json& parameters) {
    const double each = kind == Subject::Kind::kPython ? python_seconds(parameters)
                        : kind == Subject::Kind::kOurs ? 0.4e-6
                                                       : 0.1e-6;
    return 0.2 + each * objects_made(parameters);
}

double slices_bytes(Subject::Kind kind, const json& parameters) {
    const double factor =
        kind == Subject::Kind::kPeer ? parameters.at("heap-factor").get<double>() : 1;
    return 42 * factor * parameters.at("live").get<double>() +
           16 * parameters.at("slices").get<double>();
}

std::string slices_problem(const json& parameters) {
    const json& factor = parameters.at("heap-factor");
    if (factor <= 1) {
        return fmt::format("heap-factor: found {}; allowed: more than 1", factor.dump());
    }
    return parameters.at("warmup") < parameters.at("slices")
               ? ""
               : fmt::format("warmup: found {}; allowed: less than slices, {}",
                             parameters.at("warmup").dump(), parameters.at("slices").dump());
}

}  // namespace

Workload slices_workload() {
    return {.name = "slices",
            .summary = "rings take the place of others; the wall time of every few operations",
            .parameters = {{"live", Type::kNumber, 100'000, 4, int64_t{1} << 30},
                           {"slices", Type::kNumber, 4000, 1, 1 << 24},
                           {"warmup", Type::kNumber, 1000, 0, 1 << 24},
                           {"slice", Type::kNumber, 250, 1, 1 << 24},
                           {"shuffled", Type::kSwitch, false},
                           {.name = "heap-factor",
                            .type = Type::kDecimal,
                            .initial = 3.0,
                            .least = 1,
                            .greatest = 100,
                            .peers_alone = true}},
            .script = "slices.py",
            .seconds = slices_seconds,
            .bytes = slices_bytes,
            .size = "live",
            .problem = slices_problem,
            .peers = true,
            .not_covered =
                "rings of four that die in turn or at random; no other work between "
                "allocations; a runtime that is told the size of its heap is told it in bytes "
                "of its own objects"};
}

}  // namespace ouro::runner
