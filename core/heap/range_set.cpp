#include "core/heap/range_set.hpp"

#include <iterator>
#include <new>

#include "core/heap/fault.hpp"

namespace ouro::heap {

std::optional<uint64_t> RangeSet::take(uint64_t size) {
    for (auto it = ranges_.begin(); it != ranges_.end(); ++it) {
        if (it->second < size) {
            continue;
        }
        const uint64_t start = it->first;
        if (it->second == size) {
            ranges_.erase(it);
        } else {
            auto node = ranges_.extract(it);  // reuses the node: taking never allocates
            node.key() += size;
            node.mapped() -= size;
            ranges_.insert(std::move(node));
        }
        total_ -= size;
        return start;
    }
    return std::nullopt;
}

Range RangeSet::give(Range range) noexcept {
    auto next = ranges_.lower_bound(range.start);
    total_ += range.size;
    if (next != ranges_.begin()) {
        const auto previous = std::prev(next);
        if (previous->first + previous->second == range.start) {
            previous->second += range.size;
            if (next != ranges_.end() && range.end() == next->first) {
                previous->second += next->second;
                ranges_.erase(next);
            }
            return {previous->first, previous->second};
        }
    }
    if (next != ranges_.end() && range.end() == next->first) {
        auto node = ranges_.extract(next);
        node.key() = range.start;
        node.mapped() += range.size;
        const auto it = ranges_.insert(std::move(node)).position;
        return {it->first, it->second};
    }
    try {
        if (allocation_fails()) {
            throw std::bad_alloc();
        }
        ranges_.emplace(range.start, range.size);
    } catch (const std::bad_alloc&) {
        total_ -= range.size;
    }
    return range;
}

std::optional<Range> RangeSet::take_last() {
    if (ranges_.empty()) {
        return std::nullopt;
    }
    const auto last = std::prev(ranges_.end());
    const Range range{last->first, last->second};
    ranges_.erase(last);
    total_ -= range.size;
    return range;
}

}  // namespace ouro::heap
