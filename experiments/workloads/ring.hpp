// Rings of instances, each linked to the next and to the one before: what counting cannot free.
#pragma once

#include "Python.h"

namespace ouro::workloads {

// Slots that a ring fills; its type (instance_type) has these or more, the others stay empty.
inline constexpr size_t kNext = 0;
inline constexpr size_t kPrevious = 1;
inline constexpr size_t kRingSlots = 2;

// `size` new instances in a ring. New reference to the first; the ring keeps the others, and each of
// them keeps all. nullptr with MemoryError. Pre: size > 0.
PyObject* new_ring(PyTypeObject* type, uint32_t size);

}  // namespace ouro::workloads
