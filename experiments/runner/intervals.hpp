// Intervals of time in which a mutator could not run its own code, and what they leave to it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ouro::runner {

struct Interval {
    int64_t start_ns;
    int64_t end_ns;
    int64_t cpu_ns = 0;  // of the threads that worked in it

    int64_t ns() const { return end_ns - start_ns; }
    bool operator==(const Interval&) const = default;
};
using Intervals = std::vector<Interval>;

// By start, where those that overlap or touch are one. The CPU time of one that lies in another is
// part of the other's; otherwise it adds.
Intervals united(Intervals intervals);

// Those that are less than `gap_ns` apart are one, what ran between them included; CPU time adds.
// Pre: united.
Intervals merged(const Intervals& intervals, int64_t gap_ns);

// How much of [start_ns, end_ns] they cover. Pre: united.
int64_t covered_ns(const Intervals& intervals, int64_t start_ns, int64_t end_ns);

// The least part of any window of this length, inside [start_ns, end_ns], that they leave to the
// mutator: exact. Nothing if the window is longer than that, or no longer than 0. Pre: united.
// Cheng and Blelloch, PLDI 2001.
std::optional<double> least_utilisation(const Intervals& intervals, int64_t start_ns,
                                        int64_t end_ns, int64_t window_ns);

}  // namespace ouro::runner
