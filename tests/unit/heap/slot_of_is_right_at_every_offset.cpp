// slot_of maps the start of an object and each byte inside its slot to that slot's number, for every
// size class and both kinds of containers: the reciprocal is exact at every offset of a block. What
// has no metadata maps to slot 0, which is nobody's.

#include <limits>
#include <map>
#include <vector>

#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

using SlotOf = test::HeapTest;

TEST_F(SlotOf, IsExactAtEveryOffsetOfEveryClass) {
    std::map<uint32_t, uint32_t> ranges;  // first slot -> end, of all blocks
    std::vector<void*> allocated;
    for (const BlockKind kind : test::kContainerKinds) {
        const size_t prefix = kind == BlockKind::kPrefixed ? kPrefix : 0;
        for (unsigned cls = prefix == 0 ? 1 : 2; cls < kClasses; ++cls) {
            void* p = allocate(kind, slot_size(cls) - prefix);
            ASSERT_NE(p, nullptr);
            allocated.push_back(p);
            const Block* block = block_of(p);
            const size_t bytes = slot_size(cls);
            ASSERT_EQ(block->slot_bytes, bytes);
            ASSERT_EQ(block->capacity, kBlockSize / bytes);
            const auto* start = reinterpret_cast<const char*>(start_of(block));
            for (size_t offset = 0; offset < kBlockSize; ++offset) {
                ASSERT_EQ(slot_of(start + offset), block->first_slot + offset / bytes)
                    << test::name_of(kind) << " of " << bytes << " bytes, offset " << offset;
            }
            for (uint32_t i = 0; i < block->capacity; ++i) {
                const PyObject* object = object_at(block, i);
                ASSERT_EQ(reinterpret_cast<const char*>(object), start + i * bytes + prefix);
                ASSERT_EQ(slot_of(object), block->first_slot + i);
            }
            ranges[block->first_slot] = block->first_slot + block->capacity;
        }
    }
    // No slot has two blocks, and nobody has slot 0.
    ASSERT_EQ(ranges.size(), allocated.size());
    uint32_t end = 1;
    for (const auto& [first, after] : ranges) {
        EXPECT_GE(first, end);
        end = after;
    }
    for (void* p : allocated) {
        free(p);
    }
}

TEST_F(SlotOf, MapsALargeObjectsFirstBlockToItsOneSlot) {
    for (const BlockKind kind : test::kContainerKinds) {
        void* p = allocate(kind, 3 * kBlockSize);
        const Block* block = block_of(p);
        const auto* start = reinterpret_cast<const char*>(start_of(block));
        ASSERT_NE(block->first_slot, 0u);
        for (size_t offset = 0; offset < kBlockSize; offset += 8) {
            ASSERT_EQ(slot_of(start + offset), block->first_slot);
        }
        for (size_t offset = kBlockSize; offset < 3 * kBlockSize; offset += 8) {
            ASSERT_EQ(slot_of(start + offset), 0u);
        }
        free(p);
    }
}

TEST_F(SlotOf, MapsWhatHasNoMetadataToSlotZero) {
    void* atom = allocate(BlockKind::kAtom, 48);
    void* buffer = allocate(BlockKind::kBuffer, 48);
    void* large = allocate(BlockKind::kBuffer, kBlockSize);
    const int on_stack = 0;
    const char* const none[] = {
        static_cast<const char*>(atom),
        static_cast<const char*>(atom) + 47,
        static_cast<const char*>(buffer),
        static_cast<const char*>(large),
        static_cast<const char*>(large) + kBlockSize - 1,
        nullptr,
        reinterpret_cast<const char*>(&on_stack),
        reinterpret_cast<const char*>(tables.base) - 1,
        reinterpret_cast<const char*>(tables.base + tables.size - 1),
        reinterpret_cast<const char*>(tables.base + tables.size),
        reinterpret_cast<const char*>(std::numeric_limits<uintptr_t>::max())};
    for (const char* p : none) {
        EXPECT_EQ(slot_of(p), 0u) << static_cast<const void*>(p);
        EXPECT_FALSE(has_metadata(p)) << static_cast<const void*>(p);
    }
    void* container = allocate(BlockKind::kContainer, 48);
    EXPECT_TRUE(has_metadata(container));
    free(container);
    free(large);
    free(buffer);
    free(atom);
}

// A block that went back no longer has slots.
TEST_F(SlotOf, MapsABlockThatWentBackToSlotZero) {
    void* p = allocate(BlockKind::kContainer, 48);
    void* large = allocate(BlockKind::kContainer, kBlockSize);
    free(p);
    free(large);
    purge();
    EXPECT_EQ(slot_of(p), 0u);
    EXPECT_EQ(slot_of(large), 0u);
}

}  // namespace
}  // namespace ouro::heap
