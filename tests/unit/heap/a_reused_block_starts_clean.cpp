// A block's next user, of another size class, kind or shape, finds none of the metadata of the one
// before: state, mark, count, lock and age of all its slots are zero, and its map is its own.

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

using AReusedBlock = test::HeapTest;

// What mutators and a collection leave. Counts are zero outside a pause.
void make_dirty(void* p) {
    const uint32_t slot = slot_of(p);
    if (slot != 0) {
        tables.state[slot] |= kTracked | kFinalized;
        tables.mark[slot] = kBlack | kCondemned;
        tables.middle[slot / 64] |= uint64_t{1} << (slot % 64);
    }
    std::memset(p, 0xEE, usable_size(p));
}

// Three blocks of it, so that the first two are given back when they are empty.
std::vector<void*> fill_dirty(BlockKind kind, size_t size) {
    std::vector<void*> objects;
    const size_t slot = size > kLargestSlot ? kBlockSize : slot_size(size_class(size + kPrefix));
    for (size_t i = 0; i < 3 * kBlockSize / slot; ++i) {
        objects.push_back(allocate(kind, size));
        make_dirty(objects.back());
    }
    return objects;
}

// One object in a new block: its slot is allocated and young, all others are as if never used.
void expect_clean(BlockKind kind, size_t size, uintptr_t highest_used) {
    void* p = allocate(kind, size);
    EXPECT_LE(reinterpret_cast<uintptr_t>(p), highest_used) << "the block was not used before";
    if (is_container_kind(kind)) {
        const Block* block = block_of(p);
        ASSERT_EQ(block->bump, 1u) << "not a new block";
        const uint32_t own = slot_of(p);
        const uint32_t slots = (block->capacity + 63) / 64 * 64;
        for (uint32_t slot = block->first_slot; slot < block->first_slot + slots; ++slot) {
            ASSERT_EQ(tables.state[slot], slot == own ? kAllocated : 0) << slot - own;
            ASSERT_EQ(tables.mark[slot], 0) << slot - own;
            ASSERT_EQ(tables.near_count[slot], 0) << slot - own;
            ASSERT_EQ(tables.count[slot], 0u) << slot - own;
            ASSERT_EQ(tables.lock[slot], 0) << slot - own;
            ASSERT_EQ(tables.middle[slot / 64] >> (slot % 64) & 1, 0u);
            ASSERT_EQ(tables.young[slot / 64] >> (slot % 64) & 1, slot == own ? 1u : 0u);
        }
    }
    free(p);
}

// Sizes whose slot numbers end at different places of a word, and a large one.
constexpr size_t kReusedSizes[] = {
    16, 48, 80, 240, 576, 1024, 7000, kLargestSlot - kPrefix, kBlockSize - kPrefix};

void reuse_in_every_shape(bool return_memory) {
    for (const BlockKind from : test::kAllKinds) {
        for (const size_t from_size : kReusedSizes) {
            for (const BlockKind to : test::kContainerKinds) {
                for (const size_t to_size : kReusedSizes) {
                    if (from == to && from_size == to_size) {
                        continue;
                    }
                    std::vector<void*> objects = fill_dirty(from, from_size);
                    const auto highest =
                        reinterpret_cast<uintptr_t>(*std::ranges::max_element(objects)) +
                        kBlockSize;
                    test::free_all(objects);
                    if (return_memory) {
                        purge();
                    }
                    expect_clean(to, to_size, highest);
                    if (testing::Test::HasFatalFailure()) {
                        FAIL() << test::name_of(from) << " of " << from_size << " became "
                               << test::name_of(to) << " of " << to_size;
                    }
                    purge();
                }
            }
        }
    }
}

TEST_F(AReusedBlock, StartsCleanWhileItsMemoryIsStillThere) {
    reuse_in_every_shape(false);
}

TEST_F(AReusedBlock, StartsCleanAfterItsMemoryWentBack) {
    reuse_in_every_shape(true);
}

}  // namespace
}  // namespace ouro::heap
