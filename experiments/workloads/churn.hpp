// The `churn` workload: a live set that hangs on one list, in rings, and operations that make one new
// ring each. Some of them put it in the place of a live one, which is then garbage that is old; the
// others let go of it at once. What is unreachable is all in rings: reference counting frees nothing,
// and how much of it waits is the collector's doing alone.
//
// The `lru` workload is the same with each operation taking the place of the oldest ring: a cache of a
// fixed size, where what dies is always old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "Python.h"
#include "experiments/workloads/load.hpp"
#include "experiments/workloads/places.hpp"
#include "experiments/workloads/ring.hpp"

namespace ouro::workloads {

struct Parameter;

struct ChurnParameters {
    uint32_t live = 100'000;  // containers of the live set; a remainder of cycle_size is left out
    uint32_t replace_percent = 10;  // of the operations: how many replace a live ring
    uint32_t cycle_size = 4;        // containers in a ring
    bool oldest_first = false;      // each operation replaces the oldest instead
    bool shuffled = false;          // the members of a ring, and rings of an age, all over the heap
    uint32_t unflagged_percent = 0;  // of the containers: those that are not traversed concurrently
    uint64_t seed = 1;
};

class Churn final : public Load {
public:
    // Builds the live set. Throws std::bad_alloc when memory is out. Pre: cycle_size > 0,
    // live >= cycle_size.
    explicit Churn(const ChurnParameters& parameters);
    ~Churn() override { drop_all(); }

    void step() override;
    // Lets go of the live set too.
    void drop() override { drop_all(); }

    size_t live() const override { return live_; }
    // Containers made, the root list not counted.
    size_t made() const { return made_; }
    size_t unreachable() const override { return unreachable_.get(); }

private:
    PyObject* new_group();
    void drop_all();
    void build_in_order();
    void build_shuffled(uint64_t seed);
    uint32_t next_place();

    uint32_t cycle_size_;
    RingTypes types_;
    PlaceGenerator places_;
    bool oldest_first_;
    uint32_t oldest_ = 0;  // its place
    PyObject* root_;
    size_t live_ = 0;
    size_t made_ = 0;
    OwnCount unreachable_;
};

// A load's own parameters, and behind them those of the rings of `lru`, which it makes as well: "cycle-size",
// "shuffled", "unflagged"; and the rings that they ask for.
std::vector<Parameter> with_rings(std::vector<Parameter> own);
ChurnParameters rings_of(const nlohmann::json& values, uint64_t seed);

}  // namespace ouro::workloads
