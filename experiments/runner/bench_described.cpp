#include "experiments/runner/bench_described.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/runner/bench_load.hpp"
#include "experiments/runner/bench_steps.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Description;
using workloads::Parameter;
using workloads::Values;

// As rows have them: of the load those of the measuring are its own business.
json named_as_in_rows(const Description& description, const Values& values) {
    json params = json::object();
    for (const Parameter& each : description.parameters) {
        std::string name = each.name;
        std::ranges::replace(name, '-', '_');
        params[name] = values.at(each.name);
    }
    return params;
}

std::function<json()> begin_load(const Description& description, const Values& values,
                                 uint64_t seed) {
    const workloads::MakeLoad make = [&description, values, seed](unsigned worker,
                                                                  unsigned workers) {
        Values own = values;
        own[description.size] = values.at(description.size).get<uint64_t>() / workers;
        return description.make(own, seed + worker);
    };
    const LoadOptions options{.threads = values.at("threads"),
                              .seconds = values.at("seconds"),
                              .load = values.at("load")};
    return [bench =
                std::make_shared<LoadBench>(description.name, named_as_in_rows(description, values),
                                            make, options)] { return bench->measure(); };
}

}  // namespace

std::vector<Parameter> parameters_of(const Description& description) {
    std::vector<Parameter> all = description.parameters;
    if (description.under_load()) {
        all.push_back(
            Parameter::number("threads", 1, 1, 8, "mutators, each with its part of what is alive"));
        all.push_back(
            Parameter::number("seconds", 10, 1, 1'000'000, "of the run, building not counted"));
        all.push_back({.name = "load",
                       .type = Parameter::Type::kLoad,
                       .initial = std::string(kSaturated),
                       .help = "operations at fixed times: per cent of what the same mutators do "
                               "with engine off, measured just before, or so many a second; or "
                               "saturated"});
    }
    return all;
}

std::string too_small(const Description& description, const Values& values,
                      std::string_view prefix) {
    const uint64_t times = description.least.times;
    const std::string_view of = description.least.of;
    const uint64_t each = times * (of.empty() ? 1 : values.at(of).get<uint64_t>());
    const uint64_t mutators = description.under_load() ? values.at("threads").get<uint64_t>() : 1;
    if (values.at(description.size).get<uint64_t>() >= each * mutators) {
        return "";
    }
    return fmt::format(
        "at least {}{}{}{}", times > 1 && !of.empty() ? fmt::format("{} times ", times) : "",
        of.empty() ? "" : fmt::format("{}{}, ", prefix, of), each, mutators > 1 ? " a thread" : "");
}

std::function<json()> begin_described(const Description& description, const Values& values,
                                      uint64_t seed) {
    if (description.under_load()) {
        return begin_load(description, values, seed);
    }
    return [&description, values, seed] {
        Row row(description.name.c_str());
        row["params"] = named_as_in_rows(description, values);
        const std::unique_ptr<workloads::Load> load = description.make(values, seed);
        return bench_steps(
            row, *load,
            {.operations = description.operations(values), .look_every = description.look_every});
    };
}

}  // namespace ouro::runner
