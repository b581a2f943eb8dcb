// How long operations take, millions of them: a histogram whose cells are less than a hundredth wide,
// with the greatest as it was.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace ouro::runner {

class Latencies {
public:
    void add(int64_t ns) { add(ns, 1); }
    void add(int64_t ns, uint64_t times) {
        const auto value = ns < 0 ? 0 : static_cast<uint64_t>(ns);
        counts_[cell_of(value)] += times;
        count_ += times;
        greatest_ = value > greatest_ ? value : greatest_;
    }
    void add(const Latencies& other);

    uint64_t count() const { return count_; }
    // At least what so many thousandths of them do not exceed, and less than a hundredth more.
    // Pre: count() > 0.
    int64_t at(unsigned permille) const;
    // {count, p50_ns, p90_ns, p99_ns, p999_ns, max_ns}; null if there was none.
    nlohmann::json summary() const;

private:
    // Values below 2^(kBits+1) have a cell each; above, each power of two has 2^kBits.
    static constexpr unsigned kBits = 7;
    static constexpr unsigned kOctaves = 64 - kBits;

    static size_t cell_of(uint64_t value) {
        const auto width = static_cast<unsigned>(std::bit_width(value));
        const unsigned shift = width > kBits + 1 ? width - kBits - 1 : 0;
        return (size_t{shift} << kBits) + static_cast<size_t>(value >> shift);
    }
    static uint64_t end_of(size_t cell);  // the greatest value in it

    std::array<uint64_t, size_t{kOctaves + 1} << kBits> counts_{};
    uint64_t count_ = 0;
    uint64_t greatest_ = 0;
};

}  // namespace ouro::runner
