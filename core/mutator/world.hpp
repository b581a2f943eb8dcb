// The world of mutators: the policy's lock, stopping the world, and freeing late.
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

// A run of the runtime, by what the settings say. Under `gil` there is one lock: every thread that
// holds it has the same owner index, and to hold it is to be alone.
void start();
// Ends it: states that are left belong to no run any more, and who attaches one waits for ever. Pre: the
// caller is attached and alone.
void stop();
// Its number; 0 between two of them.
uint64_t runtime_number();
// It is the calling thread's alone from now on, whatever state that attaches: no other returns from a wait any more,
// neither from attaching nor from a safepoint. Pre: attached. Waits until all others are at such a place.
void close();
// Whether another thread has closed it; whether the calling one has.
bool is_closed();
bool is_closer();

// Whether the calling thread is the one that began it, or, in the child of a fork, the one that there was.
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

// While it lives the calling thread is alone: all others are at safepoints or outside. Under `gil` that
// is so anyway. Its making is a safepoint; they do not nest. A thread that traverses concurrently with mutators
// (traversal.hpp) goes on.
class Stopped {
public:
    Stopped();
    ~Stopped();
    Stopped(const Stopped&) = delete;
    Stopped& operator=(const Stopped&) = delete;

    // From the request until all had stopped, in ns.
    int64_t time_to_safepoint_ns() const { return report_.stop_ns(); }
    // How many threads ran, the calling one among them.
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
};

// The calling thread, attached and not in a stop, stays out of the way of the others for so long.
void let_others_run(int64_t ns);

// Frees a buffer that others may be reading without a lock: late, where there are others. Pre: nobody
// can find p any more; prepare_to_free_late made room, which may fail: false.
bool prepare_to_free_late();
void free_late(void* p);
// At a safepoint: frees what may be freed by now; if much is left, stops the world to free it.
void reclaim_limbo();
// Where the calling thread holds no pointer that it read without a reference: the same for large objects
// alone. No other code runs.
void reclaim_large();
// What waits, in bytes.
size_t limbo_bytes();

// The calling thread is about to block with something left to it.
void ask_for_help();
// At a safepoint: merges for those who did.
void help();

}  // namespace ouro::mutator
