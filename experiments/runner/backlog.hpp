// The backlog of a workload over time: objects that it has made unreachable and that are not
// deallocated yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace ouro::runner {

// The backlog grows between collections and falls with them, so a point is kept for each fall: when,
// from how much, to how much. When there are too many, neighbours become one, with the highest and
// the lowest of both.
class BacklogRecorder {
public:
    static constexpr size_t kMostPoints = 1000;

    // Time begins now, with no backlog.
    BacklogRecorder();
    // After each operation. About 1 ns unless the backlog has fallen.
    void note(size_t backlog) {
        if (backlog < last_) [[unlikely]] {
            fell_to(backlog);
        }
        last_ = backlog;
    }
    // After the last operation.
    void finish();

    size_t highest() const { return highest_; }
    // Over time.
    double mean() const;
    // [[ns, highest, lowest], ...], no more than kMostPoints.
    nlohmann::json points() const;

private:
    struct Point {
        int64_t ns;
        size_t high, low;
    };
    void fell_to(size_t backlog);
    void add(Point point);

    int64_t start_ns_;
    size_t last_ = 0;
    size_t highest_ = 0;
    int64_t area_until_ns_ = 0;
    size_t area_from_ = 0;  // the backlog then
    double area_ = 0;       // objects times ns
    std::vector<Point> points_;
    size_t falls_a_point_ = 1;
    size_t falls_in_last_ = 0;  // how many the last point stands for
};

}  // namespace ouro::runner
