// Measuring a mutator that makes so many operations, under automatic collection alone: `churn`, `cyclotron`,
// `binary-trees`, `ggauss`.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "experiments/workloads/load.hpp"

namespace ouro::runner {

class Row;

struct Steps {
    uint64_t operations = 0;
    std::optional<uint64_t> seconds{};  // goes on for so long instead
    // How many operations there are between two looks at clock and memory.
    uint64_t look_every = 256;
    // What the load has let go of and was not deallocated.
    std::function<size_t()> backlog;
};

// Makes the operations, then lets go of everything and has it collected; returns the row, finished
// (experiments/schema). The row was made before the load, and has its parameters. Throws std::bad_alloc, or
// std::runtime_error if anything is left when all was dropped and collected.
nlohmann::json bench_steps(Row& row, workloads::Load& load, const Steps& steps);

// The same, of a load whose objects are all counted by instances_deallocated(). `deallocated_before`: that
// number before the load was made.
nlohmann::json bench_instances(Row& row, workloads::Load& load, uint64_t operations,
                               size_t deallocated_before);

}  // namespace ouro::runner
