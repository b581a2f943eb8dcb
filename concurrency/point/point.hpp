// Named interleaving points, and the hook that decides at them.
//
// What: OURO_POINT("refcount.merge.between") marks a place between two steps of a protocol where
// interleaving with other threads matters. In a build with OURO_POINTS=1 it calls the hook of the calling
// thread, if it has one; in every other build it is nothing, not even a load.
//
// When: in code that is no template over a Sync policy (concurrency/thread/sync.hpp). A template needs
// no points: under a scheduler each of its atomic operations is one.
//
// When not: between two plain statements that share nothing with other threads: each point multiplies
// the interleavings that a test must try. Nor where a std::mutex is held: another thread would wait for
// it, and the scheduler would not know. Mutex (mutex.hpp) may be held.
//
//     count_.store(0, std::memory_order_relaxed);
//     OURO_POINT("limbo.count-before-head");
//     head_.store(nullptr, std::memory_order_release);
//
// Cost: none in release; with OURO_POINTS=1 a thread-local load and a branch where no hook is set.
#pragma once

#include <cstdint>

#ifndef OURO_POINTS
#define OURO_POINTS 0
#endif

#if OURO_POINTS
#define OURO_POINT(name) ::ouro::point::reached(name)
#else
#define OURO_POINT(name) static_cast<void>(0)
#endif

namespace ouro::point {

// What a scheduler supplies to the threads that it runs one at a time. Each function may run other
// threads before it returns.
class Hook {
public:
    // A point of that name.
    virtual void reached(const char* name) = 0;
    // One iteration of a spin loop: better to run other threads.
    virtual void relax() = 0;
    virtual void yield() = 0;
    // Waits until woken on `address`, or until the deadline; false if that has passed. May return early.
    virtual bool wait(const void* address, int64_t deadline_ns) = 0;
    virtual void wake(const void* address, int count) = 0;
    virtual int64_t now_ns() = 0;
    virtual unsigned processors() = 0;

protected:
    ~Hook() = default;
};

// The calling thread's; null: points do nothing, and waits are the system's.
inline thread_local Hook* hook = nullptr;

inline void reached(const char* name) {
    if (hook != nullptr) {
        hook->reached(name);
    }
}

}  // namespace ouro::point
