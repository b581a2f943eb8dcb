// What is larger than the largest slot has whole blocks of its own: it is found by its start, freed
// alone, and its memory goes back. A size that no memory could have gives NULL and changes nothing.

#include <cstring>
#include <limits>
#include <vector>

#include "core/event/events.hpp"
#include "core/include/Python.h"
#include "tests/support/heap_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::heap {
namespace {

using ALargeObject = test::HeapTest;

constexpr size_t kLargeSizes[] = {
    kLargestSlot + 1, 100'000,        kBlockSize - 16,       kBlockSize,
    kBlockSize + 1,   3 * kBlockSize, 10 * kBlockSize + 4096};

TEST_F(ALargeObject, HasItsBlocksAlone) {
    for (const BlockKind kind : test::kAllKinds) {
        const size_t prefix = kind == BlockKind::kPrefixed ? kPrefix : 0;
        for (const size_t size : kLargeSizes) {
            const size_t before = usage().heap_bytes;
            void* p = allocate(kind, size);
            ASSERT_NE(p, nullptr);
            const size_t blocks = (size + prefix + kBlockSize - 1) / kBlockSize;
            EXPECT_EQ(usage().heap_bytes, before + blocks * kBlockSize) << size;
            EXPECT_EQ(reinterpret_cast<uintptr_t>(p), start_of(block_of(p)) + prefix);
            EXPECT_GE(usable_size(p), size);
            EXPECT_LE(prefix + usable_size(p), blocks * kBlockSize) << test::name_of(kind) << size;
            EXPECT_LE(usable_size(p) - size, kPage);
            std::memset(p, 0x5A, usable_size(p));
            free(p);
            EXPECT_EQ(usage().heap_bytes, before);
        }
    }
}

TEST_F(ALargeObject, IsFoundByItsStart) {
    for (const BlockKind kind : test::kContainerKinds) {
        for (const size_t size : kLargeSizes) {
            auto* p = static_cast<char*>(allocate(kind, size));
            test::set_tracked(p, true);
            EXPECT_TRUE(address_is_object(p));
            EXPECT_EQ(tracked_count(), 1u);
            size_t blocks = 0;
            for_each_container_block([&](const Block* block) {
                blocks += block->is_large ? 1 : 0;
                if (block->is_large) {
                    EXPECT_EQ(reinterpret_cast<char*>(object_at(block, 0)), p);
                    EXPECT_EQ(block->bump, 1u);
                }
            });
            EXPECT_EQ(blocks, 1u);
            for (size_t offset = 1; offset < size; offset += offset < 64 ? 1 : 4099) {
                ASSERT_FALSE(address_is_object(p + offset)) << size << " + " << offset;
            }
            free(p);
            EXPECT_EQ(tracked_count(), 0u);
        }
    }
}

TEST_F(ALargeObject, DoesNotDisturbItsNeighbours) {
    std::vector<char*> objects;
    for (int i = 0; i < 9; ++i) {
        objects.push_back(static_cast<char*>(allocate(BlockKind::kContainer, 300'000)));
        std::memset(objects.back(), i, 300'000);
    }
    for (size_t i = 0; i < objects.size(); i += 2) {
        free(objects[i]);
    }
    // The gaps are used again, by what fits.
    auto* between = static_cast<char*>(allocate(BlockKind::kContainer, 2 * kBlockSize));
    EXPECT_LT(between, objects.back());
    std::memset(between, 0x7F, 2 * kBlockSize);
    for (size_t i = 1; i < objects.size(); i += 2) {
        for (size_t offset = 0; offset < 300'000; ++offset) {
            ASSERT_EQ(objects[i][offset], static_cast<char>(i));
        }
        free(objects[i]);
    }
    free(between);
}

TEST_F(ALargeObject, GivesItsMemoryBackToTheSystem) {
    if (test::kSanitized) {
        GTEST_SKIP() << "a sanitizer's shadow memory does not shrink";
    }
    purge();
    const size_t bytes = test::scaled(size_t{128} << 20, size_t{32} << 20);
    const size_t before = event::resident_bytes();
    void* p = allocate(BlockKind::kBuffer, bytes);
    std::memset(p, 1, bytes);
    EXPECT_GE(event::resident_bytes(), before + bytes);
    free(p);
    purge();
    EXPECT_LE(event::resident_bytes(), before + bytes / 8);
    // Memory that comes back from the system is usable again.
    p = allocate(BlockKind::kBuffer, bytes);
    std::memset(p, 2, bytes);
    free(p);
    purge();
    EXPECT_LE(event::resident_bytes(), before + bytes / 8);
}

TEST_F(ALargeObject, ThatNoMemoryCouldHoldIsRefused) {
    const size_t before = usage().heap_bytes;
    for (const BlockKind kind : test::kAllKinds) {
        for (const size_t size :
             {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() - kPrefix,
              std::numeric_limits<size_t>::max() / 2, tables.size + 1, tables.size}) {
            EXPECT_EQ(allocate(kind, size), nullptr) << test::name_of(kind) << size;
        }
    }
    EXPECT_EQ(PyMem_Malloc(std::numeric_limits<size_t>::max()), nullptr);
    EXPECT_EQ(PyMem_Calloc(std::numeric_limits<size_t>::max() / 2, 3), nullptr);
    EXPECT_EQ(usage().heap_bytes, before);
    void* p = allocate(BlockKind::kContainer, kBlockSize);
    EXPECT_NE(p, nullptr);
    free(p);
}

}  // namespace
}  // namespace ouro::heap
