// Marking what the roots reach.
//
// The workers of the pass sweep over the mark bytes in address order, chunk by chunk, and follow the
// references of each grey object. What a worker reaches ahead of the sweep only turns grey: some
// worker will come by, and memory is read in address order, which is worth more than any order of the
// graph. What it reaches behind the sweep goes to a small stack of its own, or, if that is full, stays
// grey for another sweep that starts there. Workers without work take segments of the others' stacks.
// A list or tuple so large that its traversal would keep the others waiting is put aside, and what it
// refers to is made grey by all of them, between two sweeps. Memory is bounded.
//
// Two workers may reach an object at once. Marks are stored with plain bytes, so it may then be
// traversed twice, or stay grey though its sweep has passed; it never stays untraversed, because who
// turns it black traverses it, and because the pass ends only when a look over all marks
// finds nothing grey. With one worker each object is traversed once.
#pragma once

#include <array>
#include <atomic>
#include <utility>

#include "concurrency/worklist/executor.hpp"
#include "concurrency/worklist/shared_segments.hpp"
#include "core/collector/candidates.hpp"
#include "core/collector/delay_ring.hpp"
#include "core/collector/engines/block_queue.hpp"
#include "core/collector/engines/items.hpp"
#include "core/heap/view.hpp"

namespace ouro::collector {

class MarkPass {
public:
    // Throws std::bad_alloc; run does not.
    explicit MarkPass(worklist::Executor& executor);
    void run();
    // Once run: appends what is still white, in address order. Throws std::bad_alloc; then nothing is
    // white any more.
    void list_white(Candidates& candidates);

private:
    class Worker;
    using Segments = worklist::SharedSegments<PyObject*>;

    // The items of lists and tuples put aside.
    struct Aside {
        static constexpr size_t kMost = 64;
        std::array<Items, kMost> all;
        std::atomic<size_t> count{0};
    };

    void sweep_once(const heap::Block* from);
    void grey_aside();
    void sweep();
    void look_over_marks();

    worklist::Executor& executor_;
    heap::PageVector<Worker> workers_;
    Segments segments_;
    Aside aside_;
    size_t white_ = 0;
    bool any_grey_ = false;
};

// One thread's share.
class alignas(128) MarkPass::Worker {
public:
    Worker();
    // `aside` is null where there is nobody to share with.
    void work(BlockQueue& queue, Segments& segments, Aside* aside);
    // Makes grey what the items refer to, in slices taken from `next`. After work.
    void grey(const Items& items, std::atomic<size_t>& next);
    // The lowest object left grey behind the sweep, or nullptr; forgets it.
    PyObject* take_restart() { return std::exchange(restart_, nullptr); }

private:
    struct Reached {
        uint32_t slot;
        PyObject* op;
    };

    static int visit(PyObject* op, void* arg);
    bool is_ahead(const PyObject* op) const;
    void reach(Reached reached);
    void reach_white(Reached reached);
    void prefetch_object(PyObject* op);
    void prefetch_items(PyObject* op);
    void traverse(PyObject* op);
    bool put_aside(const Items& items);
    void sweep_block(const heap::Block* block);
    void share();
    void drain();

    static constexpr size_t kStackSize = 64 * 1024;
    static constexpr size_t kDrainAt = kStackSize / 2;
    // Items of a large list or tuple, and of the slices in which they are shared.
    static constexpr size_t kLarge = 64 * 1024;
    static constexpr size_t kSlice = 16 * 1024;

    const heap::HeapView<heap::Stopped> view_;
    // An object's way: reached, its mark prefetched -> grey or black, itself prefetched -> the
    // buffer of a list or dict prefetched -> traversed.
    DelayRing<Reached, 32> reached_;
    DelayRing<PyObject*, 8> prefetched_;
    DelayRing<PyObject*, 8> next_;
    heap::PageVector<PyObject*> stack_;
    size_t stack_limit_ = kStackSize;
    const BlockQueue* queue_ = nullptr;
    Segments* segments_ = nullptr;
    Aside* aside_ = nullptr;
    uintptr_t cursor_ = 0;     // this worker's sweep has passed all of its chunk up to here
    uintptr_t chunk_end_ = 0;  // and will pass the rest
    PyObject* restart_ = nullptr;
};

}  // namespace ouro::collector
