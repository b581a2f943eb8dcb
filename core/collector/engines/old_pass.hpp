// Finding candidates among the old objects in slices, between which, and perhaps during which, mutators
// run. The passes are those of stw (count_pass.hpp, mark_pass.hpp) on one thread, and what they find is
// a guess: counts and references are read at different times, and references move without a trace. What
// was garbage when the pass began is found nevertheless, because nobody writes to it any more; all else
// that is named fails the exact test.
//
//     count    for every old object: references found by traversal, less its own count
//     colour   what has something left is grey, the rest white
//     mark     what grey objects reach is not white any more
//     list     what still is
//
// Old is what was so when the pass began (HeapView<Concurrent>::is_old): what is allocated meanwhile is young and lies
// outside, which has the effect of being born marked. References from it are not counted, so what they
// refer to is a root. Marks and carried counts are written of old slots alone: those of others belong to collections
// of young objects, which may run between two slices. The near count is written of every slot that is visited; no other
// pass uses it meanwhile.
//
// Between two slices objects die and slots are used again, so an address that was kept is looked at
// (heap::address_is_object) before it is followed. What may not be traversed concurrently with mutators is put
// aside for a slice with the world stopped.
#pragma once

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"
#include "core/collector/delay_ring.hpp"
#include "core/collector/reference_counter.hpp"
#include "core/collector/world.hpp"
#include "core/heap/view.hpp"

namespace ouro::collector {

class OldPass : ReferenceCounter<OldPass, uint32_t> {
public:
    // In the stop that made all objects old. `noisy`: makes noisy what it counts, which it does in stops alone then.
    // Throws std::bad_alloc, as the slices do.
    explicit OldPass(bool noisy);
    // Leaves all counts zero.
    ~OldPass();
    OldPass(const OldPass&) = delete;
    OldPass& operator=(const OldPass&) = delete;

    // Each until kDone, in this order. A stop that a concurrent slice asked for is used for what could not be done
    // there, and for no more. In a concurrent slice the calling thread is the traversing one
    // (mutator::Traversal), which is quiescent between two slices and not within one.
    Next count(Deadline& deadline, World world);
    Next colour(Deadline& deadline, World world);
    Next mark(Deadline& deadline, World world);
    Next list(Deadline& deadline, Candidates& candidates);

    size_t objects() const { return objects_; }

private:
    friend ReferenceCounter;

    OldPass(bool noisy, const heap::HeapView<heap::Stopped>& now);

    struct Reached {
        uint32_t slot;
        PyObject* op;
    };
    // A list, tuple, dict or set so large that it is visited in parts.
    struct Large {
        PyObject* op;
        size_t next;
    };

    template <class Visit>
    bool walk(Deadline& deadline, const Visit& visit);
    void rewind(heap::Block* from);
    void traverse(PyObject* op, visitproc visit);
    bool visit_part(Large& large, visitproc visit);
    bool visit_larges(Deadline& deadline, visitproc visit);
    void check_memory() const;

    uint32_t key_of(const PyObject* op) const { return view_.slot_of(op); }
    void prefetch_near_count(uint32_t slot) const { view_.prefetch_near_count(slot); }
    int8_t& near_count(uint32_t slot) const { return view_.near_count(slot); }
    void carry(uint32_t slot, int32_t units);
    void count_object(PyObject* op);
    Next count_slice(Deadline& deadline);
    bool clear_near_counts(Deadline& deadline);
    void colour_block(const heap::Block* block);
    void clear_carried();

    static int visit_to_mark(PyObject* op, void* arg);
    void reach(Reached reached);
    void reach_white(Reached reached);
    void prefetch_object(PyObject* op);
    void prefetch_items(PyObject* op);
    void traverse_to_mark(PyObject* op);
    void flush();
    PyObject* next_grey(Deadline& deadline);
    Next mark_slice(Deadline& deadline);
    Next ask_for_stop();

    static constexpr size_t kStackSize = 64 * 1024;
    static constexpr size_t kAside = 16 * 1024;
    // What the rings can add to a list that is full, and more.
    static constexpr size_t kSpare = 64;
    // Items or entries of a large container, and of a part of it.
    static constexpr size_t kLarge = 2048;

    const heap::HeapView<heap::Concurrent> view_;
    heap::Block* const end_;         // of the blocks that there were
    World world_ = World::kStopped;  // during this slice
    bool asked_ = false;             // for a stop, by a concurrent slice

    const bool noisy_;
    const size_t slots_;  // slot numbers in use are less
    size_t cleared_ = 0;  // of them, as far as their counts are known to be zero

    // Where a walk goes on.
    heap::Block* block_;
    uint32_t slot_ = 0;

    heap::PageVector<PyObject*> aside_;
    heap::PageVector<Large> larges_;
    bool out_of_memory_ = false;  // in a traversal, which cannot throw
    size_t objects_ = 0;

    heap::PageVector<uint32_t> carried_;
    bool counting_ = true;  // counts are not all zero

    // An object's way, as in mark_pass.hpp.
    DelayRing<Reached, 32> reached_;
    DelayRing<PyObject*, 8> prefetched_;
    DelayRing<PyObject*, 8> next_;
    heap::PageVector<PyObject*> stack_;
    uintptr_t cursor_ = 0;            // the sweep has passed all up to here
    bool swept_ = false;              // and all there is
    heap::Block* restart_ = nullptr;  // the lowest block with something grey behind the sweep
};

}  // namespace ouro::collector
