#include "experiments/runner/arrivals.hpp"

#include <algorithm>
#include <utility>

namespace ouro::runner {

Arrivals::Arrivals(int64_t start_ns, int64_t end_ns, std::vector<double> intervals_ns,
                   int64_t turn_ns, double phase)
    : start_ns_(start_ns), end_ns_(end_ns), intervals_ns_(std::move(intervals_ns)),
      turn_ns_(intervals_ns_.size() > 1 ? turn_ns : end_ns - start_ns), phase_(phase) {
    settle();
}

void Arrivals::take() {
    ++operation_;
    settle();
}

bool Arrivals::is_saturated(int64_t now_ns) const {
    return interval_of(turn_of(now_ns)) == 0;
}

int64_t Arrivals::end_of_turn(int64_t now_ns) const {
    return std::min(end_ns_, start_of(turn_of(now_ns) + 1));
}

size_t Arrivals::turn_of(int64_t time_ns) const {
    return time_ns <= start_ns_ ? 0 : static_cast<size_t>((time_ns - start_ns_) / turn_ns_);
}

int64_t Arrivals::start_of(size_t turn) const {
    return start_ns_ + static_cast<int64_t>(turn) * turn_ns_;
}

// Finds the time of the operation, or of the first one of a later turn.
void Arrivals::settle() {
    for (; start_of(turn_) < end_ns_; ++turn_, operation_ = 0) {
        const double interval = interval_of(turn_);
        if (interval == 0) {
            continue;
        }
        const double after = (static_cast<double>(operation_) + phase_) * interval;
        due_ns_ = start_of(turn_) + static_cast<int64_t>(after);
        if (due_ns_ < std::min(end_ns_, start_of(turn_ + 1))) {
            return;
        }
    }
    due_ns_ = end_ns_;
}

}  // namespace ouro::runner
