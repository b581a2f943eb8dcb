// How long to wait for user code that a collection runs on another thread: as long as it may be expected to return.
// Code that sleeps is not waited for, because it may wait for something that the waiting thread holds; nor is code that
// has used too much CPU time. Code that is ready but gets no processor is waited for.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ouro::collector {

// What Linux reports of a thread of this process, by its kernel thread id. Where it reports nothing: sleeps, no CPU
// time.
struct Activity {
    int64_t cpu_ns;  // used since the thread began
    bool sleeps;     // it waits, and not for a processor
};
Activity activity_of(pid_t thread);

class FinalizerWatchdog {
public:
    // Who waits for a moment at a time looks no oftener than so.
    static constexpr int64_t kLookNs = 10'000'000;
    // Whether that is due; if so, the next look is so much later.
    bool may_look(int64_t now_ns) {
        const bool may = now_ns >= next_look_ns_;
        next_look_ns_ = may ? now_ns + kLookNs : next_look_ns_;
        return may;
    }

    // is_over is called about so often.
    constexpr explicit FinalizerWatchdog(int64_t interval_ns) : interval_ns_(interval_ns) {}

    bool is_over(uint64_t slices, Activity now) { return is_over(slices, now.cpu_ns, now.sleeps); }
    // Whether to wait no longer for a thread that has done so many slices and used so much CPU time; `sleeps`: it
    // sleeps at this moment.
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
    // A thread that only waits for its turn to run is seldom seen asleep twice in a row.
    static constexpr int kLooksAsleep = 2;

    int64_t interval_ns_;
    int64_t next_look_ns_ = 0;
    bool has_looked_ = false;
    uint64_t slices_ = 0;
    int64_t slice_cpu_ns_ = 0;  // CPU time when the slice was first seen
    int64_t last_cpu_ns_ = 0;
    int looks_asleep_ = 0;
};

}  // namespace ouro::collector
