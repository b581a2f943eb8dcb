// Traversing objects concurrently with mutators: one thread, at most one traversal at a time.
//
// While a Traversal lives, memory that mutators free, objects and PyMem_ and PyObject_ buffers alike, under every
// policy, keeps its contents until the traversing thread has passed a quiescent point since: the object is not
// tracked any more, but its fields, and the buffers that they point to, have their values (inv.heap.freed-whole). So
// its tp_traverse may run on memory that is freed meanwhile. A freeing thread keeps the memory in a queue of its own
// and gives it back now and then. When much is kept, or memory for another entry is out, it waits for the traversing
// thread's next quiescent point. Therefore the traversing thread may wait for no other thread, and free little,
// between `resume` and `pause`. A stop of the world does not stop it. PyMem_Raw memory is not covered.
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
    // By the traversing thread, attached or not, when it holds no pointer that it read.
    ~Traversal();
    Traversal(const Traversal&) = delete;
    Traversal& operator=(const Traversal&) = delete;

    // A quiescent point: the calling thread holds no pointer that it read.
    void quiesce();
    // The same, and it reads nothing before `resume`: others do not wait for it. It must be paused while it
    // waits for anything. While it is not paused it may free only where it holds no pointer that it read.
    void pause();
    void resume();
    // Ends the traversal of a thread that is gone, in the child of a fork or at the end of the runtime. By any thread;
    // only the destructor may be called after it.
    void abandon();

private:
    reclaim::Epochs::Reader reader_;
    bool paused_ = false;
};

// What a freeing thread does about a traversal. Each costs next to nothing if there is none.

// Gives back memory that the calling thread, whose state this is, or an ended thread freed, and that is not read any
// more.
void give_back_freed_beside(PyThreadState* state);
// Leaves it to other threads: the state ends.
void leave_freed_beside(PyThreadState* state);
// Until the traversing thread has passed a quiescent point; returns at once where none lives, or where the
// world is stopped by the calling thread.
void wait_for_traversal();
// Bytes that wait so.
size_t freed_beside_bytes();

}  // namespace ouro::mutator
