// How long a piece of work that can be interrupted may go on.
#pragma once

#include <cstdint>

#include "core/event/events.hpp"
#include "core/heap/pages.hpp"
#include "core/mutator/world.hpp"

namespace ouro::collector {

// What a call of an object's code counts, which may take long.
inline constexpr uint32_t kCodeUnits = 4;

class Deadline {
public:
    // From now on.
    explicit Deadline(int64_t budget_ns) : end_ns_(event::monotonic_ns() + budget_ns) {}
    // Never.
    static Deadline none() { return Deadline(Never()); }
    // The same for work of a thread that runs concurrently with others, who wait for it if they stop the world: it
    // has passed, too, as soon as somebody wants that.
    static Deadline beside_others(int64_t budget_ns) {
        Deadline deadline(budget_ns);
        deadline.gives_way_ = true;
        return deadline;
    }

    // Counts `work` units (an object each, or a reference); the clock is read once in kUnits of them.
    bool has_passed(uint32_t work) {
        if (gives_way_ && mutator::poll()) {
            return true;
        }
        done_ += work;
        if (done_ < kUnits) {
            return false;
        }
        done_ = 0;
        return event::monotonic_ns() >= end_ns_;
    }

    // The clock is read.
    bool has_passed_now() { return has_passed(kUnits); }

private:
    struct Never {};
    explicit Deadline(Never) : end_ns_(INT64_MAX) {}

    // Some 5 us of work; the clock costs 25 ns.
    static constexpr uint32_t kUnits = 128;

    const int64_t end_ns_;
    uint32_t done_ = 0;
    bool gives_way_ = false;
};

// Gives the memory of a list back, if it is large, until the deadline; true when it has.
template <class T>
bool drop_large(heap::PageVector<T>& list, Deadline& deadline) {
    constexpr size_t part = 256 << 10;
    if (list.capacity() * sizeof(T) <= heap::kKeptBytes) {
        return true;
    }
    while (!heap::drop_pages(list, part)) {
        if (deadline.has_passed_now()) {
            return false;
        }
    }
    return true;
}

}  // namespace ouro::collector
