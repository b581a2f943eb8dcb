// What a mutator's own clock says of it: read after each operation, it shows every gap in which the
// mutator did nothing, whoever is to blame.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/intervals.hpp"

namespace ouro::runner {

struct Gap {
    int64_t start_ns;
    int64_t end_ns;
    int64_t waited_ns;  // at most: the thread could run, and had no processor

    int64_t ns() const { return end_ns - start_ns; }
};

// Of one thread, and used by it alone. About 30 ns a tick.
class SliceClock {
public:
    // Shorter ones are not kept: an operation may take as long.
    static constexpr int64_t kLeastGap = 100'000;

    SliceClock();
    ~SliceClock();
    SliceClock(const SliceClock&) = delete;
    SliceClock& operator=(const SliceClock&) = delete;

    // What was before is no gap: the beginning, or the thread has slept of its own will. The time.
    int64_t resume();
    // Between two operations. The time.
    int64_t tick() {
        const int64_t now = wall_ns();
        if (now - last_ns_ >= kLeastGap) [[unlikely]] {
            note_gap(now);
        } else if (++ticks_ % kReadEvery == 0) {
            waited_ns_ = read_waited();
        }
        last_ns_ = now;
        return now;
    }
    // Of the last tick: when the operation that is being done began.
    int64_t last_ns() const { return last_ns_; }

    const std::vector<Gap>& gaps() const { return gaps_; }

private:
    static constexpr uint64_t kReadEvery = 1 << 12;

    void note_gap(int64_t now);
    int64_t read_waited() const;

    int schedstat_;  // the thread's file; -1: the system has none
    int64_t last_ns_ = 0;
    int64_t waited_ns_ = 0;  // when it was last read
    uint64_t ticks_ = 0;
    std::vector<Gap> gaps_;
};

// How long a gap is less what is known of it: pauses, times in which the whole machine stood still
// (hiccups), times in which the thread had no processor. Pre: both united.
int64_t unexplained_ns(const Gap& gap, const Intervals& pauses, const Intervals& hiccups);

}  // namespace ouro::runner
