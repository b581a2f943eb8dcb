// A mutator's state: what the runtime keeps for each thread state (PyThreadState). Knows no object but
// by address.
//
// What a running thread needs often is in thread-local variables, which attach() fills and detach()
// empties: the owner word, the heap that it allocates from, the count of its allocations, its
// exception. So the paths that everything takes read one thread-local word and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "concurrency/reclaim/limbo.hpp"
#include "concurrency/thread/byte_lock.hpp"
#include "concurrency/thread/world.hpp"
#include "core/heap/heap.hpp"
#include "core/include/Python.h"
#include "core/mutator/suspects.hpp"

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
    ouro::reclaim::Epochs::Reader reader;    // of memory that is freed late
    std::unique_ptr<ouro::reclaim::Limbo::Queue> limbo;  // what it has to free late
    bool limbo_due = false;                              // so much of it that it should be tried
    // What it freed during a traversal (traversal.hpp).
    std::unique_ptr<ouro::reclaim::Limbo::Queue> freed_beside;
    void* moved_beside = nullptr;          // the old place of what it resized last
    PyCriticalSection* section = nullptr;  // the innermost one that it is in
    // For other threads, if it is never attached again: the first lock of a section that waits for its second; the
    // lock that it was woken for, and perhaps handed.
    PyMutex* first_of_two = nullptr;
    ouro::thread::ByteLock* woken_for = nullptr;
    bool handed_over = false;
    ouro::mutator::Indicator error{};  // while it is detached
    unsigned ensured = 0;              // nested PyGILState_Ensure
    unsigned stops = 0;                // of its own, under policy gil: meanwhile it keeps the lock
    bool made_by_ensure = false;
    bool was_used = false;  // since it was made or cleared
    ouro::mutator::SuspectBuffer suspects;
    PyObject* dict = nullptr;     // what C code keeps for the thread, or none yet
    PyObject* context = nullptr;  // what its context variables are set to, or none yet
    // Of malloc's memory: what the thread found in types (core/builtins/type/lookup_cache.hpp).
    void* lookup_cache = nullptr;
};

namespace ouro::mutator {

using thread::Error;

// The state that is attached to the calling thread; nullptr if none is.
extern constinit thread_local PyThreadState* current __attribute__((tls_model("initial-exec")));

// A new state, detached; nullptr when memory or owner indexes are out.
PyThreadState* make();
// The same for a thread that holds the states already (hold_states).
PyThreadState* make_held();
// Ends one. Pre: detached, in no section. The next thread that gets its index owns its objects.
void destroy(PyThreadState* state);
// What a state holds: its exceptions, dictionary and context, or null; the references are the caller's. The state is the
// caller's own, or nobody runs with it.
std::array<PyObject*, 4> take_held(PyThreadState* state);
// Drops these, and what destructors of them give it meanwhile. The caller is attached.
void drop_held(PyThreadState* state);

// While one lives no other thread makes or ends a state, or has one. The calling thread is not in a stop of its own.
void hold_states();
void release_states();
class StatesHeld {
public:
    StatesHeld() { hold_states(); }
    ~StatesHeld() { release_states(); }
    StatesHeld(const StatesHeld&) = delete;
    StatesHeld& operator=(const StatesHeld&) = delete;
};

// At the end of a run: the calling thread's state is the only one that will be used any more. Frees what the others
// hold; their records stay, because their threads may refer to them. Pre: the world is stopped, and StatesHeld.
void strip_others();
// The same in the child of a fork, where all threads but the calling one are gone: releases their locks, too. Except
// for `kept`, which may be NULL.
void strip_vanished(const PyThreadState* kept);
// The state that the calling thread detached last, as long as it is found.
struct LastDetached {
    PyThreadState* state = nullptr;
    uint64_t id = 0;
};
LastDetached last_detached();
// For who has used another in between.
void set_last_detached(LastDetached last);
// NULL if it has ended since. Pre: StatesHeld.
PyThreadState* find(LastDetached last);

// Whether the state that had this number at this address has not ended. Any thread; the pointer is
// followed only if some state is there.
bool exists(const PyThreadState* state, uint64_t id);

// Attaches a state to the calling thread, which has none. Waits while the world is stopped and, under
// policy gil, for the lock. Waits for ever if the runtime has been finalized, or is being finalized by another thread
// (world.hpp: close); so does every wait of an attached thread that begins or ends after that. kAttached: the state is
// attached to a thread already, and nothing was done. `at_once`: asks the holder of the lock to yield before its
// interval is over; for a thread that will not be attached for long.
Error attach(PyThreadState* state, bool at_once = false);
// Detaches the calling thread, which is attached. Drains its merge queue first: arbitrary code.
void detach();
// The same for a thread that is about to wait for a lock, where no user code may run: its merge queue waits for
// another thread's safepoint.
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
// Never returns if the runtime has been closed to the calling thread, which is attached.
void stay_if_closed();

}  // namespace ouro::mutator
