#include "core/event/events.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace ouro::event {
namespace {

struct Registration {
    OuroListener listener;
    void* arg;
};

constexpr size_t kMostListeners = 16;
std::array<Registration, kMostListeners> registrations;
size_t registered = 0;
std::mutex mutex;  // of both
// Whether the calling thread has it, and runs a listener, which may fork.
constinit thread_local bool emits = false;

int64_t clock_ns(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Of a line of /proc/self/status; no allocation and no lock, which a child process could find taken.
size_t kibibytes_of(const char* key, const char* text) {
    const char* found = std::strstr(text, key);
    if (found == nullptr) {
        return 0;
    }
    found += std::strlen(key);
    found += std::strspn(found, " \t");
    size_t number = 0;
    for (; *found >= '0' && *found <= '9'; ++found) {
        number = number * 10 + static_cast<size_t>(*found - '0');
    }
    return number * 1024;
}

}  // namespace

int64_t monotonic_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t thread_cpu_ns() {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

bool read_file(const char* path, char* text, size_t bytes) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t length = read(file, text, bytes - 1);
    close(file);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    return true;
}

size_t resident_bytes() {
    // The second number of statm is resident pages. No allocation: a collection may call this.
    char text[128];
    if (!read_file("/proc/self/statm", text)) {
        return 0;
    }
    size_t total = 0;
    size_t resident = 0;
    if (std::sscanf(text, "%zu %zu", &total, &resident) != 2) {
        return 0;
    }
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

Mapped mapped() {
    char text[4096];
    if (!read_file("/proc/self/status", text)) {
        return {};
    }
    return {kibibytes_of("\nVmRSS:", text), kibibytes_of("\nVmPTE:", text)};
}

void emit(const OuroEvent& event) {
    const std::lock_guard guard(mutex);
    emits = true;
    for (size_t i = 0; i < registered; ++i) {
        registrations[i].listener(&event, registrations[i].arg);
    }
    emits = false;
}

void before_fork() {
    if (!emits) {
        mutex.lock();
    }
}

void after_fork() {
    if (!emits) {
        mutex.unlock();
    }
}

}  // namespace ouro::event

using ouro::event::mutex;
using ouro::event::registered;
using ouro::event::registrations;

int Ouro_AddListener(OuroListener listener, void* arg) {
    const std::lock_guard guard(mutex);
    if (registered == registrations.size()) {
        return -1;
    }
    registrations[registered++] = {listener, arg};
    return 0;
}

int Ouro_RemoveListener(OuroListener listener, void* arg) {
    const std::lock_guard guard(mutex);
    for (size_t i = 0; i < registered; ++i) {
        if (registrations[i].listener == listener && registrations[i].arg == arg) {
            for (size_t j = i + 1; j < registered; ++j) {
                registrations[j - 1] = registrations[j];  // the others keep their order
            }
            --registered;
            return 0;
        }
    }
    return -1;
}

const char* Ouro_PhaseName(OuroPhase phase) {
    switch (phase) {
#define X(name, text, meaning) \
    case OURO_PHASE_##name:    \
        return text;
        OURO_PHASES(X)
#undef X
        case OURO_PHASE_COUNT_:
            break;
    }
    return "unknown";
}

const char* Ouro_TriggerName(OuroTrigger trigger) {
    switch (trigger) {
#define X(name, text, meaning) \
    case OURO_TRIGGER_##name:  \
        return text;
        OURO_TRIGGERS(X)
#undef X
        case OURO_TRIGGER_COUNT_:
            break;
    }
    return "unknown";
}
