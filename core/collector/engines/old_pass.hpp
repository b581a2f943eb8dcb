// Finding candidates among the old objects in slices, between which, and perhaps during which, mutators
// run. The passes are those of stw (count_pass.hpp, mark_pass.hpp), and what they find is
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
//
// Several threads may work on a concurrent slice (slice_workers.hpp). Each has a worker's state; they take blocks in
// turn. Counts go into a table of each worker's, added up when roots are looked for. Two that reach an object at once
// may both traverse it, or leave it grey behind the sweep, so after a sweep by several there is another.
#pragma once

#include <optional>

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"
#include "core/collector/engines/block_walk.hpp"
#include "core/collector/engines/old_pass_worker.hpp"
#include "core/collector/engines/slice_workers.hpp"
#include "core/collector/world.hpp"
#include "core/heap/view.hpp"

namespace ouro::collector {

class OldPass {
public:
    // In the stop that made all objects old. `noisy`: makes noisy what it counts, which it does in stops alone then.
    // `workers` outlive it. Throws std::bad_alloc, as the slices do.
    OldPass(bool noisy, SliceWorkers& workers);
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

    size_t objects() const;

private:
    using Worker = OldPassWorker;

    OldPass(bool noisy, SliceWorkers& workers, const heap::HeapView<heap::Stopped>& now);

    template <class Visit>
    void for_each_worker(const Visit& visit);
    template <class Is>
    bool any_worker(const Is& is) const;
    template <class Visit>
    void for_each_carried(const Visit& visit);
    void let_work(Deadline& deadline, void (Worker::*step)(Deadline&));
    Worker* worker_at(unsigned place) noexcept;
    Next slice(Deadline& deadline, World world, void (Worker::*aside)(Deadline&),
               void (Worker::*step)(Deadline&));
    void check_memory() const;
    bool has_aside() const;
    bool is_at_end() const;
    void hand_out_from(heap::Block* from);

    bool clear_near_counts(Deadline& deadline);
    void clear_carried();
    void add_counts_to_heap(const heap::Block* block);
    void colour_block(const heap::Block* block);
    bool sweeps_again();

    const heap::HeapView<heap::Concurrent> view_;
    OldPassShared shared_;
    bool asked_ = false;  // for a stop, by a concurrent slice

    heap::Block* const end_;  // of the blocks that there were
    size_t cleared_ = 0;      // slot numbers as far as their counts are known to be zero
    bool counting_ = true;    // counts are not all zero

    BlockWalk all_;  // where colouring and listing go on

    SliceWorkers& threads_;
    // By place; each made when somebody first works there, the first at once.
    heap::PageVector<std::optional<Worker>> workers_;
};

}  // namespace ouro::collector
