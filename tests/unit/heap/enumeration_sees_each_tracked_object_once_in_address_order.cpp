// Walking the blocks of containers and their state bytes finds each tracked object once, in address
// order, and nothing else, while objects of all kinds come and go.

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "core/heap/view.hpp"
#include "tests/support/heap_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::heap {
namespace {

using Enumeration = test::HeapTest;

std::vector<void*> enumerate() {
    std::vector<void*> seen;
    for_each_container_block([&](const Block* block) {
        heap::HeapView<heap::Stopped>().for_each_tracked(
            block, [&](uint32_t slot) { seen.push_back(object_at(block, slot)); });
    });
    return seen;
}

struct ChangingPopulation {
    std::mt19937_64 random{test::seed()};
    std::vector<void*> live;
    std::set<void*> tracked;

    size_t random_size() {
        switch (random() % 64) {
            case 0:
                return kLargestSlot + 1 + random() % (2 * kBlockSize);
            case 1:
                return 1 + random() % kLargestSlot;
            default:
                return 16 + random() % 240;
        }
    }
    void add() {
        const BlockKind kind = test::kAllKinds[random() % 4];
        void* p = allocate(kind, std::max<size_t>(random_size(), 16));
        ASSERT_NE(p, nullptr);
        live.push_back(p);
        if (is_container_kind(kind) && random() % 4 != 0) {
            test::set_tracked(p, true);
            tracked.insert(p);
        }
    }
    void drop() {
        if (!live.empty()) {
            std::swap(live[random() % live.size()], live.back());
            heap::free(live.back());
            tracked.erase(live.back());
            live.pop_back();
        }
    }
    void change() {
        if (!live.empty()) {
            void* p = live[random() % live.size()];
            if (has_metadata(p)) {
                test::set_tracked(p, tracked.erase(p) == 0);
                if ((test::state_of(p) & kTracked) != 0) {
                    tracked.insert(p);
                }
            }
        }
    }
    void check() const {
        const std::vector<void*> seen = enumerate();
        ASSERT_TRUE(std::ranges::equal(seen, tracked));  // a set is in address order
        ASSERT_EQ(tracked_count(), tracked.size());
    }
};

TEST_F(Enumeration, AgreesWithASetWhileObjectsComeAndGo) {
    ChangingPopulation population;
    const size_t steps = test::scaled(4000, 200);
    for (int round = 0; round < 24; ++round) {
        // Grows, stays and shrinks, so that blocks are taken, emptied and given back.
        const unsigned growth = round % 6 < 3 ? 3 : 1;
        for (size_t i = 0; i < steps; ++i) {
            if (population.random() % 4 < growth) {
                population.add();
            } else {
                population.drop();
            }
            if (i % 8 == 0) {
                population.change();
            }
        }
        population.check();
        if (round % 5 == 4) {
            purge();
            population.check();
        }
    }
    while (!population.live.empty()) {
        population.drop();
    }
    EXPECT_TRUE(enumerate().empty());
    purge();
    EXPECT_TRUE(enumerate().empty());
}

// The walk reads eight state bytes at a time and ends at the last slot given out: every number of
// objects in a block is seen, the last one included.
TEST_F(Enumeration, EndsWithTheLastSlotGivenOut) {
    for (const BlockKind kind : test::kContainerKinds) {
        const size_t size = 1024 - (kind == BlockKind::kPrefixed ? kPrefix : 0);
        std::vector<void*> objects;
        for (size_t i = 1; i <= 2 * kBlockSize / 1024; ++i) {
            objects.push_back(allocate(kind, size));
            test::set_tracked(objects.back(), true);
            std::vector<void*> sorted = objects;
            std::ranges::sort(sorted);
            ASSERT_EQ(enumerate(), sorted) << i << " objects";
        }
        for (void* p : objects) {
            free(p);
        }
        ASSERT_TRUE(enumerate().empty());
    }
}

}  // namespace
}  // namespace ouro::heap
