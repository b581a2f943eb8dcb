// A fork of the process, whatever its threads are doing: the child has only the one that forks, and everything that
// the others had half done is whole there.
//
// Before it that thread is alone: no state is made or ended (StatesHeld), the world is stopped, and it has the locks
// that threads outside may take. A thread of the program that has no state attached is lent one meanwhile. In the child
// the states of the others are detached for ever: what they held as threads is given back, their locks are let go,
// and what is left to them as owners is merged for them, as for any owner that blocks. Nothing of it runs code.
#pragma once

namespace ouro::mutator {

// Two steps, between which the collector comes to rest; the first returns false, with nothing done, if the fork cannot
// be prepared: the runtime is not initialised, or is another thread's that ends it, or memory is out. The child of
// such a fork may only exec. The second: from here to the next call nobody else touches anything.
bool begin_fork();
void stop_for_fork();
// Then one of these. Neither waits.
void start_after_fork();
void repair_after_fork();
// The end, in both: what was lent is taken back.
void end_fork();

}  // namespace ouro::mutator
