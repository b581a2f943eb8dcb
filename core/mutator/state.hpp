// A mutator's state: what the runtime keeps for each thread state (PyThreadState). Knows no object but
// by address.
//
// What a running thread needs often is in thread-local variables, which attach() fills and detach()
// empties: the owner word, the heap that it allocates from, the count of its allocations, its
// exception. So the paths that everything takes read one thread-local word and nothing else.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "concurrency/reclaim/limbo.hpp"
#include "concurrency/thread/byte_lock.hpp"
#include "concurrency/thread/world.hpp"
#include "core/heap/heap.hpp"
#include "core/include/Python.h"

namespace ouro::mutator {

// A thread's exceptions: owns a reference to each that is not NULL.
struct Indicator {
    PyObject* raised;   // the one that is set
    PyObject* handled;  // the one that it says it handles
};
// The calling thread's.
extern constinit thread_local Indicator error __attribute__((tls_model("initial-exec")));

}  // namespace ouro::mutator

struct _ts {
    _ts(uint64_t number, uint64_t runtime_number) : id(number), runtime(runtime_number) {}
    ~_ts() { std::free(lookup_cache); }
    _ts(const _ts&) = delete;
    _ts& operator=(const _ts&) = delete;

    const uint64_t id;
    const uint64_t runtime;                  // the run of the runtime that it belongs to
    ouro::thread::Thread* thread = nullptr;  // its record in the world
    ouro::heap::ThreadHeap* heap = nullptr;  // what it allocates from
    ouro::reclaim::Epochs::Reader reader;    // as a reader of what is freed late
    std::unique_ptr<ouro::reclaim::Limbo::Queue> limbo;  // what it has to free late
    bool limbo_due = false;                              // so much of it that it should be tried
    // What it freed during a traversal (traversal.hpp).
    std::unique_ptr<ouro::reclaim::Limbo::Queue> freed_beside;
    void* moved_beside = nullptr;          // the old place of what it resized last
    PyCriticalSection* section = nullptr;  // the innermost one that it is in
    // What others want of it if it is never attached again: the first lock of a section that waits for its second;
    // one that it was woken for, and perhaps handed.
    PyMutex* first_of_two = nullptr;
    ouro::thread::ByteLock* woken_for = nullptr;
    bool handed_over = false;
    ouro::mutator::Indicator error{};  // while it is detached
    unsigned ensured = 0;              // nested PyGILState_Ensure
    bool made_by_ensure = false;
    bool was_used = false;  // since it was made or cleared
    // Of malloc's memory: what the thread found in types (core/builtins/type/lookup_cache.hpp).
    void* lookup_cache = nullptr;
};

namespace ouro::mutator {

using thread::Error;

// The state that is attached to the calling thread; nullptr if none is.
extern constinit thread_local PyThreadState* current __attribute__((tls_model("initial-exec")));

// A new state, detached; nullptr when memory or owner indexes are out.
PyThreadState* make();
// The same for who holds them already (hold_states).
PyThreadState* make_held();
// Ends one. Pre: detached, in no section. Its objects are the next thread's that gets its index.
void destroy(PyThreadState* state);

// While one lives no state is made or ended; nor while another lives. The calling thread is not in a stop of its own.
void hold_states();
void release_states();
class StatesHeld {
public:
    StatesHeld() { hold_states(); }
    ~StatesHeld() { release_states(); }
    StatesHeld(const StatesHeld&) = delete;
    StatesHeld& operator=(const StatesHeld&) = delete;
};

// At the end of a run: the calling thread's is the only state left that anybody will ever use. Of the others, the
// records stay, for their threads may come back, and everything else goes. Pre: the world is stopped, and StatesHeld.
void strip_others();
// The same in the child of a fork, where the threads of all but the calling one are gone: their locks are let go,
// too. Not of `kept`, which may be no state any more.
void strip_vanished(const PyThreadState* kept);
// The state that the calling thread detached last; it may have ended since.
const PyThreadState* last_detached();

// Whether the state that had this number at this address has not ended. Any thread; the pointer is
// followed only if some state is there.
bool exists(const PyThreadState* state, uint64_t id);

// Attaches a state to the calling thread, which has none. Waits while the world is stopped and, under
// policy gil, for the lock; for ever if the runtime has been finalized, or is being finalized by another thread
// (world.hpp: close), as every wait of an attached thread's does that begins or ends after that. kAttached: it is attached to
// a thread already, and nothing was done. `at_once`: who has the lock is asked to yield without waiting
// for its interval, by a thread that will not be attached for long.
Error attach(PyThreadState* state, bool at_once = false);
// Detaches the calling thread, which is attached. References that others left to it are dropped
// first: arbitrary code.
void detach();
// The same for a thread that is about to wait for a lock, where no code may run: what others left to
// it waits until another thread's safepoint.
void detach_to_wait();

// Whether the calling thread, attached, must take a safepoint now. One relaxed load of a word that
// others raise.
inline bool poll() {
    return current->thread->poll();
}
// A safepoint: arbitrary code may run. Pre: attached.
void safepoint();
// A point where the calling thread holds no pointer that it read without a reference or a lock. Every
// safepoint is one.
void quiesce();
// Goes no further if the runtime has been closed to the calling thread, which is attached, meanwhile.
void stay_if_closed();

}  // namespace ouro::mutator
