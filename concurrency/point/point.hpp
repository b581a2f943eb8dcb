// Named interleaving points.
//
// What: OURO_POINT("refcount.merge.between") marks a place between two steps of a protocol where the
// other threads matter. In a build with OURO_POINTS=1 it calls the hook of the calling thread, if it
// has one; in every other build it is nothing, not even a load.
//
// When: in code that is no template over a Sync policy (concurrency/thread/sync.hpp). A template needs
// no points: under a scheduler each of its atomic operations is one.
//
// When not: between two plain statements that share nothing with other threads: each point multiplies
// the interleavings that a test must try.
//
//     count_.store(0, std::memory_order_relaxed);
//     OURO_POINT("limbo.count-before-head");
//     head_.store(nullptr, std::memory_order_release);
//
// Cost: none in release; with OURO_POINTS=1 a thread-local load and a branch where no hook is set.
#pragma once

#ifndef OURO_POINTS
#define OURO_POINTS 0
#endif

#if OURO_POINTS
#define OURO_POINT(name) ::ouro::point::reached(name)
#else
#define OURO_POINT(name) static_cast<void>(0)
#endif

namespace ouro::point {

// Called with the point's name. It may run other threads' code before it returns, so a point must not
// stand where a lock is held that the scheduler does not know.
using Hook = void (*)(const char* name);

// The calling thread's; null: points do nothing.
inline thread_local Hook hook = nullptr;

inline void reached(const char* name) {
    if (hook != nullptr) {
        hook(name);
    }
}

}  // namespace ouro::point
