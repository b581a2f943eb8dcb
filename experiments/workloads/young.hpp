// The `young` workload: old containers that hang on one list, and young ones made again and again.
// Old and young ones are in rings of four, and each young one refers to an old one as well, somewhere
// in the heap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"

namespace ouro::workloads {

struct YoungParameters {
    uint32_t old_objects = 100'000;  // a remainder of four is left out of both
    uint32_t young_objects = 2000;
};

class YoungAndOld {
public:
    static constexpr uint32_t kRing = 4;

    // Builds the old containers and has everything collected, which makes them old. Throws
    // std::bad_alloc. Pre: both numbers are at least four.
    explicit YoungAndOld(const YoungParameters& parameters);
    ~YoungAndOld();
    YoungAndOld(const YoungAndOld&) = delete;
    YoungAndOld& operator=(const YoungAndOld&) = delete;

    // Makes the young ones. They stay reachable, until let_go, or are garbage at once. Throws
    // std::bad_alloc.
    void make_young(bool reachable);
    void let_go();

    size_t old_objects() const { return static_cast<size_t>(PyList_GET_SIZE(old_)) * kRing; }
    size_t young_objects() const { return static_cast<size_t>(PyList_GET_SIZE(held_)) * kRing; }

private:
    PyTypeObject* type_;
    PyObject* old_;   // a list: the first of each ring
    PyObject* held_;  // the same of the young ones, or None
    uint64_t made_ = 0;
};

}  // namespace ouro::workloads
