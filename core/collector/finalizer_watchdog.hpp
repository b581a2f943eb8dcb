// How long user code, which a collection runs on another thread, is waited for: for as long as it
// may still come back. It is not waited for when it sleeps, perhaps for something that the waiting thread holds,
// nor when it goes on and on; but where the machine has no time for it, it is.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ouro::collector {

// What Linux says of a thread of this process, by its kernel's number. Where it says nothing the thread sleeps
// and takes no time.
struct Activity {
    int64_t cpu_ns;  // that it has taken since it began
    bool sleeps;     // it waits for something, and not for a processor
};
Activity activity_of(pid_t thread);

class FinalizerWatchdog {
public:
    // The thread is looked at about so often.
    explicit FinalizerWatchdog(int64_t interval_ns) : interval_ns_(interval_ns) {}

    bool is_over(uint64_t slices, Activity now) { return is_over(slices, now.cpu_ns, now.sleeps); }
    // Whether it need not be waited for any longer. So many slices has it done, so much CPU time taken; it
    // sleeps just now.
    bool is_over(uint64_t slices, int64_t cpu_ns, bool sleeps) {
        if (!has_looked_ || slices != slices_) {
            has_looked_ = true;
            slices_ = slices;
            slice_cpu_ns_ = cpu_ns;
            looks_asleep_ = 0;
        } else if (sleeps && cpu_ns - last_cpu_ns_ < interval_ns_ / 10) {
            ++looks_asleep_;
        } else {
            looks_asleep_ = 0;
        }
        last_cpu_ns_ = cpu_ns;
        return looks_asleep_ == kLooksAsleep || cpu_ns - slice_cpu_ns_ >= interval_ns_;
    }

private:
    // A thread that only waits until others let it go on is not often asleep when it is looked at.
    static constexpr int kLooksAsleep = 2;

    int64_t interval_ns_;
    bool has_looked_ = false;
    uint64_t slices_ = 0;
    int64_t slice_cpu_ns_ = 0;  // CPU time when the slice was first seen
    int64_t last_cpu_ns_ = 0;
    int looks_asleep_ = 0;
};

}  // namespace ouro::collector
