// The table of engines (engines.def).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ouro::option {

// Who makes the slices of a full collection that is due by allocation.
enum class Driver {
    kCaller,        // the thread whose allocation it is, from beginning to end
    kCallerAtOnce,  // the same, in one stop
    kSlices,        // threads that allocate, a slice now and then
    kThread,        // a thread of the collector's own
};

struct Engine {
    enum Finds { kExact, kGuess };
    enum Pauses { kWhole, kBudgeted };

    std::string_view name;
    Driver driver;
    Finds finds;
    Pauses pauses;
    std::string_view summary;

    bool is_exact() const { return finds == kExact; }
    bool is_budgeted() const { return pauses == kBudgeted; }
    // Whether full collections go on while the program does.
    bool is_interleaved() const { return driver == Driver::kSlices || driver == Driver::kThread; }
};

// In the order of the rows.
std::span<const Engine> engines();

}  // namespace ouro::option
