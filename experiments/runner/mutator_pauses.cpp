#include "experiments/runner/mutator_pauses.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/runner/pauses.hpp"

namespace ouro::runner {

MutatorPauses::MutatorPauses() {
    Ouro_AddListener(listen, this);
}

MutatorPauses::~MutatorPauses() {
    Ouro_RemoveListener(listen, this);
}

// A listener is called on the thread that did what the event tells of.
void MutatorPauses::listen(const OuroEvent* event, void* arg) {
    auto* self = static_cast<MutatorPauses*>(arg);
    const int64_t ns = event->end_ns - event->start_ns;
    const bool here = std::this_thread::get_id() == self->thread_;
    if (event->phase == (here ? OURO_PHASE_CYCLE : OURO_PHASE_PAUSE)) {
        self->starts_ns_.push_back(event->start_ns);
        self->wall_ns_.push_back(ns);
        self->cpu_ns_.push_back(event->cpu_ns);
    }
    if (event->phase == OURO_PHASE_CYCLE) {
        Generation& generation = self->generations_.at(event->generation);
        ++generation.count;
        generation.total_ns += ns;
        generation.max_ns = std::max(generation.max_ns, ns);
        self->collector_cpu_ns_ += event->cpu_ns;
    }
}

nlohmann::json MutatorPauses::summary() const {
    return summary_of(wall_ns_, cpu_ns_);
}

nlohmann::json MutatorPauses::points(int64_t begun_ns) const {
    nlohmann::json all = nlohmann::json::array();
    for (size_t i = 0; i < wall_ns_.size(); ++i) {
        all.push_back({starts_ns_[i] - begun_ns, wall_ns_[i]});
    }
    return all;
}

nlohmann::json MutatorPauses::collections() const {
    const auto of = [this](size_t number) -> nlohmann::json {
        const Generation& generation = generations_.at(number);
        return {{"count", generation.count},
                {"total_ns", generation.total_ns},
                {"max_ns", generation.max_ns}};
    };
    return {{"young", of(0)}, {"middle", of(1)}, {"full", of(2)}};
}

}  // namespace ouro::runner
