// A mutex under which there may be points.
//
// What: std::mutex; with OURO_POINTS=1 one that calls the calling thread's hook before it locks, and waits
// through the hook.
//
// When: for a critical section that reaches points, in itself or in functions that it calls. For others use
// std::mutex, whose section is then one step to the scheduler.
#pragma once

#include <mutex>

#include "concurrency/point/point.hpp"

#if OURO_POINTS
#include <limits>
#endif

namespace ouro::point {

#if OURO_POINTS

class Mutex {
public:
    constexpr Mutex() = default;

    void lock() {
        if (hook == nullptr) {
            mutex_.lock();
            return;
        }
        hook->reached("lock");
        while (!mutex_.try_lock()) {
            hook->wait(this, std::numeric_limits<int64_t>::max());
        }
    }
    void unlock() {
        mutex_.unlock();
        if (hook != nullptr) {
            hook->wake(this, 1);
        }
    }

private:
    std::mutex mutex_;
};

#else

using Mutex = std::mutex;

#endif

}  // namespace ouro::point
