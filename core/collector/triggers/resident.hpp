// The rule of CPython 3.14's free-threaded build: a quarter, and resident memory has grown, too.
//
// When the heap has grown by a quarter of what survived the last full collection, one is due if resident memory is
// larger by more than a tenth, and by more than 128 KiB, than it was when that one ended. If it is not, memory is looked at
// again when as many containers more have been allocated; and after 40 times the young threshold (80,000) without a
// collection one is due whatever memory is. Where the system does not say how much is resident the quarter is all.
//
// What it is for: containers that come and go in memory that is resident anyway cost nothing to leave alone. What it
// risks: memory that was freed and not given back to the system hides what was allocated in its place, up to those
// 80,000. (CPython counts swapped memory as well; here it does not count.)
#pragma once

#include <algorithm>

#include "core/collector/triggers/trigger.hpp"

namespace ouro::collector {

class Resident final : public Trigger {
public:
    // `young`: the young threshold.
    Resident(size_t young, Gauges gauges)
        : young_(young), gauges_(gauges), last_bytes_(gauges.resident_bytes()) {}

    size_t room(size_t live) const override {
        return deferred_at_ + (deferred_at_ == 0 ? live / 4 : std::max(live / 4, young_ + 1));
    }
    bool confirms(size_t grown) override {
        const size_t bytes = gauges_.resident_bytes();
        if (bytes == 0 || deferred_at_ > kMostDeferred * young_ ||
            bytes > last_bytes_ + std::max(last_bytes_ / 10, kLeastBytes)) {
            return true;
        }
        deferred_at_ = grown;
        return false;
    }
    void begin() override { deferred_at_ = 0; }
    void end(size_t, double) override { last_bytes_ = gauges_.resident_bytes(); }

private:
    static constexpr size_t kLeastBytes = size_t{128} << 10;
    static constexpr size_t kMostDeferred = 40;

    const size_t young_;
    const Gauges gauges_;
    size_t last_bytes_;  // when the last full collection ended
    size_t deferred_at_ =
        0;  // the growth when memory was last looked at in vain; 0: not since the last one began
};

}  // namespace ouro::collector
