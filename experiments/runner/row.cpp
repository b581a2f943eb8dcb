#include "experiments/runner/row.hpp"

#include <algorithm>

#include "experiments/runner/clock.hpp"

namespace ouro::runner {

Row::Row(const char* workload)
    : wall_start_(wall_ns()), cpu_start_(process_cpu_ns()), rss_before_(resident_bytes()) {
    row_["workload"] = workload;
    row_["live_collect_ns"] = nullptr;
    row_["live_first_collect_ns"] = nullptr;
    row_["live_collect_samples_ns"] = nlohmann::json::array();
}

void Row::take_heap() {
    OuroHeapStatistics statistics;
    Ouro_GetHeapStatistics(&statistics);
    take_heap(statistics);
}

void Row::take_heap(const OuroHeapStatistics& statistics) {
    row_["heap_bytes"] = statistics.heap_bytes;
    row_["metadata_bytes"] = statistics.metadata_bytes;
}

void Row::take_peak() {
    rss_peak_ = peak_resident_bytes();
}

nlohmann::json Row::finish() {
    const size_t rss_after = resident_bytes();
    row_["rss_before_bytes"] = rss_before_;
    row_["rss_after_bytes"] = rss_after;
    // The kernel's counters of both are batched, and may differ by some pages.
    const size_t peak = rss_peak_ != 0 ? rss_peak_ : peak_resident_bytes();
    row_["rss_peak_bytes"] = std::max({peak, rss_before_, rss_after});
    row_["wall_ns"] = wall_ns() - wall_start_;
    row_["cpu_ns"] = process_cpu_ns() - cpu_start_;
    return row_;
}

}  // namespace ouro::runner
