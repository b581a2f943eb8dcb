#include "experiments/runner/backlog.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/runner/clock.hpp"

namespace ouro::runner {

BacklogRecorder::BacklogRecorder() : start_ns_(wall_ns()) {
    points_.reserve(kMostPoints);
}

void BacklogRecorder::fell_to(size_t backlog) {
    add({wall_ns() - start_ns_, last_, backlog});
}

void BacklogRecorder::finish() {
    add({wall_ns() - start_ns_, last_, last_});
}

void BacklogRecorder::add(Point point) {
    highest_ = std::max(highest_, point.high);
    area_ += static_cast<double>(point.ns - area_until_ns_) *
             (static_cast<double>(area_from_) + static_cast<double>(point.high)) / 2;
    area_until_ns_ = point.ns;
    area_from_ = point.low;
    if (falls_in_last_ > 0 && falls_in_last_ < falls_a_point_) {
        Point& last = points_.back();
        last = {point.ns, std::max(last.high, point.high), std::min(last.low, point.low)};
        ++falls_in_last_;
        return;
    }
    if (points_.size() == kMostPoints) {
        for (size_t i = 0; i < kMostPoints / 2; ++i) {
            const Point& one = points_[2 * i];
            const Point& two = points_[2 * i + 1];
            points_[i] = {two.ns, std::max(one.high, two.high), std::min(one.low, two.low)};
        }
        points_.resize(kMostPoints / 2);
        falls_a_point_ *= 2;
    }
    points_.push_back(point);
    falls_in_last_ = 1;
}

double BacklogRecorder::mean() const {
    return area_until_ns_ > 0 ? area_ / static_cast<double>(area_until_ns_) : 0;
}

nlohmann::json BacklogRecorder::points() const {
    nlohmann::json all = nlohmann::json::array();
    for (const Point& point : points_) {
        all.push_back({point.ns, point.high, point.low});
    }
    return all;
}

}  // namespace ouro::runner
