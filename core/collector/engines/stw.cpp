#include "core/collector/engines/stw.hpp"

#include "core/collector/engines/count_pass.hpp"
#include "core/collector/engines/mark_pass.hpp"
#include "core/event/events.hpp"
#include "core/heap/heap.hpp"

namespace ouro::collector {

namespace {

size_t mark_young(Cycle cycle, Candidates& candidates, YoungPass::Lists& lists) {
    event::Span span(OURO_PHASE_YOUNG, cycle);
    YoungPass pass(cycle.scope, lists);
    pass.run(candidates);
    span.event.candidates = candidates.size();
    return span.event.objects = pass.objects();
}

}  // namespace

template <class Work>
void StwEngine::phase(OuroPhase name, Cycle cycle, const Work& work) {
    event::Span span(name, cycle);
    const int64_t before = executor_.helpers_cpu_ns();
    work(span.event);
    event::helpers_cpu_ns.fetch_add(executor_.helpers_cpu_ns() - before, std::memory_order_relaxed);
}

size_t StwEngine::mark_all(Cycle cycle, Candidates& candidates) {
    CountPass count(executor_);
    MarkPass mark(executor_);
    phase(OURO_PHASE_COUNT, cycle, [&](OuroEvent& event) {
        count.run();
        event.objects = count.objects();
    });
    phase(OURO_PHASE_ROOTS, cycle, [&](OuroEvent&) { count.find_roots(); });
    phase(OURO_PHASE_MARK, cycle, [&](OuroEvent&) { mark.run(); });
    phase(OURO_PHASE_CANDIDATES, cycle, [&](OuroEvent& event) {
        mark.list_white(candidates);
        event.candidates = candidates.size();
    });
    heap::clear_young();
    return count.objects();
}

Marked StwEngine::mark(Cycle cycle, Candidates& candidates) {
    const size_t objects = cycle.scope == Scope::kFull ? mark_all(cycle, candidates)
                                                       : mark_young(cycle, candidates, young_);
    return {.objects = objects, .exact = true};
}

}  // namespace ouro::collector
