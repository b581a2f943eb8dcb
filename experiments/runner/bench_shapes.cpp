#include "experiments/runner/bench_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/workloads/shapes.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

// The wall time of a full collection, which must find so many objects.
int64_t timed_collection(Py_ssize_t expected) {
    const int64_t start = wall_ns();
    const Py_ssize_t found = PyGC_Collect();
    const int64_t ns = wall_ns() - start;
    if (found != expected && std::string(Ouro_Setting("engine")) != "off") {
        throw std::runtime_error(
            fmt::format("a collection found {} objects, not {}", found, expected));
    }
    return ns;
}

PyObject* required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return op;
}

int64_t median(std::vector<int64_t> samples) {
    std::ranges::sort(samples);
    return percentile(samples, 500);
}

// What all rows have.
class Row {
public:
    explicit Row(const char* workload) { row_["workload"] = workload; }

    nlohmann::json& operator[](const char* key) { return row_[key]; }

    nlohmann::json finish() {
        OuroHeapStatistics statistics;
        Ouro_GetHeapStatistics(&statistics);
        row_["pauses"] = pauses_.summary();
        row_["collector_cpu_ns"] = pauses_.collector_cpu_ns();
        row_["heap_bytes"] = statistics.heap_bytes;
        row_["metadata_bytes"] = statistics.metadata_bytes;
        row_["rss_before_bytes"] = rss_before_;
        const size_t rss_after = resident_bytes();
        row_["rss_after_bytes"] = rss_after;
        // The kernel's counters of both are batched, and may differ by some pages.
        row_["rss_peak_bytes"] = std::max({peak_resident_bytes(), rss_before_, rss_after});
        row_["wall_ns"] = wall_ns() - wall_start_;
        row_["cpu_ns"] = process_cpu_ns() - cpu_start_;
        return row_;
    }

private:
    nlohmann::json row_;
    const int64_t wall_start_ = wall_ns();
    const int64_t cpu_start_ = process_cpu_ns();
    const size_t rss_before_ = resident_bytes();
    const PauseRecorder pauses_;
};

}  // namespace

nlohmann::json bench_gc_collect(const CollectOptions& options) {
    Row row("gc-collect");
    row["params"] = {
        {"cycles", options.cycles}, {"links", options.links}, {"collections", options.collections}};
    const auto objects = static_cast<Py_ssize_t>(uint64_t{options.cycles} * (options.links + 1));
    std::vector<int64_t> samples;
    for (unsigned i = 0; i < options.collections; ++i) {
        PyGC_Collect();
        PyGC_Disable();  // all of them shall be there when the collection comes
        Py_DECREF(required(workloads::new_linked_cycles(options.cycles, options.links)));
        PyGC_Enable();
        samples.push_back(timed_collection(objects));
    }
    row["live_objects"] = objects;
    row["collected"] = objects;  // by each of them
    row["garbage_collect_ns"] = median(samples);
    row["garbage_collect_samples_ns"] = samples;
    row["live_collect_ns"] = nullptr;
    row["live_first_collect_ns"] = nullptr;
    row["live_collect_samples_ns"] = nlohmann::json::array();
    row["backlog_max"] = objects;
    row["mutator_ops"] = uint64_t{options.collections} * static_cast<uint64_t>(objects);
    return row.finish();
}

nlohmann::json bench_gc_traversal(const TraversalOptions& options) {
    Row row("gc-traversal");
    row["params"] = {{"levels", options.levels}, {"collections", options.collections}};
    PyGC_Disable();
    PyObject* lists = required(workloads::new_nested_lists(options.levels));
    PyGC_Enable();
    const int64_t first_ns = timed_collection(0);
    std::vector<int64_t> samples;
    for (unsigned i = 0; i < options.collections; ++i) {
        samples.push_back(timed_collection(0));
    }
    row["live_objects"] = options.levels;
    row["references"] = uint64_t{options.levels} * (options.levels - 1) / 2;
    row["collected"] = 0;
    row["live_collect_ns"] = median(samples);
    row["live_first_collect_ns"] = first_ns;
    row["live_collect_samples_ns"] = samples;
    row["garbage_collect_ns"] = nullptr;  // counting frees all of it
    row["backlog_max"] = 0;
    row["mutator_ops"] = nullptr;
    nlohmann::json finished = row.finish();
    Py_DECREF(lists);
    return finished;
}

}  // namespace ouro::runner
