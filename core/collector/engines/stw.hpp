// Stop the world, one thread or several (engine stw-parallel): CPython's algorithm on side metadata.
//
//     count   for every tracked object: its count, less one for each reference found by traversal
//     roots   what has something left is referenced from outside; the rest is white
//     mark    what the roots reach is not white any more
//
// What is still white is garbage, exactly. All passes go over the heap in address order. A collection
// of young objects does the same with those alone (young_pass.hpp), on one thread: 2,000 objects take
// less time than waking a second.
#pragma once

#include "concurrency/worklist/executor.hpp"

#include "core/collector/engine.hpp"
#include "core/collector/engines/young_pass.hpp"
#include "core/include/ouroboros/event.h"

namespace ouro::collector {

class StwEngine final : public Engine {
public:
    // As many threads as workers. Throws std::bad_alloc.
    explicit StwEngine(unsigned workers) : executor_(workers) {}
    Marked mark(Cycle cycle, Candidates& candidates) override;

private:
    template <class Work>
    void phase(OuroPhase name, Cycle cycle, const Work& work);
    size_t mark_all(Cycle cycle, Candidates& candidates);

    worklist::Executor executor_;
    YoungPass::Lists young_;
};

}  // namespace ouro::collector
