#include "core/collector/pause.hpp"

namespace ouro::collector {

Pause::Pause(event::Cycle cycle) : span_(OURO_PHASE_PAUSE, cycle) {
    span_.event.time_to_safepoint_ns = stopped_.time_to_safepoint_ns();
    stopped_.for_each_arrival([&](uint64_t id, int64_t start_ns, int64_t end_ns) {
        OuroEvent event{};
        event.phase = OURO_PHASE_SAFEPOINT;
        event.cycle = cycle.number;
        event.generation = event::generation_of(cycle.scope);
        event.trigger = cycle.trigger;
        event.start_ns = start_ns;
        event.end_ns = end_ns;
        event.thread = id;
        event::emit(event);
    });
}

}  // namespace ouro::collector
