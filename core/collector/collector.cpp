#include "core/collector/collector.hpp"

#include <algorithm>
#include <atomic>

#include "core/collector/collecting.hpp"
#include "core/collector/drivers/in_slices.hpp"
#include "core/collector/drivers/on_caller.hpp"
#include "core/collector/drivers/on_thread.hpp"
#include "core/collector/observed.hpp"
#include "core/event/events.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/hooks.hpp"
#include "core/mutator/suspects.hpp"
#include "core/mutator/world.hpp"

namespace ouro::collector {
namespace {

// Under full pressure a mutator allocates so many between two waits: a collector deals with more during one. Half as many
// after each wait, so that one that gets little of the processors, and takes long, is not outrun. (Sixteen threads that
// went on with 32 made a million containers while one that had to share its processor freed 25,000.) But never none: what
// this thread holds may be waited for.
constexpr int64_t kBetweenWaits = 32;
constexpr unsigned kHalvings = 3;

// What pacing knows of the calling thread.
struct Paced {
    int64_t running_since_ns = 0;  // since it was last held back, or began
    unsigned full = 0;             // waits in a row under full pressure
};
constinit thread_local Paced paced;

// After how many allocations a mutator looks again whether it is to wait: under half of the pressure after some 50 us of
// the 200 that it may run.
int64_t between_looks(double pressure) {
    if (pressure >= 1) {
        return kBetweenWaits >> std::min(paced.full, kHalvings);
    }
    const double p = std::max(pressure, 0.1);  // below, after a batch of allocations anyway
    return static_cast<int64_t>(static_cast<double>(kBetweenWaits) / (p * p));
}

// While enough suspects wait, the next local collection begins after so many allocations, or as many as suspects.
constexpr int64_t kBetweenSearches = 64;

}  // namespace

Collector& collector() {
    static Collector& it = *new Collector;
    return it;
}

std::unique_ptr<Driver> Collector::make_driver() {
    switch (row_->driver) {
        case option::Driver::kSlices:
            return std::make_unique<InSlices>(schedule_, *engine_);
        case option::Driver::kThread:
            return std::make_unique<OnThread>(schedule_, *engine_);
        case option::Driver::kCaller:
        case option::Driver::kCallerAtOnce:
            break;
    }
    return std::make_unique<OnCaller>(*whole_);
}

void Collector::start() {
    const option::Settings& settings = option::settings();
    row_ = &settings.engine_row();
    schedule_.start(settings, row_->is_budgeted());
    engine_ = make_engine(settings);
    whole_ = std::make_unique<Whole>(schedule_, *row_, engine_.get());
    driver_ = make_driver();
    mutator::set_suspect_batch(engine_ != nullptr && engine_->takes_suspects() ? settings.suspects
                                                                               : SIZE_MAX);
    mutator::count_deallocations(settings.stress == 0);
    start_observing();
    held_back_ = 0;
    restart_allocation_count();
    if (engine_ != nullptr) {
        mutator::hooks.allocation_due.store([] { collector().at_allocation(); },
                                            std::memory_order_relaxed);
    }
}

void Collector::prepare_to_close() {
    reserve_collecting();
    driver_->prepare_to_close();
}

void Collector::take_over() {
    replace(driver_->take_over());
    forget_collecting();
    const Collecting guard;
    finish_all();
}

void Collector::replace(std::unique_ptr<Driver> successor) {
    if (successor != nullptr) {
        driver_ = std::move(successor);
    }
}

void Collector::stop() {
    mutator::hooks.allocation_due.store(nullptr, std::memory_order_relaxed);
    driver_.reset();
    whole_.reset();
    engine_.reset();
    mutator::forget_suspects();
}

void Collector::prepare_fork() {
    driver_->prepare_fork();
}

void Collector::before_fork() {
    schedule_.lock();
    driver_->before_fork();
    if (engine_ != nullptr) {
        engine_->before_fork();
    }
}

void Collector::unlock_after_fork() {
    driver_->unlock_after_fork();
    schedule_.unlock();
}

void Collector::after_fork_in_parent() {
    unlock_after_fork();
    driver_->after_fork_in_parent();
}

void Collector::after_fork_in_child() {
    unlock_after_fork();
    if (engine_ != nullptr) {
        engine_->after_fork_in_child();
    }
    replace(driver_->after_fork_in_child());
    collecting_after_fork();
    held_back_ = 0;
}

bool Collector::is_collecting_here() const {
    return is_collecting_thread() || driver_->is_here();
}

// Ends what is in flight and what is left behind; returns what the former found. Pre: the caller is Collecting.
size_t Collector::finish_all() {
    whole_->finish_left_behind();
    return driver_->finish();
}

Py_ssize_t Collector::collect(Scope scope, bool though_disabled) {
    // On a collector thread the right to collect is not even tried for: who asks meanwhile would find it taken, and be
    // refused.
    if ((though_disabled || is_enabled()) && engine_ != nullptr && !driver_->is_here()) {
        if (const Collecting guard; guard) {
            size_t found = finish_all();
            if (driver_->is_amid_test()) {
                return static_cast<Py_ssize_t>(found);
            }
            found += whole_->collect(option::settings().generations ? scope : Scope::kFull,
                                     OURO_TRIGGER_REQUEST);
            mutator::allocation_trigger.call_at_next();
            return static_cast<Py_ssize_t>(found);
        }
    }
    // Or a loop around it would hold up whoever is about to stop the world.
    if (mutator::poll()) {
        mutator::safepoint();
    }
    return 0;
}

bool Collector::set_enabled(bool value) {
    mutator::allocation_trigger.call_at_next();
    const bool before = schedule_.set_enabled(value);
    if (!value && driver_ != nullptr) {
        driver_->give_up();
    }
    return before;
}

void Collector::set_thresholds(const Policy::Thresholds& thresholds) {
    schedule_.set_thresholds(thresholds);
    mutator::allocation_trigger.call_at_next();
}

void Collector::between_collections(void (*work)()) {
    const Collecting guard;
    const bool mine = guard && !driver_->is_here();
    if (mine) {
        finish_all();
    }
    work();
    if (mine) {
        schedule_.forget_young();
    }
}

// The safepoint of an allocation. An exception that is set belongs to code which does not expect
// others to run: as in CPython, the collection waits.
void Collector::at_allocation() {
    if (PyErr_Occurred() == nullptr && !driver_->is_here()) {
        if (const Collecting guard(Purpose::kLook); guard) {
            collect_due();
        }
        if (waits_at_trigger()) {
            wait_at_trigger();
        } else if (row_->is_budgeted() && (driver_->works_concurrently() || others_collect())) {
            keep_pace();
        }
    }
    rearm_trigger();
}

// A callback may fork: then it is another driver that begins the collection in the child.
void Collector::begin_full() {
    tell_start(Scope::kFull);
    driver_->begin_full();
}

// Pre: the caller is Collecting.
void Collector::collect_due() {
    whole_->finish_left_behind();
    if (Scope scope; schedule_.is_due(&scope)) {
        if (scope == Scope::kMiddle) {
            whole_->collect(scope, OURO_TRIGGER_ALLOCATION);
        } else if (scope == Scope::kFull && !driver_->is_in_flight()) {
            begin_full();
        } else if (scope == Scope::kYoung || option::settings().generations) {
            whole_->collect_young();
            driver_->allocations_restarted();
        }
    }
    search_if_due();
    driver_->go_on();
}

// After a search that found nothing mutators run for a pause budget at least: a structure that was let go of all over at
// once makes as many suspects as the list holds, and searches in vain followed each other for 20 to 50 ms.
void Collector::search_if_due() {
    if (search_is_due() && event::monotonic_ns() >= next_search_ns_ &&
        whole_->collect(Scope::kLocal, OURO_TRIGGER_SUSPECTS) == 0) {
        next_search_ns_ = event::monotonic_ns() + option::settings().pause_budget_ns();
    }
}

// Whether so many suspects wait that it is searched around them.
bool Collector::search_is_due() const {
    return engine_->takes_suspects() && is_enabled() && mutator::suspects_are_due();
}

// Whether a mutator whose allocations make the next collection due stalls until the one that another thread makes is
// over. After its stop that thread works concurrently with mutators: unchecked, these would make garbage faster than
// one thread frees it. Where pauses have a budget they are paced instead.
bool Collector::waits_at_trigger() const {
    return !row_->is_budgeted() && others_collect() && !is_hopeless();
}

void Collector::wait_at_trigger() {
    if (Scope scope; schedule_.is_due(&scope)) {
        const event::Span span(OURO_PHASE_WAIT, schedule_.latest());
        wait_until_collected();
    }
}

// Takes part in the slice that a collector thread makes, for so long or until another thread wants to stop the world.
// False if none is being made.
bool Collector::help(int64_t ns) {
    event::Phase held_back(OURO_PHASE_WAIT, schedule_.latest());
    held_back.resume();
    if (!engine_->help(Deadline::giving_way(ns, mutator::poll))) {
        return false;
    }
    held_back.suspend();
    held_back.end();
    return true;
}

// Pacing: holds back a mutator that allocates faster than a concurrent collection finds garbage, for the part of its time
// that the pressure says (pace.hpp), a pause budget at a time. Never for longer: user code of the collection may need
// something that this thread holds.
void Collector::keep_pace() {
    if (paced.running_since_ns == 0) {
        paced.running_since_ns = event::monotonic_ns();  // a thread that has just begun
    }
    const double pressure = schedule_.pace().pressure();
    paced.full = pressure < 1 ? 0 : paced.full + 1;
    const int64_t budget_ns = option::settings().pause_budget_ns();
    const auto ran_ns = static_cast<double>(event::monotonic_ns() - paced.running_since_ns);
    if (pressure * ran_ns < (1 - pressure) * static_cast<double>(budget_ns) || pressure == 0) {
        return;
    }
    // Under full pressure all that are held back allocate no more than one would.
    const int64_t in_turn = held_back_.fetch_add(1, std::memory_order_relaxed) + 1;
    const int64_t wait_ns = pressure < 1 ? budget_ns : budget_ns * in_turn;
    const int64_t end_ns = event::monotonic_ns() + wait_ns;
    if (others_collect() && !is_hopeless()) {
        const event::Span span(OURO_PHASE_WAIT, schedule_.latest());
        wait_until_collected(wait_ns);  // or it only looked
    }
    if (driver_->works_concurrently() && (!help(budget_ns) || pressure == 1)) {
        driver_->wait(end_ns - event::monotonic_ns());  // or there was little to help with
    }
    held_back_.fetch_sub(1, std::memory_order_relaxed);
    paced.running_since_ns = event::monotonic_ns();
}

// Lets the calling thread allocate until something is due or it must wait, but for a batch at most.
void Collector::rearm_trigger() {
    const int64_t total = mutator::allocation_trigger.settle();
    int64_t threshold = Schedule::kNever;
    // While a full collection is in flight no other begins, and mutators are paced once a batch.
    const bool taken = driver_->works_concurrently() && !option::settings().generations;
    if ((!is_collecting() || waits_at_trigger()) && !taken) {
        threshold = std::min(driver_->due_at(), schedule_.threshold());
        if (engine_ != nullptr && search_is_due()) {
            const auto suspects = static_cast<int64_t>(option::settings().suspects);
            threshold = std::min(threshold, total + std::min(suspects, kBetweenSearches));
        }
    }
    if (row_->is_budgeted() && (driver_->works_concurrently() || others_collect())) {
        if (const double pressure = schedule_.pace().pressure(); pressure > 0) {
            threshold = std::min(threshold, total + between_looks(pressure));
        }
    }
    mutator::allocation_trigger.rearm(total, threshold);
}

}  // namespace ouro::collector
