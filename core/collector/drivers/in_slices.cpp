#include "core/collector/drivers/in_slices.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/collector/collecting.hpp"
#include "core/collector/drive.hpp"
#include "core/collector/observed.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/object/saved_error.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {
namespace {

// A slice that comes too early is postponed by so many allocations: some 10 us.
constexpr int64_t kPostponed = 50;
// Where garbage is searched for around suspects, a full collection finds only what the searches left: it may take so
// many times as long, which leaves mutators that much more of every moment.
constexpr double kSlower = 6;
// At the growth limit slices follow each other for so long at most.
constexpr int64_t kLongestNs = 10'000'000;

}  // namespace

void InSlices::inherit(std::unique_ptr<Collection> collection) {
    in_flight_ = std::move(collection);
    due_at_.store(in_flight_ == nullptr ? Schedule::kNever : 0, std::memory_order_relaxed);
}

void InSlices::begin_full() {
    const event::Cycle cycle = schedule_.begin(Scope::kFull, OURO_TRIGGER_ALLOCATION);
    inherit(std::unique_ptr<Collection>(new (std::nothrow) Collection(
        cycle, Promotion::kAtOnce, option::Engine::kGuess, engine_, resources_)));
    if (in_flight_ == nullptr) {
        schedule_.abandoned();
        tell_stop({Scope::kFull});
    }
}

void InSlices::allocations_restarted() {
    if (in_flight_ != nullptr) {
        due_at_.store(0, std::memory_order_relaxed);
    }
}

void InSlices::go_on() {
    if (in_flight_ != nullptr && mutator::allocation_trigger.settle() >= due_at()) {
        make_slice();
    }
}

// So many times as far apart lie slices. Less where pacing says that this is too slow, and no more at half of the pressure.
double InSlices::spread(const Pace& pace) const {
    const double more = engine_.takes_suspects() ? kSlower - 1 : 0;
    return 1 + more * std::max(1 - 2 * pace.pressure(), 0.0);
}

// After how many allocations the next slice is due.
int64_t InSlices::between_slices(const Pace& pace) {
    // A slice of so many microseconds for twice as many containers: where an object takes no longer than
    // usual, everything has been looked at twice before a quarter more has been allocated.
    const double usual = static_cast<double>(option::settings().pause_budget_us) * 2 * spread(pace);
    // Where that is too slow, pacing shortens the distance by the pressure. In a small heap it may be more than there
    // is room for: never more than half of that, so that slices come before it is used up.
    const double room = pace.left() / 100 * static_cast<double>(schedule_.growth_base());
    const double distance = std::min(usual * (1 - pace.pressure()), room / 2);
    return std::max(kPostponed, static_cast<int64_t>(distance));
}

// Makes a slice of the budget, unless the program has run for less than pacing leaves it after the last one, or kSlower
// times that. At the limit slices follow each other.
void InSlices::make_slice() {
    const int64_t start_ns = event::monotonic_ns();
    const Pace pace = schedule_.pace();
    const double left_ns = static_cast<double>(last_ns_) * pace.between_slices() * spread(pace);
    if (start_ns < last_end_ns_ + static_cast<int64_t>(left_ns)) {
        due_at_.store(mutator::allocation_trigger.settle() + kPostponed, std::memory_order_relaxed);
        return;
    }
    const object::SavedError saved;
    schedule_.slices_begin(start_ns);
    int64_t end_ns = start_ns;
    // One that was inherited may have nothing left to do.
    for (bool goes_on = true; goes_on && in_flight_->needs() != Needs::kNothing;) {
        drive_slice(*in_flight_);
        end_ns = event::monotonic_ns();
        goes_on = end_ns < start_ns + kLongestNs && schedule_.pace().pressure() >= 1;
    }
    schedule_.slices_end(end_ns, in_flight_->event().cpu_ns);
    last_end_ns_ = end_ns;
    last_ns_ = std::max(end_ns - start_ns, option::settings().pause_budget_ns());
    if (in_flight_->needs() == Needs::kNothing) {
        drop(false);
        return;
    }
    due_at_.store(mutator::allocation_trigger.settle() + between_slices(schedule_.pace()),
                  std::memory_order_relaxed);
}

// It is over, or given up.
void InSlices::drop(bool given_up) {
    const Outcome outcome = in_flight_->outcome(given_up);
    if (!given_up) {
        schedule_.end(*in_flight_, 0);
        note_outcome(outcome);
    } else {
        schedule_.abandoned();
    }
    in_flight_.reset();
    due_at_.store(Schedule::kNever, std::memory_order_relaxed);
    tell_stop(outcome);
}

size_t InSlices::finish() {
    if (in_flight_ == nullptr) {
        return 0;
    }
    const object::SavedError saved;
    if (in_flight_->holds_dead()) {
        Deadline none = Deadline::none();
        in_flight_->run_code(none);
    }
    const bool given_up = in_flight_->may_be_given_up();
    if (!given_up) {
        drive(*in_flight_, false);
    }
    const size_t found = given_up ? 0 : in_flight_->found();
    drop(given_up);
    return found;
}

void InSlices::give_up() {
    if (const Collecting guard; guard && in_flight_ != nullptr &&
                                (in_flight_->may_be_given_up() || in_flight_->holds_dead())) {
        finish();
    }
}

}  // namespace ouro::collector
