// Clocks and memory of this process.
#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace ouro::runner {

inline int64_t clock_ns(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline int64_t wall_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

inline int64_t thread_cpu_ns() {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

inline int64_t process_cpu_ns() {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

// 0 if the system does not tell.
inline size_t resident_bytes() {
    size_t total = 0;
    size_t resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) {
            resident = 0;
        }
        std::fclose(file);
    }
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// The most that resident_bytes() ever was, as far as the system tells. Not ru_maxrss, which begins
// with that of the program that started this one.
inline size_t peak_resident_bytes() {
    size_t kilobytes = 0;
    if (std::FILE* file = std::fopen("/proc/self/status", "re")) {
        char line[256];
        while (std::fgets(line, sizeof line, file) != nullptr &&
               std::sscanf(line, "VmHWM: %zu kB", &kilobytes) != 1) {
        }
        std::fclose(file);
    }
    return kilobytes * 1024;
}

}  // namespace ouro::runner
