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

size_t mark_all(Cycle cycle, Candidates& candidates) {
    CountPass count;
    MarkPass mark;
    {
        event::Span span(OURO_PHASE_COUNT, cycle);
        count.run();
        span.event.objects = count.objects();
    }
    {
        event::Span span(OURO_PHASE_ROOTS, cycle);
        count.find_roots();
    }
    {
        event::Span span(OURO_PHASE_MARK, cycle);
        mark.run();
    }
    {
        event::Span span(OURO_PHASE_CANDIDATES, cycle);
        list_white(candidates);
        span.event.candidates = candidates.size();
    }
    heap::clear_young();
    return count.objects();
}

}  // namespace

Marked StwEngine::mark(Cycle cycle, Candidates& candidates) {
    const size_t objects = cycle.scope == Scope::kFull ? mark_all(cycle, candidates)
                                                       : mark_young(cycle, candidates, young_);
    return {.objects = objects, .exact = true};
}

}  // namespace ouro::collector
