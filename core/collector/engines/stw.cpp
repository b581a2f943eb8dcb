#include "core/collector/engines/stw.hpp"

#include "concurrency/thread/sync.hpp"
#include "core/collector/engines/count_pass.hpp"
#include "core/collector/engines/mark_pass.hpp"
#include "core/event/events.hpp"
#include "core/heap/heap.hpp"

namespace ouro::collector {

template <class Work>
void StwEngine::run_phase(OuroPhase name, Cycle cycle, const Work& work) {
    event::Span span(name, cycle);
    const int64_t before = executor_.helpers_cpu_ns();
    work(span.event);
    event::helpers_cpu_ns += executor_.helpers_cpu_ns() - before;
}

void StwEngine::begin(Cycle cycle, Candidates& candidates) {
    CountPass count(executor_);
    MarkPass mark(executor_);
    run_phase(OURO_PHASE_COUNT, cycle, [&](OuroEvent& event) {
        count.run();
        event.objects = objects_ = count.objects();
    });
    run_phase(OURO_PHASE_ROOTS, cycle, [&](OuroEvent&) { count.find_roots(); });
    run_phase(OURO_PHASE_MARK, cycle, [&](OuroEvent&) { mark.run(); });
    run_phase(OURO_PHASE_CANDIDATES, cycle, [&](OuroEvent& event) {
        mark.list_white(candidates);
        event.candidates = candidates.size();
    });
    heap::clear_young();
}

std::unique_ptr<Engine> make_stw(const option::Settings&) {
    return std::make_unique<StwEngine>(1);
}

std::unique_ptr<Engine> make_stw_parallel(const option::Settings& settings) {
    const size_t workers =
        settings.workers == 0 ? thread::SystemSync::processors() : settings.workers;
    return std::make_unique<StwEngine>(static_cast<unsigned>(workers));
}

}  // namespace ouro::collector
