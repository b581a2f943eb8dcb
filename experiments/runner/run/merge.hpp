// The results of an experiment's shards as those of one experiment.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {

// Directories that are not shards of one experiment: a line each, which and why.
class BadShards : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Merged {
    size_t runs = 0;              // of these shards' plans
    size_t without_result = 0;    // of these
    std::vector<unsigned> lacks;  // shards that are not among them
};

// Joins directories that `ouro run --shard` left into a new one, whole or not at all. They agree in
// seed, files, overrides, subjects, configurations and build; the machines may differ: each row says
// by number which of meta.json's `machines` it is of. A shard has whole invocations, so no pair of
// rows is of two machines. `command` is this command, for meta.json. Throws BadShards if they do not
// fit together, BadDirectory if one cannot be read or the new one not be made.
Merged merge_shards(const std::vector<std::filesystem::path>& shards,
                    const std::filesystem::path& directory, const Words& command);

}  // namespace ouro::runner
