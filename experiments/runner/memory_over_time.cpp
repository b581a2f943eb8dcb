#include "experiments/runner/memory_over_time.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "experiments/runner/clock.hpp"

namespace ouro::runner {

MemoryRecorder::MemoryRecorder() : start_ns_(wall_ns()) {
    points_.reserve(kMostPoints);
    read();
}

void MemoryRecorder::note() {
    if (wall_ns() - start_ns_ >= next_ns_) {
        read();
    }
}

void MemoryRecorder::finish() {
    read();
}

void MemoryRecorder::read() {
    const size_t bytes = resident_bytes();
    add(wall_ns() - start_ns_, bytes);
}

void MemoryRecorder::add(int64_t ns, size_t bytes) {
    if (points_.size() == kMostPoints) {
        for (size_t i = 0; i < kMostPoints / 2; ++i) {
            const Point& one = points_[2 * i];
            const Point& two = points_[2 * i + 1];
            points_[i] = one.bytes > two.bytes ? one : two;
        }
        points_.resize(kMostPoints / 2);
        interval_ns_ = std::min(2 * interval_ns_, kLongestInterval);
    }
    points_.push_back({ns, bytes});
    next_ns_ = ns + interval_ns_;
}

nlohmann::json MemoryRecorder::points() const {
    nlohmann::json all = nlohmann::json::array();
    for (const Point& point : points_) {
        all.push_back({point.ns, point.bytes});
    }
    return all;
}

}  // namespace ouro::runner
