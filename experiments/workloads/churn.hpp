// The `churn` workload: a live set that hangs on one list, in rings, and operations that make one new
// ring each. Some of them put it in the place of a live one, which is then garbage that is old; the
// others let go of it at once. What is unreachable is all in rings: reference counting frees nothing,
// and how much of it waits is the collector's doing alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"
#include "experiments/workloads/places.hpp"

namespace ouro::workloads {

struct ChurnParameters {
    uint32_t live = 100'000;  // containers of the live set; a remainder of cycle_size is left out
    uint32_t replace_percent = 10;  // of the operations: how many replace a live ring
    uint32_t cycle_size = 4;        // containers in a ring
    uint64_t seed = 1;
};

class Churn {
public:
    // Builds the live set. Throws std::bad_alloc when memory is out. Pre: cycle_size > 0,
    // live >= cycle_size.
    explicit Churn(const ChurnParameters& parameters);
    ~Churn() { drop(); }
    Churn(const Churn&) = delete;
    Churn& operator=(const Churn&) = delete;

    // One operation. Throws std::bad_alloc.
    void step();
    // Lets go of the live set too.
    void drop();

    size_t live() const { return live_; }
    // Containers made, the root list not counted.
    size_t made() const { return made_; }
    // Of those, how many the workload has let go of, and how many of these still are there: dead
    // and not deallocated. Only one such workload may run at a time.
    size_t unreachable() const { return unreachable_; }
    size_t backlog() const;

private:
    PyObject* new_group();

    uint32_t cycle_size_;
    PyTypeObject* type_;
    PlaceGenerator places_;
    size_t deallocated_before_;
    PyObject* root_;
    size_t live_ = 0;
    size_t made_ = 0;
    size_t unreachable_ = 0;
};

}  // namespace ouro::workloads
