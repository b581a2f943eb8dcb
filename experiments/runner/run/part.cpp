#include "experiments/runner/run/part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

constexpr const char* kWorkload = "workload";

// Of a parameter, as the command line spells it; nothing if the configuration has none of the name.
std::optional<std::string> value_of(const Configuration& configuration, const std::string& name) {
    if (name == kWorkload) {
        return configuration.workload->name;
    }
    const auto found = configuration.parameters.find(name);
    if (found == configuration.parameters.end()) {
        return {};
    }
    return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

std::optional<Shard> parse_shard(const std::string& text) {
    const size_t slash = text.find('/');
    if (slash == std::string::npos) {
        return {};
    }
    const auto number = number_in(text.substr(0, slash));
    const auto of = number_in(text.substr(slash + 1));
    if (!number || !of || *number == 0 || *number > *of || *of > kMostShards) {
        return {};
    }
    return Shard{*number, *of};
}

std::string shards_problem(unsigned shards, const Experiment& experiment) {
    const unsigned most = invocations_of(experiment);
    return shards <= most
               ? std::string()
               : fmt::format("found {} shards for {} invocation{}; allowed: at most one for each, "
                             "because a shard is made of whole invocations",
                             shards, most, most == 1 ? "" : "s");
}

bool Slice::takes(const Configuration& configuration) const {
    const std::optional<std::string> value = value_of(configuration, parameter);
    return value && std::ranges::find(values, *value) != values.end();
}

std::optional<Slice> parse_slice(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
        return {};
    }
    Slice slice{text.substr(0, equals), words(text.substr(equals + 1), ',')};
    return slice.values.empty() ? std::nullopt : std::optional(slice);
}

std::string slice_problem(const Slice& slice, const Experiment& experiment) {
    std::vector<std::string> names = {kWorkload};
    std::vector<std::string> found;
    const auto add = [](std::vector<std::string>& list, const std::string& word) {
        if (std::ranges::find(list, word) == list.end()) {
            list.push_back(word);
        }
    };
    for (const Configuration& each : experiment.configurations) {
        for (const Parameter& parameter : each.workload->parameters) {
            add(names, parameter.name);
        }
        if (const auto value = value_of(each, slice.parameter)) {
            add(found, *value);
        }
    }
    if (found.empty()) {
        return fmt::format("found '{}'; {}", slice.parameter,
                           allowed_words(slice.parameter, joined(names)));
    }
    for (const std::string& value : slice.values) {
        if (std::ranges::find(found, value) == found.end()) {
            return fmt::format("{}: found '{}'; {}", slice.parameter, value,
                               allowed_words(value, joined(found)));
        }
    }
    return {};
}

bool Part::takes(const Run& run, const Experiment& experiment) const {
    return (!shard || shard->takes(run)) && std::ranges::all_of(slices, [&](const Slice& slice) {
               return slice.takes(experiment.configurations[run.configuration]);
           });
}

std::vector<size_t> places_of(const Part& part, const std::vector<Run>& plan,
                              const Experiment& experiment) {
    std::vector<size_t> places;
    for (size_t place = 0; place < plan.size(); ++place) {
        if (part.takes(plan[place], experiment)) {
            places.push_back(place);
        }
    }
    return places;
}

}  // namespace ouro::runner
