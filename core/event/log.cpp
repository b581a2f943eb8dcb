// A listener that prints a line a cycle on standard error.
#include <fmt/format.h>

#include <cstdio>

#include "core/event/events.hpp"

namespace ouro::event {
namespace {

// What the pauses of the cycle so far have told.
struct SoFar {
    size_t pauses = 0;
    int64_t paused_ns = 0;
    size_t heap_bytes = 0;
};
SoFar so_far;

const char* name_of(unsigned generation) {
    switch (static_cast<Scope>(generation)) {
        case Scope::kYoung:
            return "young";
        case Scope::kMiddle:
            return "middle";
        default:
            return "full";
    }
}

double mebibytes(size_t bytes) {
    return static_cast<double>(bytes) / (1 << 20);
}

void print_cycle(const OuroEvent& cycle) {
    fmt::memory_buffer line;
    const auto out = std::back_inserter(line);
    fmt::format_to(out,
                   "ouro gc {}: {}, {}: {} objects, {} candidates, {} freed, {} uncollectable; "
                   "pause {:.3f} ms",
                   cycle.cycle, name_of(cycle.generation), Ouro_TriggerName(cycle.trigger),
                   cycle.objects, cycle.candidates, cycle.freed, cycle.uncollectable,
                   static_cast<double>(so_far.paused_ns) / 1e6);
    if (so_far.pauses > 1) {
        fmt::format_to(out, " in {}", so_far.pauses);
    }
    fmt::format_to(out, "; heap {:.1f} MiB", mebibytes(so_far.heap_bytes));
    if (cycle.rss_bytes != 0) {
        fmt::format_to(out, ", RSS {:.1f} MiB", mebibytes(cycle.rss_bytes));
    }
    fmt::format_to(out, "\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void log_event(const OuroEvent* event, void*) {
    if (event->phase == OURO_PHASE_PAUSE) {
        ++so_far.pauses;
        so_far.paused_ns += event->end_ns - event->start_ns;
        so_far.heap_bytes = event->bytes != 0 ? event->bytes : so_far.heap_bytes;
    } else if (event->phase == OURO_PHASE_CYCLE) {
        print_cycle(*event);
        so_far = {};
    }
}

}  // namespace

void start_log() {
    if (Ouro_AddListener(log_event, nullptr) != 0) {
        std::fputs("ouro: log=gc: there are as many listeners as there can be; nothing is logged\n",
                   stderr);
    }
}

void stop_log() {
    Ouro_RemoveListener(log_event, nullptr);
}

}  // namespace ouro::event
