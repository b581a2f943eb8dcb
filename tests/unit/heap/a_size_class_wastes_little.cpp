// Every size fits the smallest class that holds it; the class wastes at most 15 bytes up to 512 and at
// most an eighth of the size above.

#include <algorithm>

#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

using ASizeClass = test::HeapTest;

TEST(ASizeClassByItself, HoldsEverySizeWithLittleWaste) {
    for (size_t size = 1; size <= kLargestSlot; ++size) {
        const unsigned cls = size_class(size);
        ASSERT_LT(cls, kClasses) << size;
        const size_t slot = slot_size(cls);
        ASSERT_GE(slot, size);
        const size_t waste = slot - size;
        if (size <= 512) {
            ASSERT_LE(waste, 15u) << size;
        } else {
            ASSERT_LE(waste * 8, size) << size << " in " << slot;
        }
        // No smaller class would have held it.
        ASSERT_LT(slot_size(cls - 1), size);
    }
}

TEST(ASizeClassByItself, IsAWholeNumberOfGranulesAndLargerThanTheOneBefore) {
    for (unsigned cls = 1; cls < kClasses; ++cls) {
        EXPECT_EQ(slot_size(cls) % kGranule, 0u);
        EXPECT_GT(slot_size(cls), slot_size(cls - 1));
        EXPECT_EQ(size_class(slot_size(cls)), cls);
        EXPECT_LE(slot_size(cls), kBlockSize);
    }
    EXPECT_EQ(slot_size(kClasses - 1), kLargestSlot);
}

TEST_F(ASizeClass, IsWhatTheHeapAllocates) {
    for (const BlockKind kind : test::kAllKinds) {
        const size_t prefix = kind == BlockKind::kPrefixed ? kPrefix : 0;
        for (size_t size = kGranule; size <= kLargestSlot - prefix; size += 1 + size / 97) {
            void* p = allocate(kind, size);
            ASSERT_NE(p, nullptr);
            ASSERT_EQ(reinterpret_cast<uintptr_t>(p) % 16, 0u) << test::name_of(kind) << size;
            ASSERT_EQ(usable_size(p), slot_size(size_class(size + prefix)) - prefix)
                << test::name_of(kind) << " of " << size;
            free(p);
        }
    }
}

TEST_F(ASizeClass, OfNothingIsTheSmallest) {
    void* p = allocate(BlockKind::kBuffer, 0);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(usable_size(p), kGranule);
    free(p);
}

// All of a slot's bytes are the caller's: neighbours do not overlap.
TEST_F(ASizeClass, IsUsableToItsLastByte) {
    for (unsigned cls = 1; cls < kClasses; ++cls) {
        auto* a = static_cast<unsigned char*>(allocate(BlockKind::kBuffer, slot_size(cls)));
        auto* b = static_cast<unsigned char*>(allocate(BlockKind::kBuffer, slot_size(cls)));
        std::fill_n(a, slot_size(cls), static_cast<unsigned char>(0xAA));
        std::fill_n(b, slot_size(cls), static_cast<unsigned char>(0x55));
        EXPECT_EQ(std::count(a, a + slot_size(cls), 0xAA), static_cast<long>(slot_size(cls)));
        EXPECT_EQ(std::count(b, b + slot_size(cls), 0x55), static_cast<long>(slot_size(cls)));
        free(a);
        free(b);
    }
}

}  // namespace
}  // namespace ouro::heap
