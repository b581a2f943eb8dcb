// Counting references inside the heap, and finding what has more.
#pragma once

#include <cstdint>

#include "core/collector/delay_ring.hpp"
#include "core/heap/tables.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

// After run(), count[slot] of a tracked object is the number of references to it found by
// traversing all tracked objects, less its own count, modulo 2^32: zero if and only if every
// reference to it comes from a tracked object. An immortal object's is never zero.
// Pre: all counts are zero. find_roots makes them so again.
class CountPass {
  public:
    void run();
    size_t objects() const { return objects_; }

  private:
    static int visit(PyObject* op, void* arg);
    void count_block(const heap::Block* block);

    const heap::Tables tables_ = heap::tables;  // a copy: the visitor's stores cannot alias it
    DelayRing<uint32_t, 32> ring_;
    size_t objects_ = 0;
};

// Colours every tracked object: grey if its count is not zero, else white; sets all counts to zero.
void find_roots();

}  // namespace ouro::collector
