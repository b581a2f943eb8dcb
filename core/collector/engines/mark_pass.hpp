// Marking what the roots reach.
//
// The pass sweeps over the mark bytes in address order and follows the references of each grey
// object. What it reaches ahead of the sweep only turns grey: the sweep will come by, and memory is
// read in address order, which is worth more than any order of the graph. What it reaches behind
// the sweep goes to a small stack, or, if that is full, stays grey for another sweep that starts
// there. Each object is traversed once; memory is bounded.
#pragma once

#include "core/collector/candidates.hpp"
#include "core/collector/delay_ring.hpp"
#include "core/heap/block.hpp"

namespace ouro::collector {

class MarkPass {
public:
    MarkPass();
    void run();

private:
    struct Reached {
        uint32_t slot;
        PyObject* op;
    };

    static int visit(PyObject* op, void* arg);
    void reach(Reached reached);
    void approach(PyObject* op);
    void prefetch_buffer(PyObject* op);
    void traverse(PyObject* op);
    void sweep_block(const heap::Block* block);
    void drain();

    static constexpr size_t kStackSize = 64 * 1024;
    static constexpr size_t kDrainAt = kStackSize / 2;

    const heap::Tables tables_ = heap::tables;
    // An object's way: reached, its mark prefetched -> grey or black, itself prefetched -> the
    // buffer of a list or dict prefetched -> traversed.
    DelayRing<Reached, 32> reached_;
    DelayRing<PyObject*, 8> approached_;
    DelayRing<PyObject*, 8> next_;
    heap::PageVector<PyObject*> stack_;
    PyObject* cursor_ = nullptr;   // the sweep has passed all objects up to here
    PyObject* restart_ = nullptr;  // the lowest object left grey behind the sweep, or none
};

// Appends what is still white, in address order. Throws std::bad_alloc; then nothing is white any
// more.
void list_white(Candidates& candidates);

}  // namespace ouro::collector
