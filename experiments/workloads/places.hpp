// What each operation of the `churn` workload replaces: one generator for every peer. `ouro places`
// writes its numbers out, so that no other program needs a generator of its own.
#pragma once

#include <cstdint>

#include "experiments/workloads/edges.hpp"

namespace ouro::workloads {

class PlaceGenerator {
public:
    // Of an operation whose new group replaces none.
    static constexpr uint32_t kNone = UINT32_MAX;

    // Pre: groups > 0, percent <= 100.
    PlaceGenerator(uint32_t groups, uint32_t percent, uint64_t seed)
        : groups_(groups), percent_(percent), random_(seed) {}

    // The place, below `groups`, of the group that the next operation replaces: any of them with
    // `percent` per cent of the operations, kNone with the others.
    uint32_t next() { return random_.below(100) < percent_ ? random_.below(groups_) : kNone; }

private:
    uint32_t groups_;
    uint32_t percent_;
    Random random_;
};

}  // namespace ouro::workloads
