// The resident memory of this process over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace ouro::runner {

// A point each time that an interval has passed. When there are too many, of each two neighbours the
// one with more memory stays, and the interval doubles.
class MemoryRecorder {
public:
    static constexpr size_t kMostPoints = 1000;
    static constexpr int64_t kInterval = 5'000'000;  // ns: reading the memory takes some 5 us
    static constexpr int64_t kLongestInterval = 3'600'000'000'000;

    // Time begins now, with the first point.
    MemoryRecorder();
    // Whenever it suits. About 25 ns unless an interval has passed.
    void note();
    // At the end: the last point.
    void finish();

    // For tests: the memory was `bytes`, `ns` after the beginning.
    void add(int64_t ns, size_t bytes);
    // [[ns, bytes], ...], no more than kMostPoints.
    nlohmann::json points() const;

private:
    struct Point {
        int64_t ns;
        size_t bytes;
    };
    void read();

    int64_t start_ns_;
    int64_t interval_ns_ = kInterval;
    int64_t next_ns_ = 0;  // since the beginning
    std::vector<Point> points_;
};

}  // namespace ouro::runner
