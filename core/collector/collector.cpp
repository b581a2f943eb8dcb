#include "core/collector/collector.hpp"

#include <new>
#include <utility>

#include "core/collector/condemn.hpp"
#include "core/collector/engines/stw.hpp"
#include "core/collector/exact_test.hpp"
#include "core/collector/finalize.hpp"
#include "core/collector/reclaim.hpp"
#include "core/event/events.hpp"
#include "core/heap/heap.hpp"
#include "core/object/errors.hpp"
#include "core/option/settings.hpp"
#include "core/verify/retrace.hpp"

namespace ouro::collector {
namespace {

bool enabled = true;
bool collecting = false;
uint64_t cycles = 0;

class Collecting {
public:
    Collecting() { collecting = true; }
    ~Collecting() { collecting = false; }
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;
};

Engine& engine() {
    static StwEngine stw;
    return stw;
}

// The first pause: find the garbage and condemn it.
void find_and_condemn(uint64_t cycle, Candidates& garbage, event::Span& total) {
    event::Span pause(OURO_PHASE_PAUSE, cycle);
    const Marked marked = engine().mark(cycle, garbage);
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle);
        verify::check_candidates(garbage);
    }
    {
        event::Span span(OURO_PHASE_CONDEMN, cycle);
        condemn(garbage);
        span.event.condemned = garbage.size();
    }
    heap::clear_young();
    pause.event.objects = total.event.objects = marked.objects;
    pause.event.candidates = total.event.candidates = garbage.size();
    pause.event.bytes = total.event.bytes = heap::usage().heap_bytes;
    total.event.condemned = garbage.size();
}

// Runs finalizers; if any ran, a second pause sorts out what is reachable again.
void finalize_and_test(uint64_t cycle, Candidates& garbage, Candidates& survivors,
                       event::Span& total) {
    size_t ran;
    {
        event::Span span(OURO_PHASE_FINALIZE, cycle);
        ran = finalize(garbage);
        span.event.objects = ran;
    }
    if (ran == 0) {
        return;
    }
    {
        event::Span pause(OURO_PHASE_PAUSE, cycle);
        event::Span span(OURO_PHASE_RESURRECT, cycle);
        exact_test(garbage, kPins, survivors);
        pause.event.candidates = garbage.size() + survivors.size();
        pause.event.resurrected = span.event.resurrected = survivors.size();
        total.event.resurrected = survivors.size();
    }
    heap::purge_counts();
}

void reclaim(uint64_t cycle, const Candidates& garbage, const Candidates& survivors,
             event::Span& total) {
    {
        event::Span span(OURO_PHASE_CLEAR, cycle);
        clear(garbage);
    }
    {
        event::Span span(OURO_PHASE_RELEASE, cycle);
        release(survivors);
        total.event.freed = span.event.freed = release(garbage);
    }
}

size_t run_cycle(uint64_t cycle) {
    event::Span total(OURO_PHASE_CYCLE, cycle);
    Candidates garbage;
    Candidates survivors;
    try {
        find_and_condemn(cycle, garbage, total);
    } catch (const std::bad_alloc&) {
        return 0;  // nothing is condemned yet: the garbage waits for another cycle
    }
    try {
        finalize_and_test(cycle, garbage, survivors, total);
    } catch (const std::bad_alloc&) {
        // Without the second test nothing may be cleared. All of it lives on, finalized.
        release(garbage);
        return 0;
    }
    reclaim(cycle, garbage, survivors, total);
    {
        event::Span span(OURO_PHASE_PURGE, cycle);
        heap::purge();
    }
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle);
        verify::check_heap();
    }
    total.event.rss_bytes = event::resident_bytes();
    return garbage.size();
}

}  // namespace

Py_ssize_t collect() {
    if (!enabled || collecting || option::settings().engine == option::EngineKind::kOff) {
        return 0;
    }
    const Collecting guard;
    const object::SavedError saved;  // finalizers and clears must not disturb the caller's
    return static_cast<Py_ssize_t>(run_cycle(++cycles));
}

bool set_enabled(bool value) {
    return std::exchange(enabled, value);
}

bool is_enabled() {
    return enabled;
}

}  // namespace ouro::collector
