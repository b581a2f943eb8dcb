// A set of disjoint integer ranges, kept coalesced: free address space and free slot numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace ouro::heap {

struct Range {
    uint64_t start;
    uint64_t size;
    uint64_t end() const { return start + size; }
};

class RangeSet {
public:
    // Removes and returns the first range of `size` at the lowest address, so that what is in use
    // stays together and the top can be given back.
    std::optional<uint64_t> take(uint64_t size);
    // Adds a range that overlaps none in the set; returns the coalesced range it became part of. If
    // there is no memory for the bookkeeping, the range is dropped. That loses address space but no
    // memory, because the caller returns the pages first.
    Range give(Range range) noexcept;
    // Removes and returns the range at the highest address.
    std::optional<Range> take_last();

    uint64_t total() const { return total_; }

private:
    std::map<uint64_t, uint64_t> ranges_;  // start -> size
    uint64_t total_ = 0;
};

}  // namespace ouro::heap
