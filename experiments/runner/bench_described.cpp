#include "experiments/runner/bench_described.hpp"

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
using workloads::Measure;
using workloads::Parameter;
using workloads::Values;

// As rows have them: what ours is given.
json params_of(const Description& description, const Values& values) {
    json params = json::object();
    for (const Parameter& each : description.parameters) {
        const json& value = values.at(each.name);
        if (each.scope != Parameter::Scope::kPeers && !value.is_null()) {
            std::string name = each.name;
            std::ranges::replace(name, '-', '_');
            params[name] = value;
        }
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
    return [bench = std::make_shared<LoadBench>(description.name, params_of(description, values),
                                                make, options)] { return bench->measure(); };
}

json measure_steps(Row& row, const Description& description, const Values& values, uint64_t seed) {
    const std::unique_ptr<workloads::Load> load = description.make(values, seed);
    return bench_steps(
        row, *load,
        {.operations = description.operations(values), .look_every = description.look_every});
}

Measure measuring_of(const Description& description, const Values& values, uint64_t seed) {
    if (description.begin != nullptr) {
        return description.begin(values, seed);
    }
    return [&description, values, seed](Row& row) {
        return description.measure == nullptr ? measure_steps(row, description, values, seed)
                                              : description.measure(row, values, seed);
    };
}

}  // namespace

std::function<json()> begin_described(const Description& description, const Values& values,
                                      uint64_t seed) {
    if (description.under_load()) {
        return begin_load(description, values, seed);
    }
    return [&description, values, measure = measuring_of(description, values, seed)] {
        Row row(description.name.c_str());
        row["params"] = params_of(description, values);
        return measure(row);
    };
}

void (*printing_of(const Description& description))(const json& row) {
    return description.print != nullptr ? description.print
           : description.under_load()   ? print_load
                                        : print_steps;
}

}  // namespace ouro::runner
