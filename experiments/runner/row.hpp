// The row of results that one run of a workload makes: what all workloads measure alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "ouroboros.h"

namespace ouro::runner {

// How many containers are tracked at this moment.
inline size_t tracked_objects() {
    OuroHeapStatistics statistics;
    Ouro_GetHeapStatistics(&statistics);
    return statistics.tracked;
}

// The clocks and the memory "before" are read when it is made. It begins without a collection of what is alive: a
// workload that makes any says so.
class Row {
public:
    explicit Row(const char* workload);

    nlohmann::json& operator[](const char* key) { return row_[key]; }
    int64_t wall_start_ns() const { return wall_start_; }

    // What the heap takes at the moment that the row is about.
    void take_heap();
    void take_heap(const OuroHeapStatistics& statistics);
    // The peak of resident memory is that until now: what follows takes apart what was measured.
    void take_peak();

    // Adds wall and CPU time since it was made, and resident memory before, now and at its peak.
    nlohmann::json finish();

private:
    nlohmann::json row_;
    int64_t wall_start_;
    int64_t cpu_start_;
    size_t rss_before_;
    size_t rss_peak_ = 0;  // if it was taken
};

}  // namespace ouro::runner
