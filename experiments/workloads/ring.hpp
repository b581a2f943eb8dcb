// Rings of instances, each linked to the next and to the one before: what counting cannot free.
#pragma once

#include <cstdint>

#include "Python.h"
#include "experiments/workloads/edges.hpp"

namespace ouro::workloads {

// Slots that a ring fills; its type (instance_type) has these or more, the others stay empty.
inline constexpr size_t kNext = 0;
inline constexpr size_t kPrevious = 1;
inline constexpr size_t kRingSlots = 2;

// `to` becomes the neighbour after `from`.
void link_ring(PyObject* from, PyObject* to);

// `size` new instances in a ring. New reference to the first; the ring keeps the others, and each of
// them keeps all. nullptr with MemoryError. Pre: size > 0.
PyObject* new_ring(PyTypeObject* type, uint32_t size);

// A list of so many rings. New reference; nullptr with MemoryError.
PyObject* new_rings(uint32_t rings, uint32_t size);

// The type of each next instance, if so many per cent of them are of one that lacks
// OURO_TPFLAGS_CONCURRENT_TRAVERSE.
class RingTypes {
public:
    // Throws std::bad_alloc.
    RingTypes(uint32_t unflagged_percent, uint64_t seed);
    PyTypeObject* next() {
        return unflagged_percent_ > 0 && random_.below(100) < unflagged_percent_ ? unflagged_
                                                                                 : flagged_;
    }

private:
    uint32_t unflagged_percent_;
    Random random_;
    PyTypeObject* flagged_;
    PyTypeObject* unflagged_;
};

// The same with a type for each instance.
PyObject* new_ring(RingTypes& types, uint32_t size);

}  // namespace ouro::workloads
