// What an experiment can run: the workload that the peers of experiments/peers have as well.
#include <fmt/format.h>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using Type = Parameter::Type;

double objects_made(const json& parameters) {
    return 4 * parameters.at("slices").get<double>() * parameters.at("slice").get<double>() +
           parameters.at("live").get<double>();
}

double slices_seconds(Subject::Kind kind, const json& parameters) {
    const double each = kind == Subject::Kind::kPython ? 1.5e-6 : 0.5e-6;
    return 0.2 + each * objects_made(parameters);
}

// What waits to be collected included.
double slices_bytes(Subject::Kind kind, const json& parameters) {
    const double factor =
        kind == Subject::Kind::kPeer ? parameters.at("heap-factor").get<double>() : 3;
    return (1 << 26) + 80 * factor * parameters.at("live").get<double>() +
           8 * parameters.at("slices").get<double>();
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
            .peers = true};
}

}  // namespace ouro::runner
