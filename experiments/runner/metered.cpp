#include "experiments/runner/metered.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace ouro::runner {

MeteredLatency::MeteredLatency() : ring_(1 << 10) {
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
    if (count_ - windows_.back().first == ring_.size()) [[unlikely]] {
        make_room();
    }
    ring_[count_ & (ring_.size() - 1)] = {start_ns, end_ns};
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

// The widest window's first is the oldest that anybody looks at.
void MeteredLatency::make_room() {
    std::vector<Operation> larger(ring_.size() * 2);
    for (uint64_t place = windows_.back().first; place < count_; ++place) {
        larger[place & (larger.size() - 1)] = at(place);
    }
    ring_ = std::move(larger);
}

nlohmann::json MeteredLatency::summary() const {
    nlohmann::json all;
    for (size_t i = 0; i < windows_.size(); ++i) {
        all[std::to_string(kWindowsMs[i]) + "ms"] = windows_[i].latencies.summary();
    }
    return all;
}

}  // namespace ouro::runner
