#include "experiments/runner/latencies.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ouro::runner {

void Latencies::add(const Latencies& other) {
    for (size_t i = 0; i < counts_.size(); ++i) {
        counts_[i] += other.counts_[i];
    }
    count_ += other.count_;
    greatest_ = std::max(greatest_, other.greatest_);
}

uint64_t Latencies::end_of(size_t cell) {
    const size_t octave = cell >> kBits;
    const size_t shift = octave < 2 ? 0 : octave - 1;
    const uint64_t first = cell - (shift << kBits);
    return ((first + 1) << shift) - 1;
}

int64_t Latencies::at(unsigned permille) const {
    const uint64_t rank = std::max<uint64_t>((count_ * permille + 999) / 1000, 1);
    uint64_t seen = 0;
    size_t cell = 0;
    while ((seen += counts_[cell]) < rank) {
        ++cell;
    }
    return static_cast<int64_t>(std::min(end_of(cell), greatest_));
}

nlohmann::json Latencies::summary() const {
    const auto value = [this](unsigned permille) {
        return count_ == 0 ? nlohmann::json() : nlohmann::json(at(permille));
    };
    return {{"count", count_},      {"p50_ns", value(500)},  {"p90_ns", value(900)},
            {"p99_ns", value(990)}, {"p999_ns", value(999)}, {"max_ns", value(1000)}};
}

}  // namespace ouro::runner
