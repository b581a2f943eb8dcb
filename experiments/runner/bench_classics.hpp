// Measuring the workloads that others know: `cyclotron`, `binary-trees`, `btree`, `ggauss`.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiments/workloads/binary_trees.hpp"
#include "experiments/workloads/cyclotron.hpp"
#include "experiments/workloads/ggauss.hpp"

namespace ouro::runner {

struct CyclotronOptions {
    workloads::CyclotronParameters heap;
    uint64_t total_objects = 1'000'000;
};

struct GaussOptions {
    workloads::GaussParameters heap;
    uint64_t objects = 1'000'000;
};

struct BTreeOptions {
    uint32_t nodes = 200'000;  // pyperformance calls records so
    unsigned collections = 5;
    uint64_t seed = 1;
};

// The words that a command line has for them.
const std::map<std::string, workloads::CyclotronShape>& cyclotron_shapes();

// Each runs the workload in this process, whose runtime must be initialised, and returns the result row
// (experiments/schema). Throws std::bad_alloc, or std::runtime_error if objects are left, or lost.
nlohmann::json bench_cyclotron(const CyclotronOptions& options);
nlohmann::json bench_binary_trees(const workloads::BinaryTreesParameters& parameters);
nlohmann::json bench_ggauss(const GaussOptions& options);
// The run is pyperformance's: a tree is made, collected once, walked, and asked for some of its keys. Then full
// collections with everything alive.
nlohmann::json bench_btree(const BTreeOptions& options);

}  // namespace ouro::runner
