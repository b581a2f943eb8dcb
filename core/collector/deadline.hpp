// How long a piece of work that can be interrupted may go on.
#pragma once

#include <cstdint>

#include "core/event/events.hpp"

namespace ouro::collector {

class Deadline {
public:
    // From now on.
    explicit Deadline(int64_t budget_ns) : end_ns_(event::monotonic_ns() + budget_ns) {}

    // Counts `work` units (an object each, or a reference); the clock is read once in kUnits of them.
    bool has_passed(uint32_t work) {
        done_ += work;
        if (done_ < kUnits) {
            return false;
        }
        done_ = 0;
        return event::monotonic_ns() >= end_ns_;
    }

private:
    // Some 5 us of work; the clock costs 25 ns.
    static constexpr uint32_t kUnits = 128;

    const int64_t end_ns_;
    uint32_t done_ = 0;
};

}  // namespace ouro::collector
