// Traversing objects concurrently with mutators: one thread, at most one traversal at a time.
//
// While a Traversal lives, what mutators free, objects and PyMem_ and PyObject_ buffers alike, under every
// policy, stays whole until the traversing thread has passed a quiescent point since: an object is not
// tracked any more, but its fields, and the buffers that they point to, hold what they held
// (inv.heap.freed-whole). So its tp_traverse may run on memory that is freed meanwhile. Who frees keeps the
// memory in a queue of its own and gives it back now and then; when much is kept, or there is no memory
// to remember one thing more, it waits for the traversing thread's next quiescent point. Therefore that
// thread may wait for nobody, and free little, between `resume` and `pause`. A stop of the world does not
// stop it. PyMem_Raw memory is not covered.
//
//     std::optional<Traversal> traversal;
//     {
//         const Stopped stopped;
//         traversal.emplace();
//         traversal->pause();
//     }
//     for (...) {
//         traversal->resume();
//         ... a HeapView<Concurrent>, tp_traverse: about a millisecond's worth ...
//         traversal->quiesce();    // where it goes on with what it finds anew
//         ... as much again ...
//         traversal->pause();      // before it waits: for the world, for a lock, for work
//     }
//
// Cost: quiesce a load and a store. Memory: 24 bytes for each thing that waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/mutator/state.hpp"

namespace ouro::mutator {

class Traversal {
public:
    // The calling thread is the traversing one, and not paused. Pre: in a stop (Stopped, or policy gil
    // with the lock). Fatal error if another lives.
    Traversal();
    // By its thread, attached or not, which holds no pointer that it read.
    ~Traversal();
    Traversal(const Traversal&) = delete;
    Traversal& operator=(const Traversal&) = delete;

    // The calling thread holds no pointer that it read.
    void quiesce();
    // The same, and it reads nothing before `resume`: others do not wait for it. It must be paused while it
    // waits for anything. What it frees while it is not, it frees where it holds no pointer that it read.
    void pause();
    void resume();
    // In the child of a fork, whose thread is gone: ends it, by any thread. Nothing else may be done with it.
    void abandon();

private:
    reclaim::Epochs::Reader reader_;
    bool paused_ = false;
};

// What a thread that frees does about a traversal. Each is next to nothing where there is none.

// Gives back what the thread of this state, which is the calling one, freed and nobody reads any more,
// and what ended threads left.
void give_back_freed_beside(PyThreadState* state);
// Leaves it to the others: the state ends.
void leave_freed_beside(PyThreadState* state);
// Until the traversing thread has passed a quiescent point; returns at once where none lives, or where the
// world is stopped by the calling thread.
void wait_for_traversal();
// What waits so, in bytes.
size_t freed_beside_bytes();

}  // namespace ouro::mutator
