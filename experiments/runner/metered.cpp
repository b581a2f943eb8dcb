#include "experiments/runner/metered.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace ouro::runner {

MeteredLatency::MeteredLatency() {
    for (size_t i = 0; i < windows_.size(); ++i) {
        windows_[i].half_ns = kWindowsMs[i] * 1'000'000 / 2;
    }
}

// The latency of the next operation, whose window ends at `last`.
void MeteredLatency::settle(Window& window, uint64_t last) {
    const Operation& own = at(window.next);
    while (at(window.first).start_ns < own.start_ns - window.half_ns) {
        ++window.first;
    }
    const int64_t first_ns = at(window.first).start_ns;
    int64_t smoothed_ns = own.start_ns;
    if (last > window.first) {
        const double each = static_cast<double>(at(last).start_ns - first_ns) /
                            static_cast<double>(last - window.first);
        smoothed_ns =
            first_ns + static_cast<int64_t>(each * static_cast<double>(window.next - window.first));
    }
    window.latencies.add(own.end_ns - std::min(own.start_ns, smoothed_ns));
    ++window.next;
}

void MeteredLatency::add(int64_t start_ns, int64_t end_ns) {
    simple_.add(end_ns - start_ns);
    kept_.push_back({start_ns, end_ns});
    ++count_;
    for (Window& window : windows_) {
        while (window.next < count_ && at(window.next).start_ns + window.half_ns <= start_ns) {
            const int64_t end_of_window = at(window.next).start_ns + window.half_ns;
            while (at(window.last).start_ns < end_of_window) {
                ++window.last;
            }
            settle(window, window.last);
        }
    }
    for (; first_kept_ < windows_.back().first; ++first_kept_) {
        kept_.pop_front();
    }
}

void MeteredLatency::finish() {
    for (Window& window : windows_) {
        while (window.next < count_) {
            settle(window, count_ - 1);
        }
    }
}

void MeteredLatency::add(const MeteredLatency& other) {
    for (size_t i = 0; i < windows_.size(); ++i) {
        windows_[i].latencies.add(other.windows_[i].latencies);
    }
    simple_.add(other.simple_);
}

nlohmann::json MeteredLatency::summary() const {
    nlohmann::json all;
    for (size_t i = 0; i < windows_.size(); ++i) {
        all[std::to_string(kWindowsMs[i]) + "ms"] = windows_[i].latencies.summary();
    }
    return all;
}

}  // namespace ouro::runner
