// Measuring the `rings` workload: how much garbage waits at most while threads make nothing else as fast as they can,
// and how fast they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace ouro::runner {

struct RingsOptions {
    unsigned threads = 1;
    uint64_t rings = 1'000'000;     // of each thread
    size_t dead_limit = 5'000'000;  // containers dead and not freed at which all threads stop
};

// Each thread looks after so many rings how many containers are dead and not freed.
inline constexpr uint64_t kRingsALook = 60;

// Runs the workload in this process, whose runtime must be initialised; returns the result row (experiments/schema).
// A run that reached the limit has a result, too, whose `stopped_at_limit` is true: the collector did not keep up, and
// its rates and memory are those until then. Throws std::bad_alloc, or std::runtime_error if anything is left when
// all was collected.
nlohmann::json bench_rings(const RingsOptions& options);

}  // namespace ouro::runner
