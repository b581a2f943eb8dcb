#include "experiments/runner/pauses.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/runner/row.hpp"

namespace ouro::runner {
nlohmann::json percentiles(std::vector<int64_t> samples) {
    std::ranges::sort(samples);
    const auto at = [&](unsigned permille) {
        return samples.empty() ? nlohmann::json() : nlohmann::json(percentile(samples, permille));
    };
    return {{"p50_ns", at(500)},
            {"p90_ns", at(900)},
            {"p99_ns", at(990)},
            {"p999_ns", at(999)},
            {"max_ns", at(1000)}};
}

int64_t percentile(const std::vector<int64_t>& samples, unsigned permille) {
    const size_t rank = (samples.size() * permille + 999) / 1000;
    return samples[std::max(rank, size_t{1}) - 1];
}

int64_t median(std::vector<int64_t> samples) {
    std::ranges::sort(samples);
    return percentile(samples, 500);
}

PauseRecorder::PauseRecorder() {
    Ouro_AddListener(listen, this);
}

PauseRecorder::~PauseRecorder() {
    Ouro_RemoveListener(listen, this);
}

void PauseRecorder::listen(const OuroEvent* event, void* arg) {
    auto* self = static_cast<PauseRecorder*>(arg);
    self->children_.note(*event);
    if (event->phase == OURO_PHASE_PAUSE) {
        self->wall_ns_.push_back(event->end_ns - event->start_ns);
        self->cpu_ns_.push_back(event->cpu_ns);
    } else if (event->phase == OURO_PHASE_CYCLE) {
        self->collector_cpu_ns_ += event->cpu_ns;
    }
}

nlohmann::json PauseRecorder::summary() const {
    return summary_of(wall_ns_, cpu_ns_);
}

void PauseRecorder::add_pauses(Row& row) const {
    row["pauses"] = summary();
    row["pause_samples_ns"] = wall_ns_;
    row["pause_cpu_samples_ns"] = cpu_ns_;
}

void PauseRecorder::add_cpu(Row& row) const {
    row["collector_cpu_ns"] = collector_cpu_ns_;
    children_.add_to(row);
}

nlohmann::json summary_of(const std::vector<int64_t>& wall_ns, const std::vector<int64_t>& cpu_ns) {
    return {{"count", wall_ns.size()},
            {"total_ns", std::accumulate(wall_ns.begin(), wall_ns.end(), int64_t{0})},
            {"wall", percentiles(wall_ns)},
            {"cpu", percentiles(cpu_ns)}};
}

}  // namespace ouro::runner
