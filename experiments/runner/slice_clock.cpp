#include "experiments/runner/slice_clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ouro::runner {

SliceClock::SliceClock() : schedstat_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {
    gaps_.reserve(1 << 12);
    resume();
}

SliceClock::~SliceClock() {
    if (schedstat_ >= 0) {
        close(schedstat_);
    }
}

int64_t SliceClock::resume() {
    waited_ns_ = read_waited();
    return last_ns_ = wall_ns();
}

void SliceClock::note_gap(int64_t now) {
    const int64_t waited = read_waited();
    gaps_.push_back({last_ns_, now, waited - waited_ns_});
    waited_ns_ = waited;
}

// "time on a processor, time of waiting for one, time slices", ns.
int64_t SliceClock::read_waited() const {
    char text[96];
    const ssize_t length = schedstat_ < 0 ? 0 : pread(schedstat_, text, sizeof text - 1, 0);
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    long long ran = 0;
    long long waited = 0;
    return std::sscanf(text, "%lld %lld", &ran, &waited) == 2 ? waited : 0;
}

int64_t unexplained_ns(const Gap& gap, const Intervals& pauses, const Intervals& hiccups) {
    const int64_t paused = covered_ns(pauses, gap.start_ns, gap.end_ns);
    // A hiccup in a pause explains nothing more.
    int64_t hiccup = covered_ns(hiccups, gap.start_ns, gap.end_ns);
    for (const Interval& each : hiccups) {
        if (each.start_ns < gap.end_ns && each.end_ns > gap.start_ns) {
            hiccup -= covered_ns(pauses, std::max(each.start_ns, gap.start_ns),
                                 std::min(each.end_ns, gap.end_ns));
        }
    }
    return std::max<int64_t>(gap.ns() - paused - std::max(hiccup, gap.waited_ns), 0);
}

}  // namespace ouro::runner
