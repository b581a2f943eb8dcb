// Measuring a mutator that makes so many operations, under automatic collection alone.
#pragma once

#include <cstdint>
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
};

// Makes the operations, then lets go of everything and has it collected; returns the row, finished
// (experiments/schema). The row was made before the load, and has its parameters. Throws std::bad_alloc, or
// std::runtime_error if anything is left when all was dropped and collected.
nlohmann::json bench_steps(Row& row, workloads::Load& load, const Steps& steps);

// Of the table of such a row (table.hpp).
void print_steps(const nlohmann::json& row);

}  // namespace ouro::runner
