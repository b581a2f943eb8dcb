// The `rings` workload: a thread that does nothing but make rings of containers and drop them. Counting frees none of
// them, so the collector must keep up with every thread at once, and nothing but the garbage makes the heap grow.
//
// Sizes come in turn, from two to six: other programs that count as this one do the same work, and draw no numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"
#include "experiments/workloads/load.hpp"

namespace ouro::workloads {

// One thread's. On a cache line of its own, so that counting disturbs no other thread.
class alignas(64) Rings final : public Load {
public:
    static constexpr uint32_t kLeast = 2, kMost = 6;  // containers of a ring

    // Throws std::bad_alloc.
    Rings();

    // A ring is made and dropped.
    void step() override;
    void drop() override {}
    // At most: a ring.
    size_t live() const override { return kMost; }
    // It is counted before it is let go of.
    size_t unreachable() const override { return unreachable_.get(); }

private:
    PyTypeObject* type_;
    uint32_t size_ = kLeast;  // of the next
    OwnCount unreachable_;
};

}  // namespace ouro::workloads
