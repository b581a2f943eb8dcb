// An explicit merge makes any object merged with the count that it had and the change asked for, and
// says what that is; it writes the biased half first (inv.count.merge-once).

#include "concurrency/refcount/merge.hpp"

#include <gtest/gtest.h>

#include "tests/support/counted.hpp"

namespace ouro::refcount {
namespace {

using test::Counted;

int32_t merge(Counted& counted, int32_t delta) {
    return explicit_merge(MemoryWord(&counted.biased), MemoryWord(&counted.shared), delta);
}

TEST(AMerge, KeepsTheCountInEveryState) {
    for (const uint32_t flags : {0u, OURO_SHARED_MAYBE_WEAKREF, OURO_SHARED_QUEUED,
                                 OURO_SHARED_MAYBE_WEAKREF | OURO_SHARED_QUEUED}) {
        for (const int32_t delta : {-1, 0, 3}) {
            for (const uint32_t biased : {1u, 2u, 20'000u, OURO_BIASED_MAX}) {
                for (const int32_t shared : {-static_cast<int32_t>(biased) + 1, 0, 1, 100'000}) {
                    Counted counted = Counted::owned(biased, shared, flags);
                    const int32_t count = static_cast<int32_t>(biased) + shared + delta;
                    EXPECT_EQ(merge(counted, delta), count);
                    EXPECT_EQ(counted, Counted::merged(count, flags));
                }
            }
            Counted merged = Counted::merged(5, flags);
            EXPECT_EQ(merge(merged, delta), 5 + delta);
            EXPECT_EQ(merged, Counted::merged(5 + delta, flags));
        }
    }
}

TEST(AMerge, LeavesAnImmortalObjectAlone) {
    Counted counted = Counted::immortal(0);
    EXPECT_EQ(merge(counted, -1), kImmortalCount);
    EXPECT_EQ(counted, Counted::immortal(0));
}

TEST(AMerge, OfWhatNobodyHoldsIsBelowZero) {
    Counted counted = Counted::owned(0, 0, OURO_SHARED_QUEUED);
    EXPECT_EQ(merge(counted, -1), -1);
}

// The biased half, seen by whoever reads it when the shared half is about to change.
TEST(AMerge, HasNoOwnerBeforeItIsMerged) {
    struct Word {
        Counted* counted;
        uint32_t Counted::*half;
        uint32_t load(std::memory_order) const { return counted->*half; }
        void store(uint32_t value, std::memory_order) {
            EXPECT_FALSE(counted->is_merged()) << "written after another may have freed it";
            counted->*half = value;
        }
        bool compare_exchange(uint32_t&, uint32_t desired, std::memory_order, std::memory_order) {
            EXPECT_EQ(counted->owner(), OURO_OWNER_NONE);
            counted->*half = desired;
            return true;
        }
    };
    Counted counted = Counted::owned(4, 2);
    EXPECT_EQ(explicit_merge(Word{&counted, &Counted::biased}, Word{&counted, &Counted::shared}, 0),
              6);
}

}  // namespace
}  // namespace ouro::refcount
