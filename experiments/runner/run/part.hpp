// Which runs of a plan one `ouro run` makes, when it does not make all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/runner/run/plan.hpp"

namespace ouro::runner {

// Every `of`th invocation from the `number`th on, 1 to `of`. Invocations are whole, and what is
// compared is compared inside one: no pair is split between shards, and each shard interleaves all of
// its configurations.
struct Shard {
    unsigned number = 1;
    unsigned of = 1;

    bool takes(const Run& run) const { return run.invocation % of == number - 1; }
    bool operator==(const Shard&) const = default;
};

inline constexpr unsigned kMostShards = 1000;

// "2/4"; nothing if it is none.
std::optional<Shard> parse_shard(const std::string& text);

// Why an experiment has no such shards; empty if it has.
std::string shards_problem(unsigned shards, const Experiment& experiment);

// The configurations whose parameter has one of these values, as the command line spells them, or
// whose workload, if the parameter is called that. Those without the parameter are left out.
struct Slice {
    std::string parameter;
    std::vector<std::string> values;

    bool takes(const Configuration& configuration) const;
};

// "objects=1000,10000"; nothing if it is none.
std::optional<Slice> parse_slice(const std::string& text);

// Why an experiment has no such slice, with what it has; empty if it has.
std::string slice_problem(const Slice& slice, const Experiment& experiment);

// The runs of one shard, if there is one, that are in all of some slices.
struct Part {
    std::optional<Shard> shard{};
    std::vector<Slice> slices{};

    bool takes(const Run& run, const Experiment& experiment) const;
};

// The places of a part's runs in the plan.
std::vector<size_t> places_of(const Part& part, const std::vector<Run>& plan,
                              const Experiment& experiment);

}  // namespace ouro::runner
