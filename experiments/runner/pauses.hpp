// A listener that keeps the raw times of every pause and cycle of this process.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/runner/children.hpp"
#include "ouroboros.h"

namespace ouro::runner {

class Row;

class PauseRecorder {
public:
    PauseRecorder();
    ~PauseRecorder();
    PauseRecorder(const PauseRecorder&) = delete;
    PauseRecorder& operator=(const PauseRecorder&) = delete;

    // {count, total_ns, wall: percentiles, cpu: percentiles}; percentiles are samples themselves
    // (nearest rank), not interpolated, and null if there was no pause.
    nlohmann::json summary() const;
    // pauses: the summary; pause_samples_ns and pause_cpu_samples_ns, in the order in which they ended.
    void add_pauses(Row& row) const;
    // collector_cpu_ns, of whole cycles, reclaiming included; and of processes that they made.
    void add_cpu(Row& row) const;

private:
    static void listen(const OuroEvent* event, void* arg);

    std::vector<int64_t> wall_ns_;
    std::vector<int64_t> cpu_ns_;
    int64_t collector_cpu_ns_ = 0;
    Children children_;
};

// {p50_ns, p90_ns, p99_ns, p999_ns, max_ns} of the samples; null if there is none.
nlohmann::json percentiles(std::vector<int64_t> samples);

// The summary of any wall and CPU times.
nlohmann::json summary_of(const std::vector<int64_t>& wall_ns, const std::vector<int64_t>& cpu_ns);

// The smallest sample that at least `permille` thousandths of the samples do not exceed. Pre: samples
// is sorted and not empty.
int64_t percentile(const std::vector<int64_t>& samples, unsigned permille);

// The lower of the middle two if their number is even. Pre: samples is not empty.
int64_t median(std::vector<int64_t> samples);

}  // namespace ouro::runner
