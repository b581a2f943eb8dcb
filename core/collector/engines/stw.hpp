// Stop the world, one thread: CPython's algorithm on side metadata.
//
//     count   for every tracked object: its count, less one for each reference found by traversal
//     roots   what has something left is referenced from outside; the rest is white
//     mark    what the roots reach is not white any more
//
// What is still white is garbage, exactly. All passes go over the heap in address order. A collection
// of young objects does the same with those alone (young_pass.hpp).
#pragma once

#include "core/collector/engine.hpp"
#include "core/collector/engines/young_pass.hpp"

namespace ouro::collector {

class StwEngine final : public Engine {
public:
    Marked mark(Cycle cycle, Candidates& candidates) override;

private:
    YoungPass::Lists young_;
};

}  // namespace ouro::collector
