// Measuring the `btree` workload. The run is pyperformance's: a tree is made, collected once, walked, and asked for
// some of its keys. Then full collections with everything alive.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace ouro::runner {

struct BTreeOptions {
    uint32_t nodes = 200'000;  // pyperformance calls records so
    unsigned collections = 5;
    uint64_t seed = 1;
};

// Runs the workload in this process, whose runtime must be initialised; returns the result row
// (experiments/schema). Throws std::bad_alloc, or std::runtime_error if a key is lost.
nlohmann::json bench_btree(const BTreeOptions& options);

}  // namespace ouro::runner
