// A block of containers that is emptied while objects are traversed concurrently with mutators is no block of
// containers any more at once, but its memory and its slot numbers become something else only when the
// traversing thread has passed a quiescent point (inv.heap.map-first). What is freed meanwhile is handed
// over with its contents (inv.heap.freed-whole); and only what was old when the traversal began is old.

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "core/heap/traversed.hpp"
#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

std::vector<void*> handed_over;

// Some blocks of a size class: more than the thread keeps.
std::vector<void*> fill(BlockKind kind, size_t size, size_t blocks = 3) {
    std::vector<void*> objects;
    const size_t slot = size > kLargestSlot ? kBlockSize : slot_size(size_class(size));
    for (size_t i = 0; i < blocks * (kBlockSize / slot); ++i) {
        objects.push_back(allocate(kind, size));
    }
    return objects;
}

// A traversal by hand: the test is both threads.
class UnderATraversal : public test::HeapTest {
protected:
    void SetUp() override {
        HeapTest::SetUp();
        purge();
        traversal_epochs().add(reader_);
    }
    void TearDown() override {
        end();
        traversal_epochs().remove(reader_);
        HeapTest::TearDown();
    }

    void begin() {
        handed_over.clear();
        traversal_epochs().enter(reader_);
        const auto keep = [](void* p) { handed_over.push_back(p); };
        begin_traversal(keep, keep);
    }
    void quiesce() { traversal_epochs().quiesce(reader_); }
    static void give_back_all() {
        for (void* p : handed_over) {
            give_back(p);
        }
        handed_over.clear();
    }
    void end() {
        traversal_epochs().leave(reader_);
        end_traversal();
        give_back_all();
    }

    reclaim::Epochs::Reader reader_;
};

size_t block_number(const void* p) {
    return static_cast<size_t>(block_of(p) - tables.blocks);
}

std::set<size_t> blocks_of(const std::vector<void*>& objects) {
    std::set<size_t> blocks;
    for (const void* p : objects) {
        blocks.insert(block_number(p));
    }
    return blocks;
}

// The ranges of slot numbers of blocks, by their units.
std::set<uint32_t> units_of(const std::set<size_t>& blocks) {
    std::set<uint32_t> units;
    for (const size_t number : blocks) {
        const Block& block = tables.blocks[number];
        for (uint32_t slot = 0; slot < block.capacity; slot += 64) {
            units.insert((block.first_slot + slot) / 64);
        }
    }
    return units;
}

template <class T>
bool meet(const std::set<T>& a, const std::set<T>& b) {
    return std::ranges::any_of(a, [&](const T& value) { return b.contains(value); });
}

void expect_reused_late(size_t size, const auto& quiesce, const auto& give_back_all) {
    SCOPED_TRACE(size);
    std::vector<void*> objects = fill(BlockKind::kContainer, size);
    void* sample = objects.front();
    const std::set<size_t> old_blocks = blocks_of(objects);
    const std::set<uint32_t> old_units = units_of(old_blocks);
    test::set_tracked(sample, true);
    EXPECT_TRUE(address_is_object(sample));
    EXPECT_NE(container_block(block_number(sample)), nullptr);
    test::free_all(objects);
    EXPECT_FALSE(address_is_object(sample));
    EXPECT_NE(container_at(sample), 0u) << "only its state says that it is free";
    give_back_all();
    EXPECT_EQ(container_at(sample), 0u) << "an empty block is no block of containers";
    EXPECT_EQ(container_block(block_number(sample)), nullptr);

    // Blocks of every other shape, more than there were.
    std::vector<void*> others;
    for (const size_t other : {size_t{96}, size_t{2048}, 2 * kBlockSize}) {
        for (const BlockKind kind : test::kAllKinds) {
            const std::vector<void*> more = fill(kind, other, 2);
            others.insert(others.end(), more.begin(), more.end());
        }
    }
    const std::set<size_t> new_blocks = blocks_of(others);
    EXPECT_FALSE(meet(old_blocks, new_blocks)) << "its memory is used before a quiescent point";
    std::set<size_t> containers;
    std::ranges::copy_if(new_blocks, std::inserter(containers, containers.end()),
                         [](size_t n) { return is_container_kind(tables.blocks[n].kind); });
    EXPECT_FALSE(meet(old_units, units_of(containers))) << "its slot numbers are";

    // After one both are.
    quiesce();
    // Whose slot numbers fit into what one of these blocks had.
    const std::vector<void*> later = fill(BlockKind::kContainer, size < 1000 ? 112 : 8000, 4);
    EXPECT_TRUE(meet(old_blocks, blocks_of(later)));
    EXPECT_TRUE(meet(old_units, units_of(blocks_of(later))));
    others.insert(others.end(), later.begin(), later.end());
    test::free_all(others);
    give_back_all();
}

TEST_F(UnderATraversal, ABlockIsUsedAgainAfterAQuiescentPoint) {
    for (const size_t size : {size_t{48}, size_t{16000}, kBlockSize}) {
        begin();
        expect_reused_late(
            size, [this] { quiesce(); }, [] { give_back_all(); });
        end();
        purge();
    }
}

TEST_F(UnderATraversal, ABlockTakenForTheSameIsWhatItWas) {
    begin();
    std::vector<void*> objects = fill(BlockKind::kContainer, 208);
    void* sample = objects.front();
    const uint32_t slot = container_at(sample);
    test::free_all(objects);
    give_back_all();
    ASSERT_EQ(container_at(sample), 0u);
    objects = fill(BlockKind::kContainer, 208);
    EXPECT_EQ(container_at(sample), slot) << "same slots, so nobody need wait";
    EXPECT_TRUE(is_container_kind(block_of(sample)->kind));
    test::free_all(objects);
}

TEST_F(UnderATraversal, WhatIsFreedKeepsItsContents) {
    for (const BlockKind kind : test::kAllKinds) {
        for (const size_t size : {size_t{16}, size_t{48}, size_t{4096}, 3 * kBlockSize}) {
            SCOPED_TRACE(std::string(test::name_of(kind)) + " of " + std::to_string(size));
            auto* p = static_cast<unsigned char*>(allocate(kind, size));
            std::memset(p, 0x5A, size);
            begin();
            heap::free(p);
            ASSERT_EQ(handed_over, std::vector<void*>{p});
            // The count words of an object, which no traversal reads, say that it is dead.
            const size_t from = kind == BlockKind::kBuffer ? 0 : 8;
            EXPECT_EQ(std::count(p + from, p + size, 0x5A), static_cast<long>(size - from));
            if (is_container_kind(kind)) {
                EXPECT_EQ(test::state_of(p), 0);
            }
            EXPECT_NE(allocate(kind, size), p);
            end();
        }
    }
}

TEST_F(UnderATraversal, OnlyWhatWasOldWhenItBeganIsOld) {
    void* old = allocate(BlockKind::kContainer, 48);
    void* old_untracked = allocate(BlockKind::kContainer, 48);
    clear_young();
    void* middle = allocate(BlockKind::kContainer, 48);
    const uint32_t slot = slot_of(middle);
    tables.middle[slot / 64] |= bit_of(slot);
    tables.young[slot / 64] &= ~bit_of(slot);
    void* young = allocate(BlockKind::kContainer, 48);
    for (void* p : {old, middle, young}) {
        test::set_tracked(p, true);
    }
    begin();
    EXPECT_TRUE(is_old(slot_of(old)));
    EXPECT_FALSE(is_old(slot_of(old_untracked))) << "not tracked";
    EXPECT_FALSE(is_old(slot_of(middle)));
    EXPECT_FALSE(is_old(slot_of(young)));
    EXPECT_FALSE(is_old(0));

    void* born = allocate(BlockKind::kContainer, 48);
    test::set_tracked(born, true);
    EXPECT_FALSE(is_old(slot_of(born)));

    // Tracked again: its age stays what it was.
    for (void* p : {old, old_untracked, middle}) {
        test::set_tracked(p, false);
        make_young(p);
        test::set_tracked(p, true);
    }
    EXPECT_TRUE(is_old(slot_of(old)));
    EXPECT_TRUE(is_old(slot_of(old_untracked)));
    EXPECT_FALSE(is_old(slot_of(middle)));
    EXPECT_FALSE(test::is_young(middle));
    end();
    make_young(middle);
    EXPECT_TRUE(test::is_young(middle)) << "when nobody traverses it is made young";
    for (void* p : {old, old_untracked, middle, young, born}) {
        heap::free(p);
    }
}

class UnderATraversalDeathTest : public UnderATraversal {};

TEST_F(UnderATraversalDeathTest, WhatIsFreedTwiceIsReported) {
    for (const BlockKind kind : test::kContainerKinds) {
        for (const size_t size : {size_t{48}, 2 * kBlockSize}) {
            void* p = allocate(kind, size);
            begin();
            heap::free(p);
            EXPECT_DEATH(heap::free(p), "is not allocated") << test::name_of(kind);
            end();
        }
    }
}

}  // namespace
}  // namespace ouro::heap
