// Metered latency (Blackburn et al., ASPLOS 2025): a stall delays those that would have come meanwhile, too.
// Each operation is given the start that it would have had if those around it had been evenly spaced, and is
// as late as its end is after that start, or after its own, whichever is longer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>

#include "experiments/runner/latencies.hpp"

namespace ouro::runner {

// With smoothing windows of 1, 10 and 100 ms at once, while the operations are made: what is kept is the
// operations of one window. As DaCapo's LatencyReporter has it: an operation that starts at s looks from the
// first that starts at s - window/2 or later to the first that starts at s + window/2 or later, or to the
// last; its place among them, times their mean distance, after the first of them, is its smoothed start.
// About 25 ns an operation.
class MeteredLatency {
public:
    static constexpr std::array<int64_t, 3> kWindowsMs = {1, 10, 100};

    MeteredLatency();

    // Of one thread. Pre: not before the start of the one before; end_ns >= start_ns.
    void add(int64_t start_ns, int64_t end_ns);
    // No more come.
    void finish();
    // Those of another thread, which has finished as well.
    void add(const MeteredLatency& other);

    // As kWindowsMs has them. What was added and is not finished may be missing.
    const Latencies& of_window(size_t window) const { return windows_.at(window).latencies; }
    // From the operation's own start.
    const Latencies& simple() const { return simple_; }
    // {"1ms": percentiles, "10ms": ..., "100ms": ...}
    nlohmann::json summary() const;

private:
    struct Operation {
        int64_t start_ns, end_ns;
    };
    // Places of operations count from the first that was ever added.
    struct Window {
        int64_t half_ns = 0;
        uint64_t first = 0;  // the window of `next` begins here or later
        uint64_t next = 0;   // whose latency is not known yet
        uint64_t last = 0;   // and ends here or later
        Latencies latencies{};
    };
    const Operation& at(uint64_t place) const { return kept_[place - first_kept_]; }
    void settle(Window& window, uint64_t last);

    std::array<Window, kWindowsMs.size()> windows_;
    // Those that the widest window looks at. It grows by small pieces: to copy all of them would be a gap of a
    // millisecond that is nobody's but ours.
    std::deque<Operation> kept_;
    uint64_t first_kept_ = 0;
    uint64_t count_ = 0;
    Latencies simple_;
};

}  // namespace ouro::runner
