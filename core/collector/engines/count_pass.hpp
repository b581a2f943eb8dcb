// Counting references inside the heap, and finding what has more.
#pragma once

#include <cstdint>

#include "core/collector/delay_ring.hpp"
#include "core/heap/block.hpp"
#include "core/heap/pages.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

// After run(), the difference of a tracked object, near_count[slot] + 256 * count[slot], is the
// number of references to it found by traversing all tracked objects, less its own count, modulo
// 2^40: zero if and only if every reference to it comes from a tracked object. An immortal object's
// is never zero.
// Pre: all counts are zero. find_roots makes them so again.
class CountPass {
public:
    void run();
    // Colours every tracked object: grey if its difference is not zero, else white.
    void find_roots();
    size_t objects() const { return objects_; }

private:
    static int visit(PyObject* op, void* arg);
    void add(uint32_t slot, int32_t difference);
    void note_carried(uint32_t slot) noexcept;
    void settle_carried(uint32_t slot);
    void count_block(const heap::Block* block);

    const heap::Tables tables_ = heap::tables;  // a copy: the visitor's stores cannot alias it
    DelayRing<uint32_t, 32> ring_;
    heap::PageVector<uint32_t> carried_;  // slots that something was carried for, some twice
    bool carried_is_whole_ = true;        // false: there was no memory to list them all
    size_t objects_ = 0;
};

}  // namespace ouro::collector
