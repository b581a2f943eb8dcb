#include "concurrency/thread/sync.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace ouro::thread {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "a futex is a plain word");

bool SystemSync::wait(const Atomic<uint32_t>& word, uint32_t value, int64_t deadline_ns) {
#if OURO_POINTS
    if (point::hook != nullptr) {
        point::hook->reached("wait");
        return word.load(std::memory_order_relaxed) != value ||
               point::hook->wait(&word, deadline_ns);
    }
#endif
    timespec until;
    timespec* limit = nullptr;
    if (deadline_ns != kForever) {
        until.tv_sec = static_cast<time_t>(std::max<int64_t>(deadline_ns, 0) / 1'000'000'000);
        until.tv_nsec = static_cast<long>(std::max<int64_t>(deadline_ns, 0) % 1'000'000'000);
        limit = &until;
    }
    // The bitset form takes an absolute time of the monotonic clock.
    const long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, limit, nullptr,
                                FUTEX_BITSET_MATCH_ANY);
    return !(result == -1 && errno == ETIMEDOUT);
}

void SystemSync::wake(const Atomic<uint32_t>& word, int count) {
#if OURO_POINTS
    if (point::hook != nullptr) {
        point::hook->reached("wake");
        point::hook->wake(&word, count);
        return;
    }
#endif
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

int64_t SystemSync::now_ns() {
#if OURO_POINTS
    if (point::hook != nullptr) {
        return point::hook->now_ns();
    }
#endif
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void SystemSync::yield() {
#if OURO_POINTS
    if (point::hook != nullptr) {
        point::hook->yield();
        return;
    }
#endif
    sched_yield();
}

unsigned SystemSync::processors() {
#if OURO_POINTS
    if (point::hook != nullptr) {
        return point::hook->processors();
    }
#endif
    static const unsigned count = [] {
        cpu_set_t set;
        return sched_getaffinity(0, sizeof set, &set) == 0
                   ? static_cast<unsigned>(std::max(CPU_COUNT(&set), 1))
                   : 1u;
    }();
    return count;
}

}  // namespace ouro::thread
