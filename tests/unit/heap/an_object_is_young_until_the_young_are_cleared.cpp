// The young bit of a container is set from its allocation until clear_young, whatever its size, its
// kind, the thread that allocated it or the history of its slot.

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

using AnObject = test::HeapTest;

constexpr size_t kYoungSizes[] = {16, 48, 512, 1000, kLargestSlot - kPrefix};

TEST_F(AnObject, IsYoungUntilTheYoungAreCleared) {
    for (const BlockKind kind : test::kContainerKinds) {
        for (const size_t size : kYoungSizes) {
            std::vector<void*> objects;
            for (int i = 0; i < 200; ++i) {
                objects.push_back(allocate(kind, size));
                ASSERT_TRUE(test::is_young(objects.back()));
            }
            clear_young();
            for (const void* p : objects) {
                ASSERT_FALSE(test::is_young(p)) << test::name_of(kind) << " of " << size;
            }
            void* later = allocate(kind, size);
            EXPECT_TRUE(test::is_young(later));
            for (const void* p : objects) {
                ASSERT_FALSE(test::is_young(p)) << "made young by a neighbour";
            }
            free(later);
            for (void* p : objects) {
                free(p);
            }
        }
    }
}

TEST_F(AnObject, IsYoungAgainInASlotThatWasOld) {
    void* keep = allocate(BlockKind::kContainer, 48);
    void* p = allocate(BlockKind::kContainer, 48);
    clear_young();
    free(p);
    void* again = allocate(BlockKind::kContainer, 48);
    EXPECT_EQ(again, p);
    EXPECT_TRUE(test::is_young(again));
    EXPECT_FALSE(test::is_young(keep));
    free(again);
    free(keep);
}

TEST_F(AnObject, ThatIsLargeIsYoungUntilTheYoungAreCleared) {
    for (const BlockKind kind : test::kContainerKinds) {
        void* p = allocate(kind, kBlockSize);
        EXPECT_TRUE(test::is_young(p));
        clear_young();
        EXPECT_FALSE(test::is_young(p)) << test::name_of(kind);
        free(p);
    }
}

// What is neither young nor of middle age is old: clear_young makes everything old, make_young makes
// one object young again, and a new one is never of middle age, whatever its slot was.
TEST_F(AnObject, IsOfOneAge) {
    for (const BlockKind kind : test::kContainerKinds) {
        for (const size_t size : {size_t{48}, size_t{5000}, kBlockSize}) {
            void* neighbour = allocate(kind, size);
            void* p = allocate(kind, size);
            const auto set_middle = [](const void* of) {
                tables.middle[slot_of(of) / 64] |= uint64_t{1} << slot_of(of) % 64;
            };
            const auto is_middle = [](const void* of) {
                return (tables.middle[slot_of(of) / 64] >> slot_of(of) % 64 & 1) != 0;
            };
            EXPECT_FALSE(is_middle(p));
            clear_young();
            make_young(p);
            EXPECT_TRUE(test::is_young(p));
            EXPECT_FALSE(test::is_young(neighbour));
            make_young(p);
            clear_young();
            EXPECT_FALSE(test::is_young(p));

            make_young(p);
            set_middle(p);
            set_middle(neighbour);
            clear_young();
            EXPECT_FALSE(is_middle(p));
            EXPECT_FALSE(is_middle(neighbour) && block_of(p) == block_of(neighbour));
            set_middle(p);
            make_young(p);
            EXPECT_FALSE(is_middle(p));
            clear_young();
            set_middle(p);
            free(p);
            p = allocate(kind, size);
            EXPECT_FALSE(is_middle(p));
            EXPECT_TRUE(test::is_young(p));
            free(p);
            free(neighbour);
        }
    }
}

// The bits of other threads' objects are cleared too: of threads that run, that have ended, and of
// those whose block was adopted since.
TEST_F(AnObject, OfAnotherThreadIsYoungUntilTheYoungAreCleared) {
    void* theirs = nullptr;
    std::thread([&] {
        attach_thread();
        theirs = allocate(BlockKind::kContainer, 208);
        detach_thread();
    }).join();
    EXPECT_TRUE(test::is_young(theirs));
    clear_young();
    EXPECT_FALSE(test::is_young(theirs));

    std::thread([&] {
        attach_thread();
        free(theirs);
        theirs = allocate(BlockKind::kContainer, 208);
        detach_thread();
    }).join();
    void* mine = allocate(BlockKind::kContainer, 208);  // from the adopted block
    EXPECT_EQ(block_of(mine), block_of(theirs));
    EXPECT_TRUE(test::is_young(theirs));
    EXPECT_TRUE(test::is_young(mine));
    clear_young();
    EXPECT_FALSE(test::is_young(theirs));
    EXPECT_FALSE(test::is_young(mine));
    free(mine);
    free(theirs);
}

// No bit of the whole table stays set, also none of blocks that were given back while young.
TEST_F(AnObject, LeavesNoBitBehind) {
    std::vector<void*> objects;
    for (int i = 0; i < 30'000; ++i) {
        objects.push_back(allocate(test::kContainerKinds[i % 2], 48 + 16 * (i % 5)));
    }
    for (size_t i = 0; i < objects.size(); i += 2) {
        free(objects[i]);
    }
    uint32_t highest = 0;
    for_each_container_block([&](const Block* block) {
        highest = std::max(highest, block->first_slot + block->capacity);
    });
    for (size_t i = 1; i < objects.size(); i += 2) {
        free(objects[i]);
    }
    clear_young();
    for (uint32_t word = 0; word <= highest / 64; ++word) {
        ASSERT_EQ(tables.young[word], 0u) << "slots from " << word * 64;
    }
}

}  // namespace
}  // namespace ouro::heap
