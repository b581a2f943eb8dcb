// The `gcbench` workload, the program of Ellis, Kovac and Boehm (GCBench): a long-lived tree and array, half of
// whose floats are set; a tree two levels deeper that dies at once; then binary trees of every second depth, of
// each as many as come to twice the nodes of that tree, built from the root down, and as many again from the
// leaves up. Stands for programs whose structures of all sizes live short beside some that live long. Counting
// frees them all: what is measured is allocation, counting and deallocation, and collections that find nothing.
// Theirs: depth 16, an array of 500,000, one round; the array is a list of floats here, as in Python's ports.
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

    // One round, which is their program but for what lives long; returns how many nodes it
    // made. Throws std::bad_alloc, or std::runtime_error if the long-lived ones are not what they
    // were.
    uint64_t round();

    // Containers that live long.
    size_t live() const;

private:
    uint64_t trees_of(unsigned depth);
    uint32_t set() const { return (array_size_ + 1) / 2; }  // how many floats are

    unsigned depth_;
    uint32_t array_size_;
    PyTypeObject* type_;
    PyObject* tree_ = nullptr;
    PyObject* array_ = nullptr;
};

}  // namespace ouro::workloads
