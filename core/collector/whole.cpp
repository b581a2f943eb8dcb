#include "core/collector/whole.hpp"

#include "core/collector/drive.hpp"
#include "core/collector/observed.hpp"
#include "core/object/saved_error.hpp"

namespace ouro::collector {

size_t Whole::drive_to_end() {
    return drive(*collection_, row_.driver == option::Driver::kCallerAtOnce);
}

size_t Whole::finish() {
    const size_t running = drive_to_end();
    schedule_.end(*collection_, running);
    const Outcome outcome = collection_->outcome();
    collection_.reset();
    note_outcome(outcome);
    tell_stop(outcome);
    return outcome.collected + outcome.uncollectable;
}

void Whole::begin(Scope scope, OuroTrigger trigger, Promotion promotion) {
    collection_.emplace(schedule_.begin(scope, trigger), promotion, row_.finds, *engine_,
                        resources_);
}

size_t Whole::collect(Scope scope, OuroTrigger trigger) {
    const object::SavedError saved;  // finalizers and clears must not disturb the caller's
    tell_start(scope);
    return collect_as_told(scope, trigger);
}

size_t Whole::collect_as_told(Scope scope, OuroTrigger trigger) {
    const object::SavedError saved;
    begin(scope, trigger, row_.is_budgeted() ? Promotion::kAtOnce : Promotion::kByGeneration);
    return finish();
}

void Whole::collect_young() {
    if (!schedule_.leave_out()) {
        collect(Scope::kYoung, OURO_TRIGGER_ALLOCATION);
        return;
    }
    const object::SavedError saved;
    begin(Scope::kYoung, OURO_TRIGGER_ALLOCATION, Promotion::kUnseen);
    const size_t running = drive_to_end();
    collection_.reset();
    schedule_.left_out(running);
}

void Whole::finish_left_behind() {
    if (collection_) {
        const object::SavedError saved;
        finish();
    }
}

}  // namespace ouro::collector
