// The one stream of events: emitted by the collector, heard by listeners.
#pragma once

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

// Fills start, end and CPU time of a phase and emits it on scope exit.
//
//     Span span(OURO_PHASE_COUNT, cycle);
//     span.event.objects = ...;
class Span {
public:
    Span(OuroPhase phase, Cycle cycle) : cpu_start_(thread_cpu_ns()) {
        event.phase = phase;
        event.cycle = cycle.number;
        event.generation = static_cast<unsigned>(cycle.scope);
        event.trigger = cycle.trigger;
        event.start_ns = monotonic_ns();
    }
    ~Span() {
        event.end_ns = monotonic_ns();
        event.cpu_ns = thread_cpu_ns() - cpu_start_;
        emit(event);
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

    OuroEvent event{};

private:
    int64_t cpu_start_;
};

}  // namespace ouro::event
