// The heaps of pyperformance's collector benchmarks, `gc_collect` and `gc_traversal`.
#pragma once

#include <cstdint>

#include "Python.h"

namespace ouro::workloads {

// A list of `cycles` doubly linked rings, each of `links` + 1 instances: what gc_collect makes and
// drops. New reference; nullptr with MemoryError. Pre: links > 0.
PyObject* new_linked_cycles(uint32_t cycles, uint32_t links);

// `levels` lists one inside the other: the n-th from within has n references to the one before it. What
// gc_traversal collects alive. New reference to the outermost; nullptr with MemoryError.
// Pre: levels > 0.
PyObject* new_nested_lists(uint32_t levels);

}  // namespace ouro::workloads
