// What happened in the program, and what it was asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ouro::soak {

struct Tally {
    std::atomic<long> made{0}, died{0};
    std::atomic<long> lost{0};     // dead, or another, in somebody's hands
    std::atomic<long> refused{0};  // calls that failed for want of memory
    std::atomic<long> strange{0};  // calls that failed otherwise, or said nothing
    std::atomic<long> finalized{0}, revived{0}, called{0}, unraisable{0};
    std::atomic<long> threads{0}, refused_threads{0};
    std::atomic<long> forks{0}, refused_forks{0}, bad_children{0};
    std::atomic<long> failed_allocations{0}, limits{0}, clock_steps{0}, signals{0};
};
inline Tally tally;

struct Options {
    uint64_t seed = 1;
    double seconds = 10;
    size_t threads = 4;
    bool allocations = false, limit = false, clock = false, signals = false;
    bool forks = true;
};
inline Options options;

}  // namespace ouro::soak
