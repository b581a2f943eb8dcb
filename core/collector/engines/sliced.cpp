#include "core/collector/engines/sliced.hpp"

#include "core/heap/heap.hpp"

namespace ouro::collector {

void SlicedEngine::begin(Cycle, Candidates&) {
    heap::clear_young();
    pass_.emplace(takes_suspects(), workers_);
    phase_ = OURO_PHASE_COUNT;
}

Next SlicedEngine::step(Deadline& deadline, World world, Candidates& candidates) {
    const auto go_on = [&](Next next, OuroPhase then) {
        if (next != Next::kDone) {
            return next;
        }
        phase_ = then;
        return Next::kMore;
    };
    switch (phase_) {
        case OURO_PHASE_COUNT:
            return go_on(pass_->count(deadline, world), OURO_PHASE_ROOTS);
        case OURO_PHASE_ROOTS:
            return go_on(pass_->colour(deadline, world), OURO_PHASE_MARK);
        case OURO_PHASE_MARK:
            return go_on(pass_->mark(deadline, world), OURO_PHASE_CANDIDATES);
        default:
            return pass_->list(deadline, candidates);
    }
}

std::unique_ptr<Engine> make_incremental(const option::Settings&) {
    return std::make_unique<SlicedEngine>(1);
}

std::unique_ptr<Engine> make_concurrent(const option::Settings& settings) {
    return std::make_unique<SlicedEngine>(settings.workers);
}

std::unique_ptr<Engine> make_concurrent_sync(const option::Settings&) {
    return std::make_unique<SlicedEngine>(1);
}

}  // namespace ouro::collector
