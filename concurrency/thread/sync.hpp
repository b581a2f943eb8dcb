// The primitives that this room takes from the system, as a policy, so that production, the seeded
// scheduler of tests/systematic and models compile the same code.
//
// A Sync has:
//   Atomic<T>            as std::atomic<T>
//   Mutex                lock(), unlock(); for short sections that reach no safepoint
//   wait(word, value, d) sleeps while `word` is `value`, until woken or until d (now_ns; kForever);
//                        false if d has passed; may return early: callers check again
//   wake(word, n)        wakes up to n threads that sleep on `word`, which may be gone by now
//   now_ns()             monotonic
//   relax()              in a spin loop; yield(): lets another thread have the core
//   processors()         how many threads run at once
//   kRelaxes             how often to relax between two looks at the clock
//
// Cost: a sleep and its wake are two system calls and a switch, 30-60 us until the sleeper runs on an
// idle core of a virtual machine; that is why waits here spin first (spin_until).
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "concurrency/point/mutex.hpp"

namespace ouro::thread {

inline constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// With OURO_POINTS=1 a thread that has a hook (concurrency/point/point.hpp) asks it instead of the system.
struct SystemSync {
    template <class T>
    using Atomic = std::atomic<T>;
    using Mutex = point::Mutex;
    static constexpr int kRelaxes = OURO_POINTS ? 1 : 16;

    static bool wait(const Atomic<uint32_t>& word, uint32_t value, int64_t deadline_ns);
    static void wake(const Atomic<uint32_t>& word, int count);
    static int64_t now_ns();
    static void yield();
    static unsigned processors();
    static void relax() {
#if OURO_POINTS
        if (point::hook != nullptr) {
            point::hook->relax();
            return;
        }
#endif
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
};

// Whether `done()` became true within `limit_ns`.
template <class Sync, class Done>
bool spin_until(const Done& done, int64_t limit_ns) {
    if (done()) {
        return true;
    }
    const int64_t end = Sync::now_ns() + limit_ns;
    do {
        for (int i = 0; i < Sync::kRelaxes; ++i) {
            Sync::relax();
            if (done()) {
                return true;
            }
        }
    } while (Sync::now_ns() < end);
    return false;
}

}  // namespace ouro::thread
