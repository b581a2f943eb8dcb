// Faults that a process meets: what the system refuses, and what interrupts.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <fstream>

#include "tests/soak/tally.hpp"

namespace ouro::soak {

// RLIMIT_AS or RLIMIT_DATA, a few MiB above what is in use, while one lives.
class MemoryLimit {
public:
    MemoryLimit(bool data, size_t room) : resource_(data ? RLIMIT_DATA : RLIMIT_AS) {
        std::ifstream file("/proc/self/statm");
        std::array<size_t, 7> pages{};  // the first is all, the sixth data and stack
        for (size_t& each : pages) {
            file >> each;
        }
        getrlimit(resource_, &before_);
        const size_t used = pages[data ? 5 : 0] * static_cast<size_t>(sysconf(_SC_PAGESIZE));
        const rlimit limit = {used + room, before_.rlim_max};
        setrlimit(resource_, &limit);
        ++tally.limits;
    }
    ~MemoryLimit() { setrlimit(resource_, &before_); }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
    const decltype(RLIMIT_AS) resource_;
    rlimit before_ = {};
};

// Signals to the process while one lives, which interrupt whatever waits.
class Signals {
public:
    explicit Signals(long hz) {
        struct sigaction action = {};
        action.sa_handler = [](int) { tally.signals.fetch_add(1, std::memory_order_relaxed); };
        sigaction(SIGUSR1, &action, nullptr);
        sigevent event = {};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGUSR1;
        if (timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0) {
            const timespec period = {0, 1'000'000'000 / hz};
            const itimerspec times = {period, period};
            timer_settime(timer_, 0, &times, nullptr);
            runs_ = true;
        }
    }
    ~Signals() {
        if (runs_) {
            timer_delete(timer_);
        }
    }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

private:
    timer_t timer_ = {};
    bool runs_ = false;
};

}  // namespace ouro::soak
