// The `cycles` workload: so many objects of garbage, in one component or in many. What an exact test
// cannot cut up is a component.
#pragma once

#include <cstdint>

#include "Python.h"

namespace ouro::workloads {

enum class CycleShape {
    kRing,   // one ring of all
    kChain,  // a ring of two, and the others in a chain that hangs off it
    kRings,  // rings of ten
};

// Garbage in the making: a list that keeps all of it. New reference; nullptr with MemoryError. A
// remainder of ten is left out of kRings. Pre: objects >= 10.
PyObject* new_cycles(CycleShape shape, uint32_t objects);

struct CycleCounts {
    uint32_t objects;  // that are made
    uint32_t components;
    uint32_t largest;  // objects of a component
};
CycleCounts cycle_counts(CycleShape shape, uint32_t objects);

}  // namespace ouro::workloads
