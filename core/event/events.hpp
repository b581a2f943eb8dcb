// The one stream of events: emitted by the collector, heard by listeners.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/event/clock.hpp"
#include "core/event/counters.hpp"
#include "core/event/cycle.hpp"
#include "core/event/memory.hpp"
#include "core/include/ouroboros.h"

namespace ouro::event {

void emit(const OuroEvent& event);

// Around a fork of the process, on the thread that forks.
void before_fork();
void after_fork();

// One line a cycle on standard error, for the setting log=gc. Begun and ended with the runtime.
void start_log();
void stop_log();

// CPU time that other threads have spent working for the calling one.
constinit inline thread_local int64_t helpers_cpu_ns = 0;

// CPU time of the calling thread and of those that have worked for it. A system call of 0.6 to 0.9 us, so phases that
// begin or end together share a reading.
inline int64_t work_cpu_ns() {
    return thread_cpu_ns() + helpers_cpu_ns;
}

// A phase that is worked on in slices, by several threads in turn if need be: from the beginning of the
// first to the end of the last, with the CPU time of the slices alone.
class Phase {
public:
    Phase(OuroPhase phase, Cycle cycle) {
        event.phase = phase;
        event.cycle = cycle.number;
        event.generation = generation_of(cycle.scope);
        event.trigger = cycle.trigger;
    }

    // A slice begins and ends, on one thread.
    void resume(int64_t cpu_ns = work_cpu_ns()) {
        if (event.start_ns == 0) {
            event.start_ns = monotonic_ns();
        }
        if (is_counting.load(std::memory_order_relaxed)) {
            slice_start_counts_ = thread_counts();
        }
        slice_start_ns_ = cpu_ns;
    }
    void suspend(int64_t cpu_ns = work_cpu_ns()) {
        event.cpu_ns += cpu_ns - slice_start_ns_;
        if (is_counting.load(std::memory_order_relaxed)) {
            const Counts counts = thread_counts();
            for (size_t i = 0; i < counts.size(); ++i) {
                event.counters[i] += counts[i] - slice_start_counts_[i];
            }
        }
    }
    // After the last slice.
    void end() {
        event.end_ns = monotonic_ns();
        emit(event);
    }

    OuroEvent event{};

private:
    int64_t slice_start_ns_ = 0;
    Counts slice_start_counts_{};
};

// A phase in one slice: fills start, end and CPU time, and emits the event on scope exit.
//
//     Span span(OURO_PHASE_COUNT, cycle);
//     span.event.objects = ...;
class Span : public Phase {
public:
    Span(OuroPhase phase, Cycle cycle) : Phase(phase, cycle) { resume(); }
    ~Span() {
        suspend();
        end();
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
};

}  // namespace ouro::event
