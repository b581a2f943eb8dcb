// When operations of a mutator are due: at fixed times, whenever the one before has ended, or both in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ouro::runner {

// Of one mutator, from `start_ns` to `end_ns`. An interval of 0: whenever. Of several intervals each has its turn, of
// `turn_ns`; what was due in a turn and is not made is due first of all in the next.
class Arrivals {
public:
    // `phase` of its interval, 0 to 1, after the beginning of each turn the first operation is due. Pre: at least one
    // interval, none negative; turn_ns > 0 if there are several.
    Arrivals(int64_t start_ns, int64_t end_ns, std::vector<double> intervals_ns, int64_t turn_ns,
             double phase);

    int64_t end_ns() const { return end_ns_; }
    // The earliest fixed time of an operation that was not taken; end_ns() if none is left.
    int64_t due_ns() const { return due_ns_; }
    // That operation is made, or given up.
    void take();
    // Whether operations are made one after the other then.
    bool is_saturated(int64_t now_ns) const;
    // When the turn of that time ends, or all.
    int64_t end_of_turn(int64_t now_ns) const;

private:
    size_t turn_of(int64_t time_ns) const;
    int64_t start_of(size_t turn) const;
    double interval_of(size_t turn) const { return intervals_ns_[turn % intervals_ns_.size()]; }
    void settle();

    const int64_t start_ns_, end_ns_;
    const std::vector<double> intervals_ns_;
    const int64_t turn_ns_;
    const double phase_;
    size_t turn_ = 0;         // of the operation that is due next
    uint64_t operation_ = 0;  // its number in that
    int64_t due_ns_ = 0;
};

}  // namespace ouro::runner
