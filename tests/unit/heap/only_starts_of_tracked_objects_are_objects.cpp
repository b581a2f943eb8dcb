// address_is_object accepts the starts of tracked objects and nothing else, for any value: asked for
// every byte of a heap with all kinds of memory in it, and for values that lie nowhere near one.

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/heap_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::heap {
namespace {

using OnlyStarts = test::HeapTest;

constexpr size_t kSizesOfAll[] = {16,     32,    48,    80,         496,
                                  512,    576,   1000,  1024,       5000,
                                  16000,  16384, 16385, kBlockSize, kBlockSize + 1,
                                  700'000};

// Memory of each kind and size: tracked, untracked and freed in turn.
struct MixedMemory {
    std::vector<void*> live, freed;
    std::vector<uintptr_t> tracked;  // sorted

    explicit MixedMemory(std::mt19937_64& random) {
        for (const BlockKind kind : test::kAllKinds) {
            for (const size_t size : kSizesOfAll) {
                for (int i = 0; i < (size > kLargestSlot ? 3 : 60); ++i) {
                    add(kind, size, i < 3 ? static_cast<unsigned>(i) : random() % 3);
                }
            }
        }
        std::ranges::sort(tracked);
    }
    ~MixedMemory() {
        for (void* p : live) {
            heap::free(p);
        }
    }
    MixedMemory(const MixedMemory&) = delete;
    MixedMemory& operator=(const MixedMemory&) = delete;

private:
    void add(BlockKind kind, size_t size, uint64_t fate) {
        void* p = allocate(kind, size);
        if (is_container_kind(kind)) {
            test::set_tracked(p, fate != 1);
        }
        if (fate == 2) {
            heap::free(p);
            freed.push_back(p);
            // The slot may have been given out again, or be given out again.
            std::erase(tracked, reinterpret_cast<uintptr_t>(p));
            return;
        }
        live.push_back(p);
        std::erase(freed, p);
        if (is_container_kind(kind) && fate == 0) {
            tracked.push_back(reinterpret_cast<uintptr_t>(p));
        }
    }
};

TEST_F(OnlyStarts, AmongEveryByteOfTheHeap) {
    std::mt19937_64 random(test::seed());
    const MixedMemory population(random);
    ASSERT_GT(population.tracked.size(), 300u);
    ASSERT_FALSE(population.freed.empty());
    const uintptr_t end = tables.base + (block_limit() << kBlockShift);
    auto next = population.tracked.begin();
    for (uintptr_t address = tables.base; address < end; ++address) {
        const bool expected = next != population.tracked.end() && *next == address;
        next += expected ? 1 : 0;
        ASSERT_EQ(address_is_object(reinterpret_cast<const void*>(address)), expected)
            << "at " << std::hex << address << ", block of kind "
            << test::name_of(block_of(reinterpret_cast<void*>(address))->kind);
    }
    EXPECT_EQ(next, population.tracked.end());
}

TEST_F(OnlyStarts, WhateverTheValue) {
    std::mt19937_64 random(test::seed());
    const MixedMemory population(random);
    const auto is_object = [](uintptr_t value) {
        return address_is_object(reinterpret_cast<const void*>(value));
    };
    for (const uintptr_t value :
         {uintptr_t{0}, uintptr_t{1}, uintptr_t{16}, tables.base - 16, tables.base - 1,
          tables.base + (block_limit() << kBlockShift), tables.base + tables.size / 2,
          tables.base + tables.size - 16, tables.base + tables.size - 1, tables.base + tables.size,
          reinterpret_cast<uintptr_t>(&random), reinterpret_cast<uintptr_t>(&tables),
          reinterpret_cast<uintptr_t>(tables.state), reinterpret_cast<uintptr_t>(tables.blocks),
          std::numeric_limits<uintptr_t>::max(), std::numeric_limits<uintptr_t>::max() - 15}) {
        EXPECT_FALSE(is_object(value)) << std::hex << value;
    }
    const size_t many = test::scaled(2'000'000, 10'000);
    for (size_t i = 0; i < many; ++i) {
        // Anywhere at all, anywhere in the reservation, and an object with some bits changed.
        const uintptr_t near = population.tracked[random() % population.tracked.size()];
        for (const uintptr_t value : {uintptr_t{random()}, tables.base + random() % tables.size,
                                      near ^ uintptr_t{1} << random() % 64}) {
            ASSERT_EQ(is_object(value), std::ranges::binary_search(population.tracked, value))
                << std::hex << value;
        }
    }
}

TEST_F(OnlyStarts, AndOnlyWhileTracked) {
    for (const BlockKind kind : test::kContainerKinds) {
        for (const size_t size : kSizesOfAll) {
            void* p = allocate(kind, size);
            EXPECT_FALSE(address_is_object(p)) << "new, " << size;
            test::set_tracked(p, true);
            EXPECT_TRUE(address_is_object(p)) << size;
            test::set_tracked(p, false);
            EXPECT_FALSE(address_is_object(p)) << "untracked, " << size;
            test::set_tracked(p, true);
            free(p);
            EXPECT_FALSE(address_is_object(p)) << "freed while tracked, " << size;
        }
    }
    purge();
}

}  // namespace
}  // namespace ouro::heap
