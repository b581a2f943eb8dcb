// A random walk of increments and decrements over the two count words agrees, after every step, with
// a 64-bit counter: while the object is owned and after it is merged, across spills and take-backs.

#include <gtest/gtest.h>

#include <random>

#include "concurrency/refcount/merge.hpp"
#include "tests/support/counted.hpp"
#include "tests/support/scale.hpp"

namespace ouro::refcount {
namespace {

using test::Counted;
using test::kMyWord;
using test::kOtherWord;

struct Walk {
    Counted counted;
    int64_t expected;
    size_t spills = 0, take_backs = 0, merges = 0, queued = 0;

    void up(uint32_t thread_word) {
        const Counted before = counted;
        counted.incref(thread_word);
        ++expected;
        ASSERT_EQ(counted.count(), expected) << before << " -> " << counted;
        spills += OURO_SHARED_COUNT(counted.shared) - OURO_SHARED_COUNT(before.shared) >
                          static_cast<int32_t>(OURO_SPILL) / 2
                      ? 1
                      : 0;
        check_shape(before);
    }

    // Whether the object lives on.
    bool down(uint32_t thread_word) {
        const Counted before = counted;
        Outcome outcome = counted.decref(thread_word);
        if (outcome == Outcome::kQueue) {
            ++queued;
            EXPECT_EQ(counted.count(), expected) << "the queue's reference";
            const int32_t count =
                explicit_merge(MemoryWord(&counted.biased), MemoryWord(&counted.shared), -1);
            outcome = count == 0 ? Outcome::kDead : Outcome::kAlive;
        }
        --expected;
        EXPECT_EQ(counted.count(), expected) << before << " -> " << counted;
        EXPECT_EQ(outcome, expected == 0 ? Outcome::kDead : Outcome::kAlive)
            << before << " -> " << counted;
        if (before.owner() == test::kMe) {
            take_backs += OURO_BIASED_COUNT(counted.biased) > OURO_BIASED_COUNT(before.biased);
            merges += counted.is_merged();
        }
        check_shape(before);
        return outcome == Outcome::kAlive && !testing::Test::HasFailure();
    }

    // inv.count.merge-once: owned or merged, and never owned again.
    void check_shape(const Counted& before) const {
        ASSERT_EQ(counted.is_merged(), counted.owner() == OURO_OWNER_NONE) << counted;
        if (before.is_merged()) {
            ASSERT_TRUE(counted.is_merged()) << before << " -> " << counted;
        } else if (counted.owner() != OURO_OWNER_NONE) {
            ASSERT_EQ(counted.owner(), test::kMe);
        }
    }
};

// One life: drifts up and down over several spills until the last reference goes. While the object
// is owned, other threads take references; once it is merged, they drop them too.
void live(Walk& walk, std::mt19937_64& random, size_t steps, int64_t highest) {
    bool rising = true;
    while (true) {
        if (steps > 0) {
            --steps;
            if (walk.expected > highest || random() % 60'000 == 0) {
                rising = walk.expected < highest && random() % 2 == 0;
            }
        } else {
            rising = false;
        }
        const bool foreign = random() % 1024 == 0;
        if (random() % 16 < (rising ? 13u : 3u)) {
            walk.up(foreign ? kOtherWord : kMyWord);
            if (testing::Test::HasFailure()) {
                return;
            }
        } else if (!walk.down(foreign ? kOtherWord : kMyWord)) {
            return;
        }
    }
}

TEST(ACount, AgreesWhileItsObjectIsOwnedAndAfter) {
    std::mt19937_64 random(test::seed());
    size_t spills = 0, take_backs = 0, merges = 0, queued = 0;
    for (size_t life = 0; life < 16; ++life) {
        Walk walk{Counted::owned(1), 1};
        live(walk, random, test::scaled(1'000'000, 200'000), 300'000);
        ASSERT_FALSE(HasFailure());
        EXPECT_EQ(walk.expected, 0);
        spills += walk.spills;
        take_backs += walk.take_backs;
        merges += walk.merges;
        queued += walk.queued;
    }
    // The walk went where it was meant to go.
    EXPECT_GT(spills, 0u);
    EXPECT_GT(take_backs, 0u);
    EXPECT_GT(merges, 0u);
    EXPECT_GT(queued, 0u);
}

TEST(ACount, AgreesWhenItsObjectIsBornMerged) {
    std::mt19937_64 random(test::seed());
    for (size_t life = 0; life < 8; ++life) {
        Walk walk{Counted::merged(1), 1};
        live(walk, random, test::scaled(500'000, 100'000), 200'000);
        ASSERT_FALSE(HasFailure());
        EXPECT_EQ(walk.expected, 0);
        EXPECT_EQ(walk.counted.shared, OURO_SHARED_DEAD);
    }
}

// An object with 65,000 references that come and go is never merged: its owner takes back what it
// spilled (inv.count.take-back).
TEST(ACount, OfTheOwnerAloneIsNeverMergedBeforeItsEnd) {
    Walk walk{Counted::owned(1), 1};
    for (int round = 0; round < 3; ++round) {
        while (walk.expected < 150'000) {
            walk.up(kMyWord);
            ASSERT_FALSE(HasFailure());
        }
        while (walk.expected > 1) {
            ASSERT_TRUE(walk.down(kMyWord));
        }
        ASSERT_EQ(walk.counted, Counted::owned(1));
    }
    EXPECT_FALSE(walk.down(kMyWord));
    EXPECT_EQ(walk.merges, 0u);
    EXPECT_EQ(walk.take_backs, walk.spills);
    EXPECT_GE(walk.spills, 9u);
}

}  // namespace
}  // namespace ouro::refcount
