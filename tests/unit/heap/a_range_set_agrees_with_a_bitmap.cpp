// Any sequence of operations on a RangeSet gives what a plain bitmap would: the lowest range that
// fits, the coalesced range that a given one became part of, the highest range, the total.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <vector>

#include "core/heap/range_set.hpp"

namespace ouro::heap {
namespace {

constexpr uint64_t kUniverse = 200;

class Bitmap {
public:
    std::optional<uint64_t> take(uint64_t size) {
        for (uint64_t start = 0; start < kUniverse; ++start) {
            if (bit(start) && (start == 0 || !bit(start - 1)) && run_at(start).size >= size) {
                set(start, size, false);
                return start;
            }
        }
        return std::nullopt;
    }
    Range give(Range range) {
        set(range.start, range.size, true);
        return run_at(range.start);
    }
    std::optional<Range> take_last() {
        for (uint64_t last = kUniverse; last-- > 0;) {
            if (bit(last)) {
                const Range run = run_at(last);
                set(run.start, run.size, false);
                return run;
            }
        }
        return std::nullopt;
    }
    uint64_t total() const {
        uint64_t total = 0;
        for (uint64_t i = 0; i < kUniverse; ++i) {
            total += bit(i) ? 1 : 0;
        }
        return total;
    }
    bool bit(uint64_t i) const { return i < kUniverse && bits_[i]; }

private:
    Range run_at(uint64_t inside) const {
        uint64_t start = inside;
        while (start > 0 && bit(start - 1)) {
            --start;
        }
        uint64_t end = inside;
        while (bit(end)) {
            ++end;
        }
        return {start, end - start};
    }
    void set(uint64_t start, uint64_t size, bool value) {
        for (uint64_t i = start; i < start + size; ++i) {
            bits_[i] = value;
        }
    }
    std::vector<bool> bits_ = std::vector<bool>(kUniverse);
};

void expect_same(const std::optional<Range>& a, const std::optional<Range>& b) {
    RC_ASSERT(a.has_value() == b.has_value());
    if (a) {
        RC_ASSERT(a->start == b->start);
        RC_ASSERT(a->size == b->size);
    }
}

RC_GTEST_PROP(ARangeSet, AgreesWithABitmap, ()) {
    RangeSet set;
    Bitmap bitmap;
    const auto operations = *rc::gen::inRange(0, 300);
    for (int i = 0; i < operations; ++i) {
        switch (*rc::gen::inRange(0, 8)) {
            case 0:
                expect_same(set.take_last(), bitmap.take_last());
                break;
            case 1:
            case 2:
            case 3: {
                const auto size = *rc::gen::inRange<uint64_t>(1, 24);
                RC_ASSERT(set.take(size) == bitmap.take(size));
                break;
            }
            default: {
                // A range that overlaps none in the set.
                const auto start = *rc::gen::inRange<uint64_t>(0, kUniverse);
                const auto most = *rc::gen::inRange<uint64_t>(1, 24);
                uint64_t size = 0;
                while (size < most && start + size < kUniverse && !bitmap.bit(start + size)) {
                    ++size;
                }
                if (size > 0) {
                    expect_same(set.give({start, size}), bitmap.give({start, size}));
                }
            }
        }
        RC_ASSERT(set.total() == bitmap.total());
    }
    // What is left, from the top.
    for (auto last = bitmap.take_last(); last; last = bitmap.take_last()) {
        expect_same(set.take_last(), last);
    }
    RC_ASSERT(!set.take_last().has_value());
    RC_ASSERT(set.total() == 0u);
}

// Each way in which a range can meet its neighbours.
TEST(ARangeSet, CoalescesOnBothSides) {
    RangeSet set;
    const auto given = [&set](uint64_t start, uint64_t size) {
        const Range range = set.give({start, size});
        return std::pair(range.start, range.size);
    };
    EXPECT_EQ(given(10, 5), (std::pair<uint64_t, uint64_t>(10, 5)));
    EXPECT_EQ(given(20, 5), (std::pair<uint64_t, uint64_t>(20, 5)));
    EXPECT_EQ(given(15, 2), (std::pair<uint64_t, uint64_t>(10, 7)));   // behind one
    EXPECT_EQ(given(18, 2), (std::pair<uint64_t, uint64_t>(18, 7)));   // before one
    EXPECT_EQ(given(17, 1), (std::pair<uint64_t, uint64_t>(10, 15)));  // between two
    EXPECT_EQ(set.total(), 15u);
    EXPECT_EQ(set.take(15), 10u);
    EXPECT_EQ(set.take(1), std::nullopt);
}

TEST(ARangeSet, TakesTheLowestThatFits) {
    RangeSet set;
    set.give({100, 10});
    set.give({0, 2});
    set.give({50, 4});
    EXPECT_EQ(set.take(3), 50u);
    EXPECT_EQ(set.take(2), 0u);
    EXPECT_EQ(set.take(1), 53u);
    EXPECT_EQ(set.take(11), std::nullopt);
    EXPECT_EQ(set.take(10), 100u);
    EXPECT_EQ(set.total(), 0u);
}

}  // namespace
}  // namespace ouro::heap
