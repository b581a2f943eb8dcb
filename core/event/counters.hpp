// Hardware counters of threads, by perf_event_open: what a phase took in cycles, instructions and misses of the
// thread that works on it, in the program's own code and not in the kernel. Off unless the setting counters says so,
// for each reading is a system call for each of them (some 0.3 us).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/include/ouroboros.h"

namespace ouro::event {

// As perf_event_attr has it.
struct CounterKind {
    uint32_t type;
    uint64_t config;
};
using CounterKinds = std::array<CounterKind, OURO_COUNTER_COUNT_>;
using Counts = std::array<uint64_t, OURO_COUNTER_COUNT_>;

// Those of OURO_COUNTERS, in its order.
extern const CounterKinds kHardware;

// With the runtime. If the system gives none of them it says so on standard error, once, and nothing is counted.
void start_counting(const CounterKinds& kinds = kHardware);
void stop_counting();

inline std::atomic<bool> is_counting{false};
// Of the calling thread, since it first called this; of a counter that there is not, 0. Where counters take turns in
// too few places of the processor, as if each had been there all the time. Pre: is_counting.
Counts thread_counts();

}  // namespace ouro::event
