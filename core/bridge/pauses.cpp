#include "core/bridge/pauses.hpp"

#include <algorithm>
#include <new>

namespace ouro::bridge {

const char* name_of(Cause cause) {
    switch (cause) {
#define X(name, text, meaning) \
    case Cause::name:          \
        return text;
        OURO_BRIDGE_CAUSES(X)
#undef X
        case Cause::kCount_:
            break;
    }
    return "";
}

int64_t Histogram::end_of(size_t bucket) {
    if (bucket < kParts) {
        return static_cast<int64_t>(bucket);
    }
    const size_t shift = bucket / kParts - 1;
    return static_cast<int64_t>(((uint64_t{bucket % kParts} + kParts + 1) << shift) - 1);
}

int64_t Histogram::percentile_ns(unsigned permille) const {
    const uint64_t wanted = std::max<uint64_t>((count_ * permille + 999) / 1000, 1);
    uint64_t seen = 0;
    for (size_t i = 0; i < buckets_.size(); ++i) {
        seen += buckets_[i];
        if (seen >= wanted) {
            return std::min(end_of(i), longest_ns_);
        }
    }
    return 0;
}

// What ends before the window does not come back: it only moves on.
void Window::move_to(int64_t end_ns) {
    while (!recent_.empty() && recent_.front().end_ns <= end_ns - kNs) {
        stopped_ns_ -= recent_.front().end_ns - recent_.front().start_ns;
        recent_.pop_front();
    }
}

void Window::add(int64_t start_ns, int64_t end_ns) {
    move_to(end_ns);
    try {
        recent_.push_back({start_ns, end_ns});
        stopped_ns_ += end_ns - start_ns;
    } catch (const std::bad_alloc&) {
        recent_.clear();  // the shares are too large for a while
        stopped_ns_ = 0;
    }
}

double Window::utilization(int64_t now_ns) {
    move_to(now_ns);
    const int64_t begin_ns = now_ns - kNs;
    // The first may have begun before.
    const int64_t before_ns =
        recent_.empty() ? 0 : std::max<int64_t>(begin_ns - recent_.front().start_ns, 0);
    return 1 - static_cast<double>(stopped_ns_ - before_ns) / static_cast<double>(kNs);
}

// The worst window ends where a pause does.
void Pauses::add(Cause cause, int64_t start_ns, int64_t end_ns, int64_t cpu_ns) {
    cpu_.add(cpu_ns);
    all_.add(end_ns - start_ns);
    by_cause_[static_cast<size_t>(cause)].add(end_ns - start_ns);
    wall_.add(start_ns, end_ns);
    mmu_ = std::min(mmu_, wall_.utilization(end_ns));
}

}  // namespace ouro::bridge
