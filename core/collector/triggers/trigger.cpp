#include "core/collector/triggers/trigger.hpp"

#include "core/collector/triggers/quarter.hpp"
#include "core/collector/triggers/resident.hpp"
#include "core/collector/triggers/square_root.hpp"
#include "core/event/clock.hpp"
#include "core/event/memory.hpp"

namespace ouro::collector {
namespace {

// Per cent of the time for a million containers.
constexpr double kPriceUnit = 0.01 / 1e6;

double seconds() {
    return static_cast<double>(event::monotonic_ns()) * 1e-9;
}

}  // namespace

std::unique_ptr<Trigger> make_trigger(const option::Settings& settings) {
    constexpr Gauges gauges = {seconds, event::resident_bytes};
    switch (settings.trigger) {
        case option::Trigger::kResident:
            return std::make_unique<Resident>(settings.young_threshold, gauges);
        case option::Trigger::kSquareRoot:
            return std::make_unique<SquareRoot>(
                static_cast<double>(settings.memory_price) * kPriceUnit, gauges);
        case option::Trigger::kQuarter:
            break;
    }
    return std::make_unique<Quarter>();
}

}  // namespace ouro::collector
