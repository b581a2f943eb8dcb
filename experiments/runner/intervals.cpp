#include "experiments/runner/intervals.hpp"

#include <algorithm>

namespace ouro::runner {

Intervals united(Intervals intervals) {
    // Of those that start together the longest is first: it holds the others.
    std::ranges::sort(intervals, [](const Interval& a, const Interval& b) {
        return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
    Intervals whole;
    int64_t alone_until = INT64_MIN;  // the end of the last that lay in no other
    for (const Interval& each : intervals) {
        if (whole.empty() || each.start_ns > whole.back().end_ns) {
            whole.push_back(each);
            alone_until = each.end_ns;
            continue;
        }
        Interval& last = whole.back();
        if (each.end_ns > alone_until) {
            last.cpu_ns += each.cpu_ns;
            alone_until = each.end_ns;
        }
        last.end_ns = std::max(last.end_ns, each.end_ns);
    }
    return whole;
}

Intervals merged(const Intervals& intervals, int64_t gap_ns) {
    Intervals whole;
    for (const Interval& each : intervals) {
        if (whole.empty() || each.start_ns - whole.back().end_ns >= gap_ns) {
            whole.push_back(each);
        } else {
            whole.back().end_ns = each.end_ns;
            whole.back().cpu_ns += each.cpu_ns;
        }
    }
    return whole;
}

int64_t covered_ns(const Intervals& intervals, int64_t start_ns, int64_t end_ns) {
    int64_t sum = 0;
    auto each = std::ranges::partition_point(
        intervals, [=](const Interval& one) { return one.end_ns <= start_ns; });
    for (; each != intervals.end() && each->start_ns < end_ns; ++each) {
        sum += std::min(each->end_ns, end_ns) - std::max(each->start_ns, start_ns);
    }
    return sum;
}

// Slide a window to the right: what is stopped in it grows while its end is in an interval and its
// beginning is not, and shrinks in the opposite case. So it is greatest where the beginning enters an
// interval, or at one of the two ends of the whole.
std::optional<double> least_utilisation(const Intervals& intervals, int64_t start_ns,
                                        int64_t end_ns, int64_t window_ns) {
    if (window_ns <= 0 || window_ns > end_ns - start_ns) {
        return std::nullopt;
    }
    const int64_t last = end_ns - window_ns;
    int64_t most = std::max(covered_ns(intervals, start_ns, start_ns + window_ns),
                            covered_ns(intervals, last, end_ns));
    size_t past = 0;        // the first interval that ends after the window, or holds its end
    int64_t inside_ns = 0;  // of those from the window's own on that end in it
    for (size_t i = 0; i < intervals.size() && intervals[i].start_ns <= last; ++i) {
        const int64_t window_end = intervals[i].start_ns + window_ns;
        for (; past < intervals.size() && intervals[past].end_ns <= window_end; ++past) {
            inside_ns += intervals[past].ns();
        }
        if (intervals[i].start_ns >= start_ns) {
            const int64_t cut = past < intervals.size()
                                    ? std::max<int64_t>(window_end - intervals[past].start_ns, 0)
                                    : 0;
            most = std::max(most, inside_ns + std::min(cut, window_ns));
        }
        if (past > i) {
            inside_ns -= intervals[i].ns();
        } else {
            past = i + 1;  // longer than the window
        }
    }
    return 1 - static_cast<double>(most) / static_cast<double>(window_ns);
}

}  // namespace ouro::runner
