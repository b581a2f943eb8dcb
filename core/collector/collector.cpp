#include "core/collector/collector.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "core/collector/condemn.hpp"
#include "core/collector/engines/stw.hpp"
#include "core/collector/exact_test.hpp"
#include "core/collector/finalize.hpp"
#include "core/collector/legacy.hpp"
#include "core/collector/policy.hpp"
#include "core/collector/reclaim.hpp"
#include "core/collector/weakrefs.hpp"
#include "core/event/events.hpp"
#include "core/heap/heap.hpp"
#include "core/object/errors.hpp"
#include "core/object/object.hpp"
#include "core/option/settings.hpp"
#include "core/verify/retrace.hpp"

namespace ouro::collector {
namespace {

bool enabled = true;
bool collecting = false;
uint64_t cycles = 0;
Policy policy;

class Collecting {
public:
    Collecting() { collecting = true; }
    ~Collecting() { collecting = false; }
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;
};

// Made when the runtime starts. Null: reference counting only.
std::unique_ptr<Engine> engine;

std::unique_ptr<Engine> make_engine(const option::Settings& settings) {
    switch (settings.engine) {
        case option::EngineKind::kStw:
            return std::make_unique<StwEngine>(1);
        case option::EngineKind::kStwParallel: {
            const size_t processors = std::max(1u, std::thread::hardware_concurrency());
            const size_t workers = settings.workers == 0 ? processors : settings.workers;
            return std::make_unique<StwEngine>(static_cast<unsigned>(workers));
        }
        case option::EngineKind::kOff:
            return nullptr;
    }
    return nullptr;
}

// The first pause: find the garbage and condemn it.
void find_and_condemn(Cycle cycle, Condemned& condemned, event::Span& total) {
    event::Span pause(OURO_PHASE_PAUSE, cycle);
    const Marked marked = engine->mark(cycle, condemned.garbage);
    pause.event.objects = total.event.objects = marked.objects;
    pause.event.candidates = total.event.candidates = condemned.garbage.size();
    pause.event.bytes = total.event.bytes = heap::usage().heap_bytes;
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

// Runs finalizers; if any ran, a second pause sorts out what is reachable again, and kills weak
// references that finalizers made.
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
    Candidates not_called;
    {
        event::Span pause(OURO_PHASE_PAUSE, cycle);
        event::Span span(OURO_PHASE_RESURRECT, cycle);
        exact_test(condemned.garbage, kPins, condemned.survivors);
        kill_weak_references(condemned.garbage, not_called);
        pause.event.candidates = condemned.garbage.size() + condemned.survivors.size();
        pause.event.resurrected = span.event.resurrected = condemned.survivors.size();
        total.event.resurrected = condemned.survivors.size();
    }
    drop_weak_callbacks(not_called);
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
        heap::purge();
    }
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle);
        verify::check_heap();
    }
    policy.end(cycle.scope, total.event.objects - total.event.condemned);
    total.event.rss_bytes = cycle.scope == Scope::kFull ? event::resident_bytes() : 0;
    return found;
}

size_t run_collection(Scope scope, OuroTrigger trigger) {
    const Collecting guard;
    const object::SavedError saved;  // finalizers and clears must not disturb the caller's
    object::allocation_trigger.count = 0;
    policy.begin(scope);
    return run_cycle({++cycles, scope, trigger});
}

bool may_collect() {
    return enabled && !collecting && engine != nullptr;
}

// The safepoint of an allocation. An exception that is set belongs to code which does not expect
// others to run: as in CPython, the collection waits.
void collect_if_due() {
    Scope scope;
    if (may_collect() && PyErr_Occurred() == nullptr &&
        policy.due(object::allocation_trigger.count, option::settings().generations, &scope)) {
        run_collection(scope, OURO_TRIGGER_ALLOCATION);
    }
}

}  // namespace

void start() {
    engine = make_engine(option::settings());
    object::allocation_trigger = {0, Policy::kYoungThreshold, collect_if_due};
}

void stop() {
    object::allocation_trigger = {0, SIZE_MAX, nullptr};
    engine.reset();
}

Py_ssize_t collect(Scope scope) {
    if (!may_collect()) {
        return 0;
    }
    return static_cast<Py_ssize_t>(run_collection(
        option::settings().generations ? scope : Scope::kFull, OURO_TRIGGER_REQUEST));
}

bool set_enabled(bool value) {
    return std::exchange(enabled, value);
}

bool is_enabled() {
    return enabled;
}

}  // namespace ouro::collector
