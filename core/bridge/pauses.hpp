// What the program's pauses were, in memory that does not grow: a histogram of lengths, the longest, and what the worst
// 10 ms left to the program (MMU, Cheng and Blelloch 2001).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace ouro::bridge {

// What a pause was for: name in code, name in statistics, what it is.
#define OURO_BRIDGE_CAUSES(X)                                                         \
    X(kYoung, "young", "a collection of young objects alone, as without the bridge")  \
    X(kSlice, "slice", "one with a slice of a full collection behind it")             \
    X(kBatch, "batch", "one in which garbage was freed that a full collection found") \
    X(kFull, "full", "a full collection at once, which the program asked for")

enum class Cause {
#define X(name, text, meaning) name,
    OURO_BRIDGE_CAUSES(X)
#undef X
        kCount_
};
const char* name_of(Cause cause);

// Lengths in ns, to within 1/32: buckets as in an HDR histogram.
class Histogram {
public:
    void add(int64_t ns) {
        ++buckets_[bucket_of(ns)];
        ++count_;
        total_ns_ += ns;
        longest_ns_ = ns > longest_ns_ ? ns : longest_ns_;
    }
    uint64_t count() const { return count_; }
    int64_t total_ns() const { return total_ns_; }
    int64_t longest_ns() const { return longest_ns_; }
    // The least length that so many thousandths of all do not exceed; 0 if there are none.
    int64_t percentile_ns(unsigned permille) const;

private:
    static constexpr unsigned kParts = 32;  // of a factor of two
    static constexpr unsigned kPartBits = 5;
    static size_t bucket_of(int64_t ns) {
        const auto value = static_cast<uint64_t>(ns < 0 ? 0 : ns);
        if (value < kParts) {
            return value;
        }
        const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kPartBits;
        return (size_t{shift} + 1) * kParts + (value >> shift) - kParts;
    }
    static int64_t end_of(size_t bucket);

    std::array<uint64_t, (64 - kPartBits) * kParts> buckets_{};
    uint64_t count_ = 0;
    int64_t total_ns_ = 0;
    int64_t longest_ns_ = 0;
};

// The last 10 ms: how much of them pauses took.
class Window {
public:
    static constexpr int64_t kNs = 10'000'000;

    // Pre: it begins when all before it have ended.
    void add(int64_t start_ns, int64_t end_ns);
    // The program's share of the window that ends now.
    double utilization(int64_t now_ns);

private:
    void move_to(int64_t end_ns);
    struct Pause {
        int64_t start_ns, end_ns;
    };
    std::deque<Pause> recent_;
    int64_t stopped_ns_ = 0;  // by these
};

class Pauses {
public:
    explicit Pauses(int64_t now_ns) : since_ns_(now_ns) {}

    // With the CPU time of the thread in it, which the machine's other work is no part of.
    void add(Cause cause, int64_t start_ns, int64_t end_ns, int64_t cpu_ns);

    const Histogram& of(Cause cause) const { return by_cause_[static_cast<size_t>(cause)]; }
    const Histogram& all() const { return all_; }
    const Histogram& cpu() const { return cpu_; }
    int64_t since_ns() const { return since_ns_; }
    // The program's share of the 10 ms that end now, after the last pause.
    double utilization(int64_t now_ns) { return wall_.utilization(now_ns); }
    // The least share of any 10 ms that was the program's.
    double mmu() const { return mmu_; }

private:
    int64_t since_ns_;
    Histogram all_;
    Histogram cpu_;
    std::array<Histogram, static_cast<size_t>(Cause::kCount_)> by_cause_;
    Window wall_;
    double mmu_ = 1;
};

}  // namespace ouro::bridge
