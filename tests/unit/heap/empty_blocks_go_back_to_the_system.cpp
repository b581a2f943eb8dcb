// When everything is freed, all blocks go back, whoever allocated and whoever freed, and so does the
// resident memory, that of the side tables included.

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "core/event/events.hpp"
#include "tests/support/heap_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::heap {
namespace {

using EmptyBlocks = test::HeapTest;

void on_another_thread(auto work) {
    std::thread([&] {
        attach_thread();
        work();
        detach_thread();
    }).join();
}

TEST_F(EmptyBlocks, OfEveryKindAndClassGoBack) {
    purge();
    const Usage before = usage();
    std::vector<void*> objects;
    for (const BlockKind kind : test::kAllKinds) {
        for (unsigned cls = 2; cls < kClasses; ++cls) {
            const size_t a_block = kBlockSize / slot_size(cls);
            for (size_t i = 0; i < a_block + 2; i += std::max<size_t>(a_block / 64, 1)) {
                objects.push_back(allocate(kind, slot_size(cls) - kPrefix));
            }
        }
    }
    EXPECT_GT(usage().heap_bytes, before.heap_bytes);
    for (void* p : objects) {
        free(p);
    }
    purge();
    EXPECT_EQ(usage().heap_bytes, before.heap_bytes);
    EXPECT_EQ(usage().metadata_bytes, before.metadata_bytes);
}

// One object in each of many blocks keeps its block and no other.
TEST_F(EmptyBlocks, GoBackThoughOthersAreInUse) {
    purge();
    const size_t before = usage().heap_bytes;
    constexpr size_t kBlocks = 64;
    const size_t a_block = kBlockSize / 64;
    std::vector<void*> objects;
    for (size_t i = 0; i < kBlocks * a_block; ++i) {
        objects.push_back(allocate(BlockKind::kContainer, 64));
    }
    EXPECT_EQ(usage().heap_bytes, before + kBlocks * kBlockSize);
    for (size_t i = 0; i < objects.size(); ++i) {
        if (i % (2 * a_block) != a_block / 2) {
            free(objects[i]);
        }
    }
    purge();
    EXPECT_EQ(usage().heap_bytes, before + kBlocks / 2 * kBlockSize);
    for (size_t i = a_block / 2; i < objects.size(); i += 2 * a_block) {
        free(objects[i]);
    }
    purge();
    EXPECT_EQ(usage().heap_bytes, before);
}

TEST_F(EmptyBlocks, FreedByAnotherThreadGoBack) {
    purge();
    const size_t before = usage().heap_bytes;
    std::vector<void*> objects;
    for (int i = 0; i < 50'000; ++i) {
        objects.push_back(allocate(BlockKind::kContainer, 64));
    }
    on_another_thread([&] {
        for (void* p : objects) {
            free(p);
        }
    });
    purge();
    EXPECT_EQ(usage().heap_bytes, before);
}

TEST_F(EmptyBlocks, OfAThreadThatHasEndedGoBack) {
    purge();
    const size_t before = usage().heap_bytes;
    std::vector<void*> objects;
    on_another_thread([&] {
        for (int i = 0; i < 50'000; ++i) {
            objects.push_back(allocate(BlockKind::kContainer, 80));
        }
    });
    for (void* p : objects) {
        free(p);
    }
    purge();
    EXPECT_EQ(usage().heap_bytes, before);
}

// A block that other threads emptied while its owner allocated from it, and that the owner then left
// for another one, is empty as any other.
TEST_F(EmptyBlocks, LeftByTheirOwnerForAnotherGoBack) {
    purge();
    const size_t before = usage().heap_bytes;
    constexpr size_t kSize = 1024;
    const size_t a_block = kBlockSize / kSize;
    std::vector<void*> first;
    std::vector<void*> second;
    for (size_t i = 0; i < a_block; ++i) {
        first.push_back(allocate(BlockKind::kContainer, kSize));
    }
    for (size_t i = 0; i < a_block; ++i) {
        second.push_back(allocate(BlockKind::kContainer, kSize));
    }
    free(first.back());  // the first block has room again
    first.pop_back();
    on_another_thread([&] {
        for (void* p : second) {
            free(p);
        }
    });
    // Finds its block full, hears of the frees, and may allocate from either block.
    first.push_back(allocate(BlockKind::kContainer, kSize));
    for (void* p : first) {
        free(p);
    }
    purge();
    EXPECT_EQ(usage().heap_bytes, before);
}

TEST_F(EmptyBlocks, TakeTheirResidentMemoryWithThem) {
    if (test::kSanitized) {
        GTEST_SKIP() << "a sanitizer's shadow memory does not shrink";
    }
    purge();
    const size_t bytes = test::scaled(size_t{192} << 20, size_t{32} << 20);
    std::vector<void*> objects(bytes / 48);
    std::memset(objects.data(), 1, objects.size() * sizeof(void*));  // resident before and after
    std::mt19937_64 random(test::seed());
    const size_t before = event::resident_bytes();
    for (void*& p : objects) {
        p = allocate(BlockKind::kContainer, 48);
        std::memset(p, 1, 48);
        // As a collection does, which leaves its counts at zero.
        tables.mark[slot_of(p)] = kBlack;
        *static_cast<volatile int8_t*>(&tables.near_count[slot_of(p)]) = 0;
        *static_cast<volatile uint32_t*>(&tables.count[slot_of(p)]) = 0;
    }
    EXPECT_GE(event::resident_bytes(), before + bytes);
    std::ranges::shuffle(objects, random);
    for (void* p : objects) {
        free(p);
    }
    purge();
    EXPECT_LE(event::resident_bytes(), before + bytes / 20 + (size_t{4} << 20));
}

}  // namespace
}  // namespace ouro::heap
