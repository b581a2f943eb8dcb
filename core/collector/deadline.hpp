// How long a piece of work that can be interrupted may go on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/event/clock.hpp"
#include "core/heap/pages.hpp"

namespace ouro::collector {

// Work units of one call of user code, which may take long.
inline constexpr uint32_t kCodeUnits = 4;

class Deadline {
public:
    // `budget_ns` from now.
    explicit Deadline(int64_t budget_ns) : end_ns_(event::monotonic_ns() + budget_ns) {}
    // A deadline that never passes.
    static Deadline none() { return Deadline(Never()); }
    // `budget_ns` from now, for work that others may be waiting for: it also passes as soon as `is_wanted`, which is asked
    // for each unit of work, says that they are.
    static Deadline giving_way(int64_t budget_ns, bool (*is_wanted)()) {
        Deadline deadline(budget_ns);
        deadline.is_wanted_ = is_wanted;
        return deadline;
    }

    // Counts `work` units (an object each, or a reference); the clock is read once in kUnits of them.
    bool has_passed(uint32_t work) {
        if (is_wanted_ != nullptr && is_wanted_()) {
            return true;
        }
        done_ += work;
        if (done_ < kUnits) {
            return false;
        }
        done_ = 0;
        return event::monotonic_ns() >= end_ns_;
    }

    // The same, and reads the clock.
    bool has_passed_now() { return has_passed(kUnits); }

private:
    struct Never {};
    explicit Deadline(Never) : end_ns_(INT64_MAX) {}

    // Some 5 us of work; the clock costs 25 ns.
    static constexpr uint32_t kUnits = 128;

    const int64_t end_ns_;
    uint32_t done_ = 0;
    bool (*is_wanted_)() = nullptr;
};

// Lengthens a list by `value` until the deadline, so that its memory is there; true when it has `size`. Throws
// std::bad_alloc.
template <class T>
bool lengthen(heap::PageVector<T>& list, size_t size, T value, Deadline& deadline) {
    constexpr size_t part = 64 << 10;
    list.reserve(size);
    while (list.size() < size) {
        list.resize(std::min(list.size() + part, size), value);
        if (deadline.has_passed_now()) {
            return list.size() == size;
        }
    }
    return true;
}

// Returns the memory of a list to the system, if it is large, until the deadline; true when it is done.
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

// The same of lists that have been longer: the pages behind their end are theirs, too. `begun`: false at first.
template <class... T>
bool drop_shortened(bool& begun, Deadline& deadline, heap::PageVector<T>&... lists) {
    if (!begun) {
        begun = true;
        (lists.resize(lists.capacity()), ...);
    }
    return (drop_large(lists, deadline) && ...);
}

}  // namespace ouro::collector
