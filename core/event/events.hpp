// The one stream of events: emitted by the collector, heard by listeners.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/event/cycle.hpp"
#include "core/include/ouroboros.h"

namespace ouro::event {

int64_t monotonic_ns();
int64_t thread_cpu_ns();
size_t resident_bytes();

void emit(const OuroEvent& event);

// One line a cycle on standard error, for the setting log=gc. Begun and ended with the runtime.
void start_log();
void stop_log();

// CPU time that other threads have spent working for the collecting one, since the program began.
inline std::atomic<int64_t> helpers_cpu_ns{0};

// Fills start, end and CPU time of a phase and emits it on scope exit.
//
//     Span span(OURO_PHASE_COUNT, cycle);
//     span.event.objects = ...;
class Span {
public:
    Span(OuroPhase phase, Cycle cycle) : cpu_start_(cpu_ns()) {
        event.phase = phase;
        event.cycle = cycle.number;
        event.generation = static_cast<unsigned>(cycle.scope);
        event.trigger = cycle.trigger;
        event.start_ns = monotonic_ns();
    }
    ~Span() {
        event.end_ns = monotonic_ns();
        event.cpu_ns = cpu_ns() - cpu_start_;
        emit(event);
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

    OuroEvent event{};

private:
    static int64_t cpu_ns() {
        return thread_cpu_ns() + helpers_cpu_ns.load(std::memory_order_relaxed);
    }

    int64_t cpu_start_;
};

}  // namespace ouro::event
