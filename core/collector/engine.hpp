// The plug-in point of the pipeline: a mark engine finds candidates for garbage. Engines differ in
// when the world runs and in nothing else; what follows them is common.
#pragma once

#include "core/collector/candidates.hpp"
#include "core/event/cycle.hpp"

namespace ouro::collector {

using event::Cycle;
using event::Scope;

struct Marked {
    size_t objects = 0;  // tracked containers seen: those of the scope
    // Whether the world was stopped from the first look at the heap on. Then the candidates are
    // garbage, exactly; otherwise each must pass the exact test.
    bool exact = false;
};

class Engine {
public:
    virtual ~Engine() = default;
    // Appends the candidates of the cycle's scope in address order; whatever of the scope is not a
    // candidate has become a generation older. Called by the thread that collects, in a stop. Leaves
    // no white object behind but the candidates. Throws std::bad_alloc with the heap unchanged.
    virtual Marked mark(Cycle cycle, Candidates& candidates) = 0;
};

}  // namespace ouro::collector
