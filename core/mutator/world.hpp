// The world of mutators: the global lock, stop the world, and deferred reclamation.
#pragma once

#include <atomic>
#include <cstddef>

#include "concurrency/thread/global_lock.hpp"
#include "core/mutator/state.hpp"

namespace ouro::mutator {

// These live as long as the process.
extern thread::World& world;
extern thread::GlobalLock& global_lock;
extern reclaim::Limbo& limbo;

// Begins a run of the runtime, with the policy of the settings. Under `gil` there is one lock: every thread that
// holds it has the same owner index, and runs alone.
void start();
// Ends it: states that are left belong to no run any more, and attaching one waits for ever. Pre: the
// caller is attached and alone.
void stop();
// Its number; 0 between two of them.
uint64_t runtime_number();
// Closes the runtime to all threads but the calling one, whatever state that attaches: no other returns from a wait any
// more, neither from attaching nor from a safepoint. Pre: attached. Waits until all others are at such a point.
void close();
// Whether another thread has closed it; whether the calling one has.
bool is_closed();
bool is_closer();
// In the child of a fork for which there was no memory: from now on whoever attaches ends the process, and says why.
void forbid_use();
bool is_forbidden();

// Whether the calling thread is the one that started the runtime, or, in the child of a fork, the forking one.
bool is_main_thread();
void become_main_thread();

// Whether several threads can be attached at once.
// Atomic: a thread of an ended run may ask when the next one begins.
extern std::atomic<bool> free_threaded;
inline bool is_free_threaded() {
    return free_threaded.load(std::memory_order_relaxed);
}
// The owner word of a state while it is attached.
uint32_t owner_word(const PyThreadState* state);

// Stops the world: while one lives, all other threads are at safepoints or outside. Under `gil` they are, as long as the
// thread keeps the lock. The constructor is a safepoint. Inside a stop of the thread's own it changes nothing. A thread
// that traverses concurrently with mutators (traversal.hpp) goes on.
class Stopped {
public:
    Stopped();
    ~Stopped();
    Stopped(const Stopped&) = delete;
    Stopped& operator=(const Stopped&) = delete;

    // From the request until all had stopped, in ns.
    int64_t time_to_safepoint_ns() const { return report_.stop_ns(); }
    // How many threads ran, including the calling one.
    size_t running() const { return size_t{report_.running} + 1; }

    // Calls arrival(state's id, request, arrival; in ns) for each thread that was running.
    template <class Arrival>
    void for_each_arrival(const Arrival& arrival) const {
        if (!is_free_threaded()) {
            return;
        }
        world.for_each([&](const thread::Thread& t) {
            if (&t != current->thread && t.time_to_safepoint_ns() != thread::Thread::kBlocked) {
                arrival(static_cast<const PyThreadState*>(t.user)->id, report_.requested_ns,
                        report_.requested_ns + t.time_to_safepoint_ns());
            }
        });
    }

private:
    thread::StopReport report_;
    bool is_its_own_ = false;  // else the thread is in one already, which goes on afterwards
};

// Sleeps outside for so long. The calling thread is attached and not in a stop.
void let_others_run(int64_t ns);

// Frees a buffer that other threads may be reading without a lock: after a grace period, if threads run in parallel.
// Pre: p is unlinked, and prepare_to_free_late has made room; that returns false if memory is out.
bool prepare_to_free_late();
void free_late(void* p);
// At a safepoint: frees memory whose grace period has passed; if much is left, stops the world to free it.
void reclaim_limbo();
// At a quiescent point of the calling thread: the same for large objects alone. No user code runs.
void reclaim_large();
// Bytes that wait.
size_t limbo_bytes();

// The calling thread is about to block with a merge queue that is not empty.
void ask_for_help();
// At a safepoint: drains the queues of such threads.
void help();

}  // namespace ouro::mutator
