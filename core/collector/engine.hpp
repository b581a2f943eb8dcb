// The plug-in point of the pipeline: a mark engine finds candidates for garbage. Engines differ in
// when the world runs and in nothing else; what follows them is common.
#pragma once

#include "core/collector/candidates.hpp"

namespace ouro::collector {

struct Marked {
    size_t objects = 0;  // tracked containers seen
    // Whether the world was stopped from the first look at the heap on. Then the candidates are
    // garbage, exactly; otherwise each must pass the exact test.
    bool exact = false;
};

class Engine {
public:
    virtual ~Engine() = default;
    // Appends the candidates in address order. Called by the thread that collects, in a stop.
    // Throws std::bad_alloc with the heap unchanged.
    virtual Marked mark(uint64_t cycle, Candidates& candidates) = 0;
};

}  // namespace ouro::collector
