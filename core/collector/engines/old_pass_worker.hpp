// One worker of OldPass (old_pass.hpp): what a thread that takes part in a slice counts and marks, with all that is its
// own. Its threads take turns, so it needs no synchronisation; the side tables say what else is shared.
#pragma once

#include "core/collector/deadline.hpp"
#include "core/collector/delay_ring.hpp"
#include "core/collector/engines/block_queue.hpp"
#include "core/collector/engines/block_walk.hpp"
#include "core/collector/reference_counter.hpp"
#include "core/collector/world.hpp"
#include "core/heap/pages.hpp"
#include "core/heap/view.hpp"

namespace ouro::collector {

// What all workers of a pass share.
struct OldPassShared {
    const bool noisy;               // makes noisy what it counts
    const uint32_t slots;           // slot numbers in use when it began are less
    BlockQueue queue;               // of blocks to count or to sweep
    World world = World::kStopped;  // during this slice
};

class alignas(128) OldPassWorker : ReferenceCounter<OldPassWorker, uint32_t> {
public:
    // The first worker's counts are in the heap's own table; another's in one that is mapped for the pass. Throws
    // std::bad_alloc.
    OldPassWorker(OldPassShared& shared, bool is_first);

    // Makes one of the four.
    void work(void (OldPassWorker::*step)(Deadline&), Deadline& deadline) noexcept;
    // Until the deadline, or as far as the slice's world allows.
    void count(Deadline& deadline);
    void mark(Deadline& deadline);
    // What was put aside, in a stop.
    void count_aside(Deadline& deadline);
    void mark_aside(Deadline& deadline);

    bool is_done() const { return blocks_.is_over() && stack_.empty() && larges_.empty(); }
    bool has_aside() const { return !aside_.empty(); }
    bool must_stop() const { return aside_.size() >= kAside; }
    bool is_out_of_memory() const { return out_of_memory_; }
    size_t objects() const { return objects_; }

    // Adds this worker's counts of a slot's object to `sum`.
    void add_near_count(uint32_t slot, int32_t& sum) const {
        sum += near_counts_.empty() ? 0 : near_counts_[slot];
    }
    // As ReferenceCounter says. To the words of old objects.
    void carry(uint32_t slot, int32_t units);
    heap::PageVector<uint32_t> carried;  // slots that something was carried for, some twice

    void begin_sweep();
    // Of the sweep since: the lowest block in which this worker left something grey behind, or null; whether it marked
    // anything.
    heap::Block* restart() const { return restart_; }
    bool has_marked() const { return has_marked_; }

private:
    friend ReferenceCounter;

    struct Reached {
        uint32_t slot;
        PyObject* op;
    };
    // A list, tuple, dict or set so large that it is visited in parts.
    struct Large {
        PyObject* op;
        size_t next;
    };

    // A slot that is newer than the pass has no count.
    uint32_t key_of(const PyObject* op) const {
        const uint32_t slot = view_.slot_of(op);
        return slot < slots_ ? slot : 0;
    }
    void prefetch_near_count(uint32_t slot) const { view_.prefetch_near_count(slot); }
    int8_t& near_count(uint32_t slot) const { return view_.near_count(slot); }

    bool take_blocks();
    void traverse(PyObject* op, visitproc visit);
    bool visit_part(Large& large, visitproc visit);
    bool visit_larges(Deadline& deadline, visitproc visit);
    bool is_stopped() const { return shared_.world == World::kStopped; }

    void count_object(PyObject* op);

    static int visit_to_mark(PyObject* op, void* arg);
    bool is_ahead(const PyObject* op) const;
    void reach(Reached reached);
    void reach_white(Reached reached);
    void prefetch_object(PyObject* op);
    void prefetch_items(PyObject* op);
    void traverse_to_mark(PyObject* op);
    void follow(heap::PageVector<PyObject*>& list);
    void flush();
    PyObject* next_grey(Deadline& deadline);

    static constexpr size_t kStackSize = 64 * 1024;
    static constexpr size_t kAside = 16 * 1024;
    // What the rings can add to a list that is full, and more.
    static constexpr size_t kSpare = 64;
    // Items or entries of a large container, and of a part of it.
    static constexpr size_t kLarge = 2048;

    OldPassShared& shared_;
    const uint32_t slots_;  // as there; a visit stores to tables, and would load it again
    heap::HeapView<heap::Concurrent> view_;
    heap::PageVector<int8_t> near_counts_;
    BlockWalk blocks_;  // that were taken

    heap::PageVector<PyObject*> aside_;
    heap::PageVector<Large> larges_;
    bool out_of_memory_ = false;  // in a traversal, which cannot throw
    size_t objects_ = 0;

    // An object's way, as in mark_pass.hpp.
    DelayRing<Reached, 32> reached_;
    DelayRing<PyObject*, 8> prefetched_;
    DelayRing<PyObject*, 8> next_;
    heap::PageVector<PyObject*> stack_;
    uintptr_t cursor_ = 0;      // the sweep of the blocks that were taken has passed all up to here
    uintptr_t blocks_end_ = 0;  // and will pass the rest
    bool swept_ = false;        // there are no more blocks
    bool has_marked_ = false;   // in this sweep
    heap::Block* restart_ = nullptr;  // the lowest block with something grey behind the sweep
};

}  // namespace ouro::collector
