#include "core/collector/engines/stw.hpp"

#include "core/collector/engines/count_pass.hpp"
#include "core/collector/engines/mark_pass.hpp"
#include "core/event/events.hpp"

namespace ouro::collector {

Marked StwEngine::mark(uint64_t cycle, Candidates& candidates) {
    Marked result;
    result.exact = true;
    CountPass count;
    {
        event::Span span(OURO_PHASE_COUNT, cycle);
        count.run();
        result.objects = span.event.objects = count.objects();
    }
    {
        event::Span span(OURO_PHASE_ROOTS, cycle);
        count.find_roots();
    }
    {
        event::Span span(OURO_PHASE_MARK, cycle);
        MarkPass pass;
        pass.run();
    }
    {
        event::Span span(OURO_PHASE_CANDIDATES, cycle);
        list_white(candidates);
        span.event.candidates = candidates.size();
    }
    return result;
}

}  // namespace ouro::collector
