// Waiting until a known number of threads have arrived.
//
// One thread waits: it spins, then sleeps. The last to arrive wakes it, with a system call only if it
// sleeps. What the arrived threads wrote before is visible to the waiting one (inv.stop.visible).
#pragma once

#include <cstdint>

#include "concurrency/thread/sync.hpp"

namespace ouro::thread {

template <class Sync>
class Countdown {
public:
    // Before any thread can arrive. `count` may be an upper bound: the difference is subtracted by arrive() later.
    void begin(uint32_t count) {
        // Published to the arriving threads by the request that makes them arrive.
        word_.store(count, std::memory_order_relaxed);
    }

    void arrive(uint32_t count = 1) {
        // Partner: done().
        const uint32_t before = word_.fetch_sub(count, std::memory_order_acq_rel);
        if (before == (count | kSleeper)) {
            Sync::wake(word_, 1);
        }
    }

    bool done() const {
        // Partner: arrive().
        return (word_.load(std::memory_order_acquire) & ~kSleeper) == 0;
    }

    // Spins for `spin_ns`, then sleeps.
    void wait(int64_t spin_ns) {
        if (spin_ns > 0 && spin_until<Sync>([this] { return done(); }, spin_ns)) {
            return;
        }
        for (;;) {
            // Partner: arrive().
            uint32_t seen = word_.load(std::memory_order_acquire);
            if ((seen & ~kSleeper) == 0) {
                return;
            }
            if ((seen & kSleeper) == 0) {
                if (!word_.compare_exchange_weak(seen, seen | kSleeper, std::memory_order_relaxed,
                                                 std::memory_order_relaxed)) {
                    continue;
                }
                seen |= kSleeper;
            }
            Sync::wait(word_, seen, kForever);
        }
    }

private:
    static constexpr uint32_t kSleeper = 1u << 31;

    typename Sync::template Atomic<uint32_t> word_{0};
};

}  // namespace ouro::thread
