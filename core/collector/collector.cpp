#include "core/collector/collector.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>

#include "concurrency/thread/sync.hpp"
#include "core/collector/condemn.hpp"
#include "core/collector/engines/stw.hpp"
#include "core/collector/exact_test.hpp"
#include "core/collector/finalize.hpp"
#include "core/collector/legacy.hpp"
#include "core/collector/policy.hpp"
#include "core/collector/reclaim.hpp"
#include "core/collector/rescue.hpp"
#include "core/collector/weakrefs.hpp"
#include "core/event/events.hpp"
#include "core/heap/heap.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/world.hpp"
#include "core/object/errors.hpp"
#include "core/object/merge_queues.hpp"
#include "core/object/object.hpp"
#include "core/option/settings.hpp"
#include "core/verify/retrace.hpp"

namespace ouro::collector {
namespace {

std::atomic<bool> enabled{true};
// One collection at a time: whoever sets it. Guards everything below.
std::atomic<bool> collecting{false};
uint64_t cycles = 0;

ExactTest::Memory test_memory;

// Read by every thread that comes to its allocations' limit.
std::mutex policy_mutex;
Policy policy;

// Whether the calling thread may collect: nobody else does.
class Collecting {
public:
    // acquire and release: the next collector sees what this one did.
    Collecting() : mine_(!collecting.exchange(true, std::memory_order_acquire)) {}
    ~Collecting() {
        if (mine_) {
            collecting.store(false, std::memory_order_release);
        }
    }
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;

    explicit operator bool() const { return mine_; }

private:
    const bool mine_;
};

// Made when the runtime starts. Null: reference counting only.
std::unique_ptr<Engine> engine;

std::unique_ptr<Engine> make_engine(const option::Settings& settings) {
    switch (settings.engine) {
        case option::EngineKind::kStw:
            return std::make_unique<StwEngine>(1);
        case option::EngineKind::kStwParallel: {
            const size_t workers =
                settings.workers == 0 ? thread::SystemSync::processors() : settings.workers;
            return std::make_unique<StwEngine>(static_cast<unsigned>(workers));
        }
        case option::EngineKind::kOff:
            return nullptr;
    }
    return nullptr;
}

// When each thread that ran had stopped, for who listens.
void report_safepoints(Cycle cycle, const mutator::Stopped& stopped) {
    stopped.for_each_arrival([&](uint64_t id, int64_t start_ns, int64_t end_ns) {
        OuroEvent event{};
        event.phase = OURO_PHASE_SAFEPOINT;
        event.cycle = cycle.number;
        event.generation = static_cast<unsigned>(cycle.scope);
        event.trigger = cycle.trigger;
        event.start_ns = start_ns;
        event.end_ns = end_ns;
        event.thread = id;
        event::emit(event);
    });
}

// The world is stopped while one lives; its event ends when all have been let go.
class Pause {
public:
    explicit Pause(Cycle cycle) : span_(OURO_PHASE_PAUSE, cycle) {
        span_.event.time_to_safepoint_ns = stopped_.time_to_safepoint_ns();
        report_safepoints(cycle, stopped_);
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

    OuroEvent& event() { return span_.event; }
    // How many threads ran, the calling one among them.
    size_t running() const { return stopped_.running(); }

private:
    event::Span span_;
    const mutator::Stopped stopped_;
};

// The first pause: find the garbage and condemn it.
void find_and_condemn(Cycle cycle, Condemned& condemned, event::Span& total) {
    Pause pause(cycle);
    {
        const std::lock_guard guard(policy_mutex);
        policy.stopped(std::min<size_t>(pause.running(), thread::SystemSync::processors()));
    }
    // Without memory for it, what waits in the queues has a reference from there, and lives on.
    (void)object::merge_all_queues(condemned.dead);
    const Marked marked = engine->mark(cycle, condemned.garbage);
    pause.event().objects = total.event.objects = marked.objects;
    pause.event().candidates = total.event.candidates = condemned.garbage.size();
    pause.event().bytes = total.event.bytes = heap::usage().heap_bytes;
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle);
        verify::check_candidates(condemned.garbage, cycle.scope == Scope::kFull);
    }
    event::Span span(OURO_PHASE_CONDEMN, cycle);
    condemn(condemned);
    span.event.condemned = total.event.condemned = condemned.garbage.size();
    span.event.uncollectable = total.event.uncollectable = condemned.kept.size();
}

void call_callbacks(Cycle cycle, const Condemned& condemned) {
    if (!condemned.called.empty()) {
        event::Span span(OURO_PHASE_CALLBACKS, cycle);
        call_weak_callbacks(condemned.called);
        span.event.objects = condemned.called.size();
    }
}

// Calls work(deadline) in pauses of the budget until it returns true. Between two of them the others
// run for as long as they stood still.
template <class Work>
void work_in_pauses(Cycle cycle, const Work& work) {
    const auto budget_ns = static_cast<int64_t>(option::settings().pause_budget_us) * 1000;
    for (;;) {
        const int64_t start_ns = event::monotonic_ns();
        bool others = false;
        bool done = false;
        {
            const Pause pause(cycle);
            others = pause.running() > 1;
            Deadline deadline(budget_ns);
            done = work(deadline);
        }
        if (done) {
            return;
        }
        if (others) {
            mutator::let_others_run(event::monotonic_ns() - start_ns);
        }
    }
}

// So many objects' components are formed in less time than another stop takes.
constexpr size_t kOrderedInAPause = 256;

// Which of the condemned are reachable again (inv.exact.anew). Kills the weak references of the others,
// which finalizers have made.
void test_again(Cycle cycle, Condemned& condemned) {
    event::Span span(OURO_PHASE_RESURRECT, cycle);
    span.event.candidates = condemned.garbage.size();
    Candidates& survivors = condemned.survivors;
    survivors.reserve(condemned.garbage.size());
    Candidates not_called;
    try {
        ExactTest test(condemned.garbage, kPins, test_memory);
        const auto sort_out = [&](Deadline& deadline) {
            return test.test(deadline, [&](std::span<PyObject* const> objects, bool garbage) {
                if (garbage) {
                    kill_weak_references(objects, not_called);
                } else {
                    std::ranges::for_each(objects, [&](PyObject* op) { rescue(op, survivors); });
                }
            });
        };
        const bool small = condemned.garbage.size() <= kOrderedInAPause;
        bool ordered = false;
        work_in_pauses(cycle, [&](Deadline& deadline) {
            if (!ordered && test.read(deadline)) {
                if (!small) {
                    return true;
                }
                test.order();
                ordered = true;
            }
            return ordered && sort_out(deadline);
        });
        if (!ordered) {
            test.order();
            work_in_pauses(cycle, sort_out);
        }
    } catch (const std::bad_alloc&) {
        survivors.clear();  // what was rescued lives on with the rest of the garbage
        drop_weak_callbacks(not_called);
        throw;
    }
    std::erase_if(condemned.garbage, [](const PyObject* op) { return !is_condemned(op); });
    std::ranges::sort(survivors);
    span.event.resurrected = survivors.size();
    drop_weak_callbacks(not_called);
}

// Runs finalizers; if any code ran, the second test follows.
void finalize_and_test(Cycle cycle, Condemned& condemned, event::Span& total) {
    size_t ran;
    {
        event::Span span(OURO_PHASE_FINALIZE, cycle);
        ran = finalize(condemned.garbage);
        span.event.objects = ran;
    }
    if (ran == 0 && condemned.called.empty()) {
        return;
    }
    test_again(cycle, condemned);
    total.event.resurrected = condemned.survivors.size();
}

void reclaim(Cycle cycle, const Condemned& condemned, event::Span& total) {
    {
        event::Span span(OURO_PHASE_CLEAR, cycle);
        clear(condemned.garbage);
    }
    event::Span span(OURO_PHASE_RELEASE, cycle);
    release(condemned.survivors);
    total.event.freed = span.event.freed = release(condemned.garbage);
}

// Everything after the first pause. Throws std::bad_alloc before anything was cleared.
void finish(Cycle cycle, Condemned& condemned, event::Span& total) {
    call_callbacks(cycle, condemned);
    finalize_and_test(cycle, condemned, total);
    reclaim(cycle, condemned, total);
}

size_t run_cycle(Cycle cycle) {
    event::Span total(OURO_PHASE_CYCLE, cycle);
    Condemned condemned;
    size_t found = 0;
    try {
        find_and_condemn(cycle, condemned, total);
        found = condemned.garbage.size() + condemned.kept.size();
    } catch (const std::bad_alloc&) {
        // Nothing is condemned: the garbage waits for another cycle.
        for (const PyObject* op : condemned.garbage) {
            heap::tables.mark[heap::slot_of(op)] = heap::kNotSeen;
        }
        drop_weak_callbacks(condemned.called);
        condemned.garbage.clear();
        found = condemned.kept.size();
    }
    for (PyObject* op : condemned.dead) {
        Py_DECREF(op);
    }
    try {
        if (!condemned.garbage.empty()) {
            finish(cycle, condemned, total);
            found = condemned.garbage.size() + condemned.kept.size();
        }
    } catch (const std::bad_alloc&) {
        // Without the second test nothing may be cleared: all of it lives on, finalized.
        release(condemned.survivors);
        release(condemned.garbage);
        found = condemned.kept.size();
    }
    report_legacy(condemned.legacy);
    if (cycle.scope == Scope::kFull) {
        event::Span span(OURO_PHASE_PURGE, cycle);
        mutator::current->limbo_due = true;
        mutator::reclaim_limbo();
        heap::release_empty();
        mutator::quiesce();  // what is left of the blocks has been seen by this thread at least
        heap::purge();
    }
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle);
        const mutator::Stopped stopped;
        verify::check_heap();
    }
    const std::lock_guard guard(policy_mutex);
    policy.end(cycle.scope, total.event.objects - total.event.condemned);
    total.event.rss_bytes = cycle.scope == Scope::kFull ? event::resident_bytes() : 0;
    return found;
}

// Begins to count allocations anew.
void reset_trigger() {
    mutator::reset_allocation_total(0);
    mutator::allocation_trigger.count = 0;
    mutator::allocation_trigger.floor = 0;
}

// Lets the calling thread allocate until a collection is due, or, where none can be, for a batch.
void rearm_trigger() {
    const int64_t total = mutator::allocation_trigger.settle();
    int64_t threshold = INT64_MAX / 2;
    if (enabled.load(std::memory_order_relaxed) && !collecting.load(std::memory_order_relaxed)) {
        const std::lock_guard guard(policy_mutex);
        threshold = static_cast<int64_t>(policy.threshold(option::settings().generations));
    }
    mutator::allocation_trigger.rearm(total, threshold);
}

// Pre: the caller is Collecting.
size_t run_collection(Scope scope, OuroTrigger trigger) {
    const object::SavedError saved;  // finalizers and clears must not disturb the caller's
    reset_trigger();
    {
        const std::lock_guard guard(policy_mutex);
        policy.begin(scope);
    }
    return run_cycle({++cycles, scope, trigger});
}

bool is_due(Scope* scope) {
    const int64_t total = mutator::allocation_trigger.settle();
    const std::lock_guard guard(policy_mutex);
    return policy.due(static_cast<size_t>(total), option::settings().generations, scope);
}

// The safepoint of an allocation. An exception that is set belongs to code which does not expect
// others to run: as in CPython, the collection waits.
void collect_if_due() {
    Scope scope;
    if (enabled.load(std::memory_order_relaxed) && PyErr_Occurred() == nullptr && is_due(&scope)) {
        if (const Collecting guard; guard) {
            run_collection(scope, OURO_TRIGGER_ALLOCATION);
        }
    }
    rearm_trigger();
}

}  // namespace

void start() {
    engine = make_engine(option::settings());
    // A collector whose runtime ended under it waits for ever, and leaves this set.
    collecting.store(false, std::memory_order_relaxed);
    reset_trigger();
    if (engine != nullptr) {
        mutator::allocation_due.store(collect_if_due, std::memory_order_relaxed);
    }
}

void stop() {
    mutator::allocation_due.store(nullptr, std::memory_order_relaxed);
    engine.reset();
}

Py_ssize_t collect(Scope scope) {
    const Collecting guard;
    if (!enabled.load(std::memory_order_relaxed) || engine == nullptr || !guard) {
        // Or a loop around it would hold up whoever is about to stop the world.
        if (mutator::poll()) {
            mutator::safepoint();
        }
        return 0;
    }
    const auto found = static_cast<Py_ssize_t>(run_collection(
        option::settings().generations ? scope : Scope::kFull, OURO_TRIGGER_REQUEST));
    mutator::allocation_trigger.limit = 0;  // the next allocation asks for the right one
    return found;
}

bool set_enabled(bool value) {
    mutator::allocation_trigger.limit = 0;
    return enabled.exchange(value, std::memory_order_relaxed);
}

bool is_enabled() {
    return enabled.load(std::memory_order_relaxed);
}

}  // namespace ouro::collector
