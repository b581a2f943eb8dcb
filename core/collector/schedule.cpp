#include "core/collector/schedule.hpp"

#include <algorithm>
#include <optional>

#include "concurrency/thread/sync.hpp"
#include "core/collector/collection.hpp"
#include "core/event/clock.hpp"
#include "core/mutator/allocation_trigger.hpp"

namespace ouro::collector {
namespace {

// In per cent: at about that growth at most a full collection is due (Policy::growth).
constexpr size_t kDueAtGrowth = 100;

// A collection in slices is expected to take so much longer than the last one, and always as much more: one that takes a
// little longer does not end with mutators held back altogether. With more of it collections swing (0.05, 0.1 and 0.2 in
// the simulation, at 7 M objects a second: by 1, 2 and 8 %; a third of the worst 100 ms is left with each).
constexpr double kLonger = 0.1;

// How many of so many threads can run at once.
size_t on_processors(size_t threads) {
    return std::min<size_t>(threads, thread::SystemSync::processors());
}

}  // namespace

void restart_allocation_count() {
    mutator::reset_allocation_total(0);
    mutator::allocation_trigger.count = 0;
    mutator::allocation_trigger.floor = 0;
}

void Schedule::start(const option::Settings& settings, bool budgeted) {
    const std::lock_guard guard(mutex_);
    beside_since_ns_ = beside_took_ns_ = 0;
    work_ns_ = last_work_ns_ = noted_ns_ = 0;
    beside_slices_ = between_slices_ = Rate();
    found_young_ = 0;
    policy_ = Policy(budgeted, settings.young_threshold, make_trigger(settings));
    policy_.set_stress(settings.stress);
}

size_t Schedule::young() {
    const auto counted = static_cast<size_t>(mutator::allocation_trigger.settle());
    found_young_ = std::min(found_young_, counted);
    return counted - found_young_;
}

size_t Schedule::made_up_for() const {
    return option::settings().generations ? 0 : found_young_;
}

size_t Schedule::waiting() {
    const size_t young = this->young();
    return young + found_young_ - made_up_for();
}

void Schedule::restart_young() {
    restart_allocation_count();
    found_young_ = 0;
}

bool Schedule::is_due(Scope* scope) {
    const std::lock_guard guard(mutex_);
    return is_enabled() && policy_.due(waiting(), option::settings().generations, scope);
}

int64_t Schedule::threshold() {
    if (!is_enabled()) {
        return kNever;
    }
    const std::lock_guard guard(mutex_);
    return static_cast<int64_t>(policy_.threshold(option::settings().generations) + made_up_for());
}

std::array<size_t, 3> Schedule::counts() {
    const std::lock_guard guard(mutex_);
    return {waiting(), policy_.middle(), policy_.old()};
}

Policy::Thresholds Schedule::thresholds() {
    const std::lock_guard guard(mutex_);
    return policy_.thresholds();
}

void Schedule::set_thresholds(const Policy::Thresholds& thresholds) {
    const std::lock_guard guard(mutex_);
    policy_.set_thresholds(thresholds);
}

event::Cycle Schedule::begin(Scope scope, OuroTrigger trigger) {
    if (scope != Scope::kLocal) {
        const std::lock_guard guard(mutex_);
        const size_t young = this->young();
        policy_.begin(scope, young, found_young_);
        if (scope == Scope::kFull) {
            work_ns_ = noted_ns_ = 0;
        }
        restart_young();
    }
    return {cycles_.fetch_add(1, std::memory_order_relaxed) + 1, scope, trigger};
}

void Schedule::end(const Collection& collection, size_t running) {
    const std::lock_guard guard(mutex_);
    if (running > 0) {
        policy_.stopped(on_processors(running));
    }
    const OuroEvent& event = collection.event();
    const Scope scope = collection.cycle().scope;
    if (scope == Scope::kFull) {
        last_work_ns_ = work_ns_ > 0 ? event.cpu_ns : 0;
    }
    size_t garbage = event.condemned;
    // It may be of any age. As long as there are young objects it counts as young, as what dies by its count does.
    if (scope == Scope::kLocal && option::settings().stress == 0) {
        const size_t of_young = std::min(garbage, young());
        found_young_ += of_young;
        garbage -= of_young;
    }
    policy_.end(scope, event.objects, garbage, static_cast<double>(event.cpu_ns) * 1e-9);
}

void Schedule::abandoned() {
    const std::lock_guard guard(mutex_);
    beside_since_ns_ = 0;
    policy_.abandoned();
}

bool Schedule::leave_out() {
    const std::lock_guard guard(mutex_);
    return policy_.leave_out();
}

void Schedule::left_out(size_t running) {
    const std::lock_guard guard(mutex_);
    policy_.stopped(on_processors(running));
    policy_.left_out();
}

void Schedule::forget_young() {
    const std::lock_guard guard(mutex_);
    restart_young();
    policy_.forget_young();
}

event::Cycle Schedule::latest() const {
    return {cycles_.load(std::memory_order_relaxed), Scope::kFull, OURO_TRIGGER_REQUEST};
}

void Schedule::begin_beside() {
    const std::lock_guard guard(mutex_);
    beside_since_ns_ = event::monotonic_ns();
}

void Schedule::end_beside() {
    const std::lock_guard guard(mutex_);
    beside_took_ns_ = event::monotonic_ns() - beside_since_ns_;
    beside_since_ns_ = 0;
}

void Schedule::slices_begin(int64_t now_ns) {
    const std::lock_guard guard(mutex_);
    note_made(now_ns, &between_slices_);
}

void Schedule::slices_end(int64_t now_ns, int64_t cpu_ns) {
    const std::lock_guard guard(mutex_);
    note_made(now_ns, &beside_slices_);
    work_ns_ = cpu_ns;
}

void Schedule::note_made(int64_t now_ns, Rate* rate) {
    const size_t newer = policy_.newer(young());
    if (noted_ns_ > 0) {
        const size_t made =
            newer - std::min(newer, noted_);  // young collections may have found more dead
        rate->note(static_cast<double>(made), now_ns - noted_ns_);
    }
    noted_ns_ = now_ns;
    noted_ = newer;
}

Pace::Expected Schedule::expected() const {
    const auto base = static_cast<double>(policy_.base(option::settings().generations));
    const auto last = static_cast<double>(last_work_ns_);
    const double longer = kLonger * last;
    const double rest_ns = std::max(last + longer - static_cast<double>(work_ns_), longer);
    return {beside_slices_.per_ns() * rest_ns / base * 100,
            between_slices_.per_ns() * rest_ns * Pace::kBetweenSlices / base * 100};
}

Pace Schedule::pace() {
    const option::Settings& settings = option::settings();
    const std::lock_guard guard(mutex_);
    const size_t young = this->young();
    if (!policy_.is_full_in_flight()) {
        // Mutators must not outrun one that is due, which waits for a young one in flight or for its thread.
        const size_t growth = policy_.growth(young, settings.generations);
        const size_t due_at = std::min(kDueAtGrowth, settings.growth_limit);
        const bool waits =
            is_enabled() &&
            (growth > kDueAtGrowth ||
             (growth > due_at && policy_.is_full_due(waiting(), settings.generations)));
        return waits ? Pace(due_at, growth, settings.growth_limit) : Pace();
    }
    const size_t at_begin = policy_.growth_at_begin(settings.generations);
    const size_t now = policy_.growth(young, settings.generations);
    if (beside_since_ns_ > 0 && beside_took_ns_ > 0) {
        const auto since = static_cast<double>(event::monotonic_ns() - beside_since_ns_);
        return {at_begin, now, settings.growth_limit, since / static_cast<double>(beside_took_ns_)};
    }
    if (beside_since_ns_ == 0 && last_work_ns_ > 0 && between_slices_.per_ns() > 0) {
        return {at_begin, now, settings.growth_limit, expected()};
    }
    return {at_begin, now, settings.growth_limit};
}

size_t Schedule::growth_base() {
    const std::lock_guard guard(mutex_);
    return policy_.base(option::settings().generations);
}

}  // namespace ouro::collector
