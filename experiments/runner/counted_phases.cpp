#include "experiments/runner/counted_phases.hpp"

#include <nlohmann/json.hpp>

namespace ouro::runner {
namespace {

OuroCounter counter_at(size_t i) {
    return static_cast<OuroCounter>(i);
}

bool any_counted() {
    for (size_t i = 0; i < OURO_COUNTER_COUNT_; ++i) {
        if (Ouro_CounterProblem(counter_at(i)) == nullptr) {
            return true;
        }
    }
    return false;
}

}  // namespace

CountedPhases::CountedPhases() {
    Ouro_AddListener(listen, this);
}

CountedPhases::~CountedPhases() {
    Ouro_RemoveListener(listen, this);
}

void CountedPhases::listen(const OuroEvent* event, void* arg) {
    Phase& phase = static_cast<CountedPhases*>(arg)->phases_.at(event->phase);
    ++phase.events;
    phase.cpu_ns += event->cpu_ns;
    for (size_t i = 0; i < phase.counters.size(); ++i) {
        phase.counters[i] += event->counters[i];
    }
}

nlohmann::json CountedPhases::summary() const {
    if (!any_counted()) {
        return {{"problem", Ouro_CounterProblem(counter_at(0))},
                {"phases", nlohmann::json::object()}};
    }
    nlohmann::json phases = nlohmann::json::object();
    for (size_t i = 0; i < phases_.size(); ++i) {
        const Phase& phase = phases_[i];
        const auto name = static_cast<OuroPhase>(i);
        // These two are told of and not worked on by a thread of this process.
        if (phase.events == 0 || name == OURO_PHASE_SAFEPOINT || name == OURO_PHASE_CHILD) {
            continue;
        }
        nlohmann::json& each = phases[Ouro_PhaseName(name)];
        each = {{"events", phase.events}, {"cpu_ns", phase.cpu_ns}};
        for (size_t j = 0; j < phase.counters.size(); ++j) {
            each[Ouro_CounterName(counter_at(j))] = Ouro_CounterProblem(counter_at(j)) == nullptr
                                                        ? nlohmann::json(phase.counters[j])
                                                        : nlohmann::json();
        }
    }
    return {{"problem", nullptr}, {"phases", std::move(phases)}};
}

}  // namespace ouro::runner
