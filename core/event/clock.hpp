// The clocks of events.
#pragma once

#include <time.h>

#include <cstdint>

namespace ouro::event {

inline int64_t clock_ns(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Since some point in the past; the same clock in all processes. 25 ns.
inline int64_t monotonic_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}
// That the calling thread has used. A system call.
inline int64_t thread_cpu_ns() {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
// That all threads of the process have used. A system call.
inline int64_t process_cpu_ns() {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace ouro::event
