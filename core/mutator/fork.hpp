// A fork of the process, whatever its threads are doing: the child has only the forking thread, and finds no
// half-finished operation of another thread.
//
// Before the fork the forking thread is alone: no state is made or ended (StatesHeld), the world is stopped, and it
// holds the mutexes that threads outside may take. A thread of the program that has no state attached is lent one
// meanwhile, or, where there is no memory for that, attached with the state that it detached last. In the child the states of the other threads stay detached for ever: their resources are returned, their
// locks released, and their merge queues drained for them, as for any owner that blocks. Nothing of this runs user
// code.
#pragma once

namespace ouro::mutator {

enum class Fork {
    kPrepared,
    kNoRuntime,  // it is not initialised, or another thread is ending it
    kNoMemory,
};

// Two steps, between which the collector comes to rest. Unless the first returns kPrepared nothing was done, and the
// child of the fork may only exec. After the second no other thread runs in the runtime until the next call.
Fork begin_fork();
void stop_for_fork();
// Then one of these. Neither waits.
void start_after_fork();
void repair_after_fork();
// The end, in parent and child: takes back the state that was lent.
void end_fork();

}  // namespace ouro::mutator
