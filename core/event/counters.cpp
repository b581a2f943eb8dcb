#include "core/event/counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

namespace ouro::event {
namespace {

constexpr uint64_t kTlbReadMisses = PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                    PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
constexpr const char* kOff = "counters=off";

// Written before is_counting is set.
CounterKinds wanted;
std::array<std::string, OURO_COUNTER_COUNT_> problems;  // empty: it is there
bool asked = false;
std::atomic<unsigned> times_started{0};

// The descriptor; or -1, with errno.
int open_counter(const CounterKind& kind) {
    perf_event_attr what = {};
    what.size = sizeof what;
    what.type = kind.type;
    what.config = kind.config;
    what.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

uint64_t read_counter(int file) {
    struct {
        uint64_t value, enabled, running;
    } found;
    if (file < 0 || read(file, &found, sizeof found) != sizeof found || found.running == 0) {
        return 0;
    }
    if (found.running == found.enabled) {
        return found.value;
    }
    return static_cast<uint64_t>(static_cast<double>(found.value) *
                                 static_cast<double>(found.enabled) /
                                 static_cast<double>(found.running));
}

std::string words_of(int error) {
    switch (error) {
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP:
            return "this machine, or what it is virtual on, has none";
        case ENOSYS:
            return "this kernel has no perf_event_open";
        case EACCES:
        case EPERM:
            return "the system does not let this user count (/proc/sys/kernel/perf_event_paranoid)";
        default:
            return std::strerror(error);
    }
}

class ThreadCounters {
public:
    ThreadCounters() {
        for (size_t i = 0; i < files_.size(); ++i) {
            files_[i] = open_counter(wanted[i]);
        }
    }
    ~ThreadCounters() {
        for (const int file : files_) {
            if (file >= 0) {
                close(file);
            }
        }
    }
    ThreadCounters(const ThreadCounters&) = delete;
    ThreadCounters& operator=(const ThreadCounters&) = delete;

    // Opened before a fork, they count the parent; before the runtime began again, perhaps something else.
    bool are_current() const {
        return process_ == getpid() && start_ == times_started.load(std::memory_order_relaxed);
    }
    Counts read() const {
        Counts counts;
        for (size_t i = 0; i < counts.size(); ++i) {
            counts[i] = read_counter(files_[i]);
        }
        return counts;
    }

private:
    std::array<int, OURO_COUNTER_COUNT_> files_{};
    pid_t process_ = getpid();
    unsigned start_ = times_started.load(std::memory_order_relaxed);
};

}  // namespace

const CounterKinds kHardware = {{{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                                 {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                                 {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
                                 {PERF_TYPE_HW_CACHE, kTlbReadMisses}}};

void start_counting(const CounterKinds& kinds) {
    wanted = kinds;
    asked = true;
    times_started.fetch_add(1, std::memory_order_relaxed);
    size_t there = 0;
    for (size_t i = 0; i < kinds.size(); ++i) {
        const int file = open_counter(kinds[i]);
        problems[i] = file < 0 ? words_of(errno) : "";
        if (file >= 0) {
            ++there;
            close(file);
        }
    }
    is_counting.store(there > 0, std::memory_order_relaxed);
    if (there == 0) {
        std::fprintf(stderr, "ouro: counters=on: nothing is counted: %s\n", problems[0].c_str());
    }
}

void stop_counting() {
    is_counting.store(false, std::memory_order_relaxed);
    asked = false;
}

Counts thread_counts() {
    thread_local std::optional<ThreadCounters> mine;
    if (!mine || !mine->are_current()) {
        mine.emplace();
    }
    return mine->read();
}

}  // namespace ouro::event

const char* Ouro_CounterName(OuroCounter counter) {
    switch (counter) {
#define X(name, text, meaning) \
    case OURO_COUNTER_##name:  \
        return text;
        OURO_COUNTERS(X)
#undef X
        case OURO_COUNTER_COUNT_:
            break;
    }
    return "unknown";
}

const char* Ouro_CounterProblem(OuroCounter counter) {
    using namespace ouro::event;
    if (!asked) {
        return kOff;
    }
    const std::string& problem = problems.at(counter);
    return problem.empty() ? nullptr : problem.c_str();
}
