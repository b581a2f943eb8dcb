// The `gcbench` workload, after the program of Ellis, Kovac and Boehm: a long-lived tree and array,
// beside them binary trees of all sizes that die at once, built from the root down and from the
// leaves up. Counting frees them all: what is measured is allocation, counting and deallocation, and
// collections that find nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"

namespace ouro::workloads {

class GcBench {
public:
    static constexpr unsigned kLeastDepth = 4;

    // Builds what lives long: a tree of `depth` and an array of `array` floats. Throws
    // std::bad_alloc. Pre: depth >= kLeastDepth.
    GcBench(unsigned depth, uint32_t array);
    ~GcBench();
    GcBench(const GcBench&) = delete;
    GcBench& operator=(const GcBench&) = delete;

    // One round of short-lived trees, of each depth about as many nodes; returns how many nodes it
    // made. Throws std::bad_alloc, or std::runtime_error if the long-lived ones are not what they
    // were.
    uint64_t round();

    // Containers that live long.
    size_t live() const;

private:
    uint64_t trees_of(unsigned depth);

    unsigned depth_;
    uint32_t array_size_;
    PyTypeObject* type_;
    PyObject* tree_ = nullptr;
    PyObject* array_ = nullptr;
};

}  // namespace ouro::workloads
