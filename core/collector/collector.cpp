#include "core/collector/collector.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "concurrency/thread/sync.hpp"
#include "core/collector/background.hpp"
#include "core/collector/collecting.hpp"
#include "core/collector/collection.hpp"
#include "core/collector/drive.hpp"
#include "core/collector/engines/sliced.hpp"
#include "core/collector/engines/snapshot.hpp"
#include "core/collector/engines/stw.hpp"
#include "core/collector/policy.hpp"
#include "core/exception/errors.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/world.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {
namespace {

using option::EngineKind;

std::atomic<bool> enabled{true};
std::atomic<uint64_t> cycles{0};

// The following, but for the policy, are the collecting thread's (Collecting). Never destroyed: the collector's
// thread may use them while the process exits.
Collection::Resources& resources = *new Collection::Resources;
// One that a thread makes from beginning to end. Here, for that thread may be gone in the middle of it: ended by the
// end of the runtime, or the parent's in the child of a fork. Then another brings it to its end.
std::optional<Collection>& whole = *new std::optional<Collection>;
// A full collection in slices, and its memory: others, of young objects, go on meanwhile.
Collection::Resources& sliced_resources = *new Collection::Resources;
std::unique_ptr<Collection>& in_flight = *new std::unique_ptr<Collection>;

// Read by every thread that comes to its allocations' limit.
std::mutex& policy_mutex = *new std::mutex;
Policy policy;
// A mutator at the limit of growth looks again after so long.
constexpr int64_t kMostWaitNs = 10'000'000;
// To wait for less takes longer than that.
constexpr int64_t kLeastWaitNs = 10'000;
// And, where another mutator is the one that collects, whether that is over.
constexpr int64_t kStepNs = 200'000;

// A slice that comes too early is postponed for so many allocations: some 10 us.
constexpr int64_t kPostponed = 50;
// When the next one may begin.
int64_t not_before_ns = 0;

// The total of allocations at which another slice is due; none is.
constexpr int64_t kNever = INT64_MAX / 2;
std::atomic<int64_t> slice_due{kNever};

// Made when the runtime starts. Null: reference counting only.
std::unique_ptr<Engine>& engine = *new std::unique_ptr<Engine>;

// Drives full collections while the program runs, if the engine is one for that.
std::unique_ptr<Background>& background = *new std::unique_ptr<Background>;

std::unique_ptr<Engine> make_engine(const option::Settings& settings) {
    switch (settings.engine) {
        case EngineKind::kStw:
            return std::make_unique<StwEngine>(1);
        case EngineKind::kStwParallel: {
            const size_t workers =
                settings.workers == 0 ? thread::SystemSync::processors() : settings.workers;
            return std::make_unique<StwEngine>(static_cast<unsigned>(workers));
        }
        case EngineKind::kIncremental:
        case EngineKind::kConcurrent:
        case EngineKind::kConcurrentSync:
            return std::make_unique<SlicedEngine>();
        case EngineKind::kSnapshot:
        case EngineKind::kSnapshotSync:
            return std::make_unique<SnapshotEngine>();
        case EngineKind::kOff:
            return nullptr;
    }
    return nullptr;
}

bool in_one_stop() {
    const EngineKind kind = option::settings().engine;
    return kind == EngineKind::kConcurrentSync || kind == EngineKind::kSnapshotSync;
}

// In the child of a fork there is no thread that would drive collections, nor when the runtime ends.
bool without_thread = false;

// Whether full collections go on while the program does, on its threads.
bool in_slices() {
    return option::settings().engine == EngineKind::kIncremental || without_thread;
}

// With what it had in flight. It is not there, or will never do anything again: it cannot be joined.
void go_on_without_thread(std::unique_ptr<Collection> collection) {
    in_flight = std::move(collection);
    slice_due.store(in_flight == nullptr ? kNever : 0, std::memory_order_relaxed);
    (void)background.release();
    without_thread = true;
}

// Whether pauses have a budget.
bool is_budgeted() {
    return in_slices() || in_one_stop() || background != nullptr;
}

Ageing ageing() {
    return is_budgeted() ? Ageing::kAtOnce : Ageing::kByGeneration;
}

// Begins to count allocations anew.
void reset_trigger() {
    mutator::reset_allocation_total(0);
    mutator::allocation_trigger.count = 0;
    mutator::allocation_trigger.floor = 0;
    if (in_flight != nullptr) {
        slice_due.store(0, std::memory_order_relaxed);
    }
}

// The number of a new collection, which the policy hears of.
Cycle begin_cycle(Scope scope, OuroTrigger trigger) {
    const auto young = static_cast<size_t>(mutator::allocation_trigger.settle());
    reset_trigger();
    const std::lock_guard guard(policy_mutex);
    policy.begin(scope, young);
    return {cycles.fetch_add(1, std::memory_order_relaxed) + 1, scope, trigger};
}

// How many of so many threads can run at once.
size_t on_processors(size_t threads) {
    return std::min<size_t>(threads, thread::SystemSync::processors());
}

void end_cycle(const Collection& collection, size_t running) {
    const std::lock_guard guard(policy_mutex);
    if (running > 0) {
        policy.stopped(on_processors(running));
    }
    policy.end(collection.cycle().scope, collection.event().objects, collection.event().condemned);
    note_outcome(collection.outcome());
}

// Whether the background thread is the calling one.
bool is_background() {
    return background != nullptr && background->is_this_thread();
}

// Brings the whole one to its end, and tells of it.
size_t finish_whole() {
    const size_t running = drive(*whole, in_one_stop());
    end_cycle(*whole, running);
    const Outcome outcome = whole->outcome();
    whole.reset();
    tell_stop(outcome);
    return outcome.collected + outcome.uncollectable;
}

// One whose thread is gone. Pre: the caller is Collecting.
void finish_left_behind() {
    if (whole) {
        const object::SavedError saved;
        finish_whole();
    }
}

// From beginning to end. Pre: the caller is Collecting, and none is left behind.
size_t collect_now(Scope scope, OuroTrigger trigger) {
    const object::SavedError saved;  // finalizers and clears must not disturb the caller's
    tell_start(scope);
    whole.emplace(begin_cycle(scope, trigger), ageing(), *engine, resources);
    return finish_whole();
}

// A young collection is due, to be done or left out. Pre: the caller is Collecting.
void collect_young() {
    const auto young = static_cast<size_t>(mutator::allocation_trigger.settle());
    bool left_out = false;
    {
        const std::lock_guard guard(policy_mutex);
        left_out = policy.leave_out();
    }
    if (!left_out) {
        collect_now(Scope::kYoung, OURO_TRIGGER_ALLOCATION);
        return;
    }
    const object::SavedError saved;
    whole.emplace(begin_cycle(Scope::kYoung, OURO_TRIGGER_ALLOCATION), Ageing::kUnseen, *engine,
                  resources);
    const size_t running = drive(*whole, in_one_stop());
    whole.reset();
    const std::lock_guard guard(policy_mutex);
    policy.stopped(on_processors(running));
    policy.left_out(young);
}

// In per cent (Policy::growth), beside a full collection.
size_t growth() {
    const auto young = static_cast<size_t>(mutator::allocation_trigger.settle());
    const std::lock_guard guard(policy_mutex);
    return policy.growth(young, option::settings().generations);
}

// How near the heap is to its limit, in per cent: 0 up to half of the growth that there was room for when the full
// collection began, 100 from the limit on. Mutators are held back as far.
int64_t pressure() {
    const auto limit = std::max<int64_t>(static_cast<int64_t>(option::settings().growth_limit), 1);
    const auto young = static_cast<size_t>(mutator::allocation_trigger.settle());
    const bool generations = option::settings().generations;
    const std::lock_guard guard(policy_mutex);
    const auto at_begin = static_cast<int64_t>(policy.growth_at_begin(generations));
    const auto grown = static_cast<int64_t>(policy.growth(young, generations));
    if (grown >= limit) {
        return 100;
    }
    const int64_t from = (limit + at_begin) / 2;
    return grown <= from ? 0 : (grown - from) * 100 / (limit - from);
}

// Of how many allocations the next slice is due.
int64_t between_slices() {
    // A slice of so many microseconds for twice as many containers: where an object takes no longer than
    // usual, everything has been looked at twice before a quarter more has been allocated.
    const auto usual = static_cast<int64_t>(option::settings().pause_budget_us) * 2;
    // Where that is too little, they come the sooner the nearer the limit is.
    return std::max(kPostponed, usual * (100 - pressure()) / 100);
}

// The collection in flight is over, or given up. Pre: the caller is Collecting, and there is one.
void drop_in_flight(bool given_up) {
    const Outcome outcome = in_flight->outcome(given_up);
    in_flight.reset();
    slice_due.store(kNever, std::memory_order_relaxed);
    tell_stop(outcome);
}

// What the budget allows of the collection in flight, unless the program has run for less than that since
// the last slice; if memory grows too much meanwhile it must do without, and at the limit one slice follows
// another. Pre: the caller is Collecting, and there is one.
void collect_slice() {
    const int64_t start_ns = event::monotonic_ns();
    if (start_ns < not_before_ns && pressure() == 0) {
        slice_due.store(mutator::allocation_trigger.settle() + kPostponed,
                        std::memory_order_relaxed);
        return;
    }
    const object::SavedError saved;
    int64_t end_ns;
    do {
        drive_slice(*in_flight);
        end_ns = event::monotonic_ns();
    } while (in_flight->needs() != Needs::kNothing && end_ns < start_ns + kMostWaitNs &&
             growth() > option::settings().growth_limit);
    const auto budget_ns = static_cast<int64_t>(option::settings().pause_budget_us) * 1000;
    not_before_ns = end_ns + std::max(end_ns - start_ns, budget_ns) * 5 / 4;
    if (in_flight->needs() == Needs::kNothing) {
        end_cycle(*in_flight, 0);
        drop_in_flight(false);
        return;
    }
    slice_due.store(mutator::allocation_trigger.settle() + between_slices(),
                    std::memory_order_relaxed);
}

// Ends the collection in flight: at once, where nothing has been condemned yet. Returns what it found.
// Pre: the caller is Collecting.
size_t finish_in_flight() {
    finish_left_behind();
    if (background != nullptr) {
        return background->finish();
    }
    if (in_flight == nullptr) {
        return 0;
    }
    const object::SavedError saved;
    if (in_flight->holds_dead()) {
        Deadline none = Deadline::none();
        in_flight->run_code(none);
    }
    const bool given_up = in_flight->may_be_given_up();
    if (!given_up) {
        drive(*in_flight, false);
        end_cycle(*in_flight, 0);
    }
    const size_t found = given_up ? 0 : in_flight->found();
    drop_in_flight(given_up);
    return found;
}

// On the collector's thread.
void end_background(const Collection& collection, bool given_up) {
    if (!given_up) {
        end_cycle(collection, 0);
    }
}

// Of a mutator that is held back.
Cycle cycle_beside() {
    return {cycles.load(std::memory_order_relaxed), Scope::kFull, OURO_TRIGGER_REQUEST};
}

// Outside, until nobody else collects, but for so long at most.
void wait_for_collecting(int64_t ns) {
    const event::Span span(OURO_PHASE_WAIT, cycle_beside());
    const int64_t end_ns = event::monotonic_ns() + ns;
    do {
        mutator::let_others_run(std::min(ns, kStepNs));
    } while (is_collected_beside() && event::monotonic_ns() < end_ns);
}

// Holds back a mutator that allocates faster than the collection beside it finds garbage: from half of the
// limit on for the longer the nearer the limit is, and, at the limit, until that collection is over; but not
// for code of the program's that may want something that this thread holds.
void keep_pace() {
    const int64_t budget_ns = static_cast<int64_t>(option::settings().pause_budget_us) * 1000;
    const int64_t pressed = pressure();
    const int64_t ns = pressed == 100 ? kMostWaitNs : budget_ns * pressed / 100;
    if (ns >= kLeastWaitNs) {
        if (is_collected_beside()) {
            wait_for_collecting(ns);
        } else if (background != nullptr) {  // or it is over since
            background->wait(ns);
        }
    }
}

bool is_due(Scope* scope) {
    const int64_t total = mutator::allocation_trigger.settle();
    const std::lock_guard guard(policy_mutex);
    return enabled.load(std::memory_order_relaxed) &&
           policy.due(static_cast<size_t>(total), option::settings().generations, scope);
}

// Whether a mutator that comes to where the next collection is due waits for the end of the one that another thread
// makes. That one's work after its stop is done beside the others: if they went on, they would make garbage faster
// than one thread frees it. Where pauses have a budget they keep pace instead.
bool waits_at_trigger() {
    return !is_budgeted() && is_collected_beside() && !is_hopeless();
}

void wait_at_trigger() {
    if (Scope scope; is_due(&scope)) {
        const event::Span span(OURO_PHASE_WAIT, cycle_beside());
        wait_until_collected();
    }
}

// One that goes on while the program does. Pre: the caller is Collecting, and none is in flight.
void begin_full() {
    tell_start(Scope::kFull);
    const Cycle cycle = begin_cycle(Scope::kFull, OURO_TRIGGER_ALLOCATION);
    bool begun;
    if (background != nullptr) {
        begun = background->request(cycle);
    } else {
        in_flight.reset(new (std::nothrow) Collection(cycle, ageing(), *engine, sliced_resources));
        begun = in_flight != nullptr;
        slice_due.store(begun ? 0 : kNever, std::memory_order_relaxed);
    }
    if (!begun) {
        tell_stop({Scope::kFull});
    }
}

// Pre: the caller is Collecting.
void collect_due() {
    finish_left_behind();
    Scope scope;
    if (is_due(&scope)) {
        const bool in_parts = background != nullptr || in_slices();
        const bool has_one =
            background != nullptr ? background->is_in_flight() : in_flight != nullptr;
        if (in_parts && scope == Scope::kFull && !has_one) {
            begin_full();
        } else if (scope == Scope::kYoung || (in_parts && option::settings().generations)) {
            collect_young();
        } else if (!in_parts) {
            collect_now(scope, OURO_TRIGGER_ALLOCATION);
        }
    }
    if (in_flight != nullptr &&
        mutator::allocation_trigger.settle() >= slice_due.load(std::memory_order_relaxed)) {
        collect_slice();
    }
}

// Lets the calling thread allocate until something is due, or it has to wait; where neither can be, for a batch.
void rearm_trigger() {
    const int64_t total = mutator::allocation_trigger.settle();
    int64_t threshold = kNever;
    // While a full collection is in flight no other begins, and who allocates keeps its pace by batches.
    const bool taken =
        background != nullptr && background->is_in_flight() && !option::settings().generations;
    if ((!is_collecting() || waits_at_trigger()) && !taken) {
        threshold = slice_due.load(std::memory_order_relaxed);
        if (enabled.load(std::memory_order_relaxed)) {
            const std::lock_guard guard(policy_mutex);
            threshold = std::min(
                threshold, static_cast<int64_t>(policy.threshold(option::settings().generations)));
        }
    }
    mutator::allocation_trigger.rearm(total, threshold);
}

// The safepoint of an allocation. An exception that is set belongs to code which does not expect
// others to run: as in CPython, the collection waits.
void at_allocation() {
    if (PyErr_Occurred() == nullptr && !is_background()) {
        if (const Collecting guard; guard) {
            collect_due();
        }
        if (waits_at_trigger()) {
            wait_at_trigger();
        } else if (is_budgeted() && ((background != nullptr && background->is_in_flight()) ||
                                     is_collected_beside())) {
            keep_pace();
        }
    }
    rearm_trigger();
}

}  // namespace

void start() {
    const option::Settings& settings = option::settings();
    without_thread = false;
    engine = make_engine(settings);
    if (settings.engine == EngineKind::kConcurrent || settings.engine == EngineKind::kSnapshot) {
        background = std::make_unique<Background>(*engine, end_background, pressure);
    }
    policy = Policy(is_budgeted(), settings.young_threshold);
    policy.set_stress(settings.stress);
    mutator::count_deallocations(settings.stress == 0);
    start_observing();
    reset_trigger();
    if (engine != nullptr) {
        mutator::allocation_due.store(at_allocation, std::memory_order_relaxed);
    }
}

void prepare_to_close() {
    reserve_collecting();
    if (background != nullptr) {
        (void)background->end();
    }
}

void take_over() {
    if (background != nullptr && background->has_ended()) {
        background.reset();
        without_thread = true;
    } else if (background != nullptr) {
        go_on_without_thread(background->leave_behind());
    }
    forget_collecting();
    const Collecting guard;
    finish_in_flight();
}

bool is_collecting_here() {
    return is_collecting_thread() || is_background();
}

void stop() {
    mutator::allocation_due.store(nullptr, std::memory_order_relaxed);
    in_flight.reset();
    engine.reset();
}

// On the collector's thread, a finalizer of whose may fork, too, there is nothing to do about that: it is the one that
// goes on in the child.
void prepare_fork() {
    if (background != nullptr && !is_background()) {
        background->before_fork();
    }
}

void before_fork() {
    policy_mutex.lock();
    if (background != nullptr) {
        background->lock();
    }
}

namespace {

void unlock_after_fork() {
    if (background != nullptr) {
        background->unlock();
    }
    policy_mutex.unlock();
}

}  // namespace

void after_fork_in_parent() {
    unlock_after_fork();
    if (background != nullptr && !is_background()) {
        background->after_fork_in_parent();
    }
}

void after_fork_in_child() {
    unlock_after_fork();
    if (engine != nullptr) {
        engine->after_fork_in_child();
    }
    if (background != nullptr && !is_background()) {
        go_on_without_thread(background->after_fork_in_child());
    }
    collecting_after_fork();
}

Py_ssize_t collect(Scope scope, bool though_disabled) {
    const Collecting guard;
    if ((!though_disabled && !enabled.load(std::memory_order_relaxed)) || engine == nullptr ||
        !guard || is_background()) {
        // Or a loop around it would hold up whoever is about to stop the world.
        if (mutator::poll()) {
            mutator::safepoint();
        }
        return 0;
    }
    size_t found = finish_in_flight();
    found +=
        collect_now(option::settings().generations ? scope : Scope::kFull, OURO_TRIGGER_REQUEST);
    mutator::allocation_trigger.limit = 0;  // the next allocation asks for the right one
    return static_cast<Py_ssize_t>(found);
}

bool set_enabled(bool value) {
    mutator::allocation_trigger.limit = 0;
    const bool before = enabled.exchange(value, std::memory_order_relaxed);
    if (!value) {
        // Before any of its code has run, a collection in flight is no more than an idea.
        if (background != nullptr) {
            background->give_up();
        } else if (const Collecting guard;
                   guard && in_flight != nullptr &&
                   (in_flight->may_be_given_up() || in_flight->holds_dead())) {
            finish_in_flight();
        }
    }
    return before;
}

bool is_enabled() {
    return enabled.load(std::memory_order_relaxed);
}

std::array<size_t, 3> counts() {
    const auto young =
        static_cast<size_t>(std::max<int64_t>(mutator::allocation_trigger.settle(), 0));
    const std::lock_guard guard(policy_mutex);
    return {young, policy.middle(), policy.old()};
}

Policy::Thresholds thresholds() {
    const std::lock_guard guard(policy_mutex);
    return policy.thresholds();
}

void set_thresholds(const Policy::Thresholds& thresholds) {
    const std::lock_guard guard(policy_mutex);
    policy.set_thresholds(thresholds);
    mutator::allocation_trigger.limit = 0;  // the next allocation asks for the right one
}

void between_collections(void (*work)()) {
    const Collecting guard;
    const bool mine = guard && !is_background();
    if (mine) {
        finish_in_flight();
    }
    work();
    if (mine) {
        reset_trigger();
        const std::lock_guard policy_guard(policy_mutex);
        policy.forget_young();
    }
}

}  // namespace ouro::collector
