// label: concurrency
// Workers that share segments do all of the work, each item once, and all end when it is done: also
// where one has everything at first, where the pool is full, and where nobody has anything.

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "concurrency/worklist/executor.hpp"
#include "concurrency/worklist/shared_segments.hpp"
#include "tests/support/scale.hpp"

namespace ouro::worklist {
namespace {

using Segments = SharedSegments<unsigned, 8, 2>;

// Worker 0 begins with `roots` items of height `height`; each item makes two of the height below.
// Returns how many items each worker saw.
std::vector<size_t> grow_trees(unsigned workers, size_t roots, unsigned height) {
    Executor executor(workers);
    Segments segments;
    std::vector<size_t> seen(workers);
    executor.run([&](unsigned worker) {
        std::vector<unsigned> stack;
        if (worker == 0) {
            stack.assign(roots, height);
        }
        segments.enter();
        do {
            while (!stack.empty()) {
                if (segments.wanted() && stack.size() >= 2 * Segments::kSegment) {
                    if (segments.give(stack.data() + stack.size() - Segments::kSegment)) {
                        stack.resize(stack.size() - Segments::kSegment);
                        continue;
                    }
                }
                const unsigned item = stack.back();
                stack.pop_back();
                ++seen[worker];
                if (item > 0) {
                    stack.insert(stack.end(), 2, item - 1);
                }
            }
        } while (segments.take(stack));
    });
    return seen;
}

size_t total(const std::vector<size_t>& seen) {
    size_t sum = 0;
    for (const size_t count : seen) {
        sum += count;
    }
    return sum;
}

TEST(SharedSegments, LoseNoWorkAndDoNoneTwice) {
    for (const unsigned workers : {1u, 2u, 3u, 5u}) {
        for (size_t round = 0; round < test::scaled(20, 3); ++round) {
            const std::vector<size_t> seen = grow_trees(workers, 100, 9);
            EXPECT_EQ(total(seen), 100u * 1023);
        }
    }
}

TEST(SharedSegments, EndWhereNobodyHasAnything) {
    for (const unsigned workers : {1u, 2u, 7u}) {
        EXPECT_EQ(total(grow_trees(workers, 0, 0)), 0u);
    }
}

TEST(SharedSegments, RefuseMoreThanThePoolHolds) {
    Segments segments;
    const std::vector<unsigned> items(Segments::kSegment, 3);
    segments.enter();
    EXPECT_FALSE(segments.wanted()) << "everybody has work";
    EXPECT_TRUE(segments.give(items.data()));
    EXPECT_TRUE(segments.give(items.data()));
    EXPECT_FALSE(segments.give(items.data()));
    std::vector<unsigned> taken;
    EXPECT_TRUE(segments.take(taken));
    EXPECT_TRUE(segments.take(taken));
    EXPECT_EQ(taken, std::vector<unsigned>(2 * Segments::kSegment, 3));
    EXPECT_FALSE(segments.take(taken)) << "nobody is left who could give";
}

}  // namespace
}  // namespace ouro::worklist
