// Counting references inside the heap, and finding what has more.
//
// The workers of the pass take blocks in turn. Each counts into a table of its own, because the
// references of any block go all over the heap, and an atomic increment for each would cost more than
// the rest of the pass; the tables are added up when roots are looked for, in address order.
#pragma once

#include <cstdint>

#include "concurrency/worklist/executor.hpp"
#include "core/collector/engines/block_queue.hpp"
#include "core/collector/reference_counter.hpp"
#include "core/heap/pages.hpp"
#include "core/heap/view.hpp"
#include "core/include/Python.h"

namespace ouro::collector {

// After run(), the difference of a tracked object, near_count[slot] + 256 * count[slot] summed over
// the workers, is the number of references to it found by traversing all tracked objects, less its
// own count, modulo 2^40: zero if and only if every reference to it comes from a tracked object. An
// immortal object's is never zero.
// Pre: all counts are zero. find_roots makes them so again.
class CountPass {
public:
    // Throws std::bad_alloc; nothing after it does.
    explicit CountPass(worklist::Executor& executor);

    void run();
    // Colours every tracked object: grey if its difference is not zero, else white.
    void find_roots();
    size_t objects() const;

private:
    class Worker;
    using Slots = heap::PageVector<uint32_t>;

    static void colour_block(const heap::Block* block);
    void settle_carried();

    worklist::Executor& executor_;
    heap::PageVector<Worker> workers_;
};

// What one thread counts.
class alignas(128) CountPass::Worker : ReferenceCounter<CountPass::Worker, uint32_t> {
public:
    // The first worker's table is the heap's own; another's is mapped for the pass.
    explicit Worker(bool is_first);

    void count(BlockQueue& queue);
    // Adds this worker's table of a block to the heap's.
    void add_to_heap(const heap::Block* block, Slots& carried, bool& carried_is_whole) const;

    size_t objects() const { return objects_; }
    Slots carried;                 // slots that something was carried for, some twice
    bool carried_is_whole = true;  // false: there was no memory to list them all

private:
    friend ReferenceCounter;

    uint32_t key_of(const PyObject* op) const { return view_.slot_of(op); }
    void prefetch_near_count(uint32_t slot) const { view_.prefetch_near_count(slot); }
    int8_t& near_count(uint32_t slot) const { return view_.near_count(slot); }
    void carry(uint32_t slot, int32_t units);
    void count_block(const heap::Block* block);

    heap::HeapView<heap::Stopped> view_;
    heap::HugePageVector<int8_t> near_counts_;
    size_t objects_ = 0;
};

}  // namespace ouro::collector
