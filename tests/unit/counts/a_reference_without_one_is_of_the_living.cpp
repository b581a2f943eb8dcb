// Who holds no reference can take one only of an object that is certain to live
// (inv.count.no-resurrection); and who asks whether its reference is the only one is told so only when
// nobody can have another.

#include "concurrency/refcount/try_incref.hpp"

#include <gtest/gtest.h>

#include "tests/support/counted.hpp"

namespace ouro::refcount {
namespace {

using test::Counted;
using test::kMyWord;
using test::kOtherWord;
using test::kUnattachedWord;

constexpr uint32_t kWeak = OURO_SHARED_MAYBE_WEAKREF;
constexpr uint32_t kQueued = OURO_SHARED_QUEUED;

bool take(Counted& counted, uint32_t thread_word) {
    return try_incref(MemoryWord(&counted.biased), MemoryWord(&counted.shared), thread_word);
}

TEST(TryIncref, FailsOnTheDeadAndOnWhatItsOwnerMayEnd) {
    struct Row {
        const char* what;
        Counted counted;
        uint32_t thread_word;
    };
    const Row rows[] = {
        {"a free slot", {OURO_OWNER_WORD(OURO_OWNER_NONE), OURO_SHARED_DEAD}, kOtherWord},
        {"merged, dead", Counted::merged(0), kUnattachedWord},
        {"merged, dead, was readable", Counted::merged(0, kWeak), kOtherWord},
        {"merged, dead, was queued", Counted::merged(0, kQueued), kOtherWord},
        {"mine, its deallocation runs", Counted::owned(0), kMyWord},
        {"another's, its deallocation runs", Counted::owned(0), kOtherWord},
        {"another's, never shared", Counted::owned(3), kOtherWord},
    };
    for (const Row& row : rows) {
        Counted counted = row.counted;
        EXPECT_FALSE(take(counted, row.thread_word)) << row.what;
        EXPECT_EQ(counted, row.counted) << row.what;
    }
}

TEST(TryIncref, AddsOneWhereTheObjectLives) {
    struct Row {
        const char* what;
        Counted before, after;
        uint32_t thread_word;
    };
    const uint32_t full = OURO_BIASED_MAX;
    const Row rows[] = {
        {"mine", Counted::owned(1), Counted::owned(2), kMyWord},
        {"mine, full", Counted::owned(full), Counted::owned(OURO_SPILL, OURO_SPILL), kMyWord},
        {"another's, readable", Counted::owned(1, 0, kWeak), Counted::owned(1, 1, kWeak),
         kOtherWord},
        {"another's, shared", Counted::owned(1, 1), Counted::owned(1, 2), kOtherWord},
        {"another's, queued", Counted::owned(1, 0, kQueued), Counted::owned(1, 1, kQueued),
         kOtherWord},
        {"another's, below zero", Counted::owned(3, -2, kQueued), Counted::owned(3, -1, kQueued),
         kUnattachedWord},
        {"merged", Counted::merged(1), Counted::merged(2), kMyWord},
        {"immortal", Counted::immortal(0), Counted::immortal(0), kMyWord},
        {"stuck", Counted::owned(1, OURO_SHARED_STICKY), Counted::owned(1, OURO_SHARED_STICKY),
         kOtherWord},
        {"at the limit", Counted::merged(OURO_SHARED_LIMIT), Counted::merged(OURO_SHARED_STICKY),
         kOtherWord},
    };
    for (const Row& row : rows) {
        Counted counted = row.before;
        EXPECT_TRUE(take(counted, row.thread_word)) << row.what;
        EXPECT_EQ(counted, row.after) << row.what;
    }
}

// inv.count.quiet-death: with the flag the owner's end is a merge, and a reader before it is seen.
TEST(MaybeWeakref, MakesAnOwnedObjectReadable) {
    Counted counted = Counted::owned(1);
    EXPECT_FALSE(take(counted, kOtherWord));
    set_maybe_weakref(MemoryWord(&counted.shared));
    set_maybe_weakref(MemoryWord(&counted.shared));
    EXPECT_EQ(counted, Counted::owned(1, 0, kWeak));
    EXPECT_TRUE(take(counted, kOtherWord));
    EXPECT_EQ(counted.decref(kMyWord), Outcome::kAlive);
    EXPECT_EQ(counted.decref(kOtherWord), Outcome::kDead);
    EXPECT_EQ(counted, Counted::merged(0, kWeak));
}

TEST(Unique, IsTheOnlyReferenceThatThereCanBe) {
    const auto unique = [](Counted counted, uint32_t word) {
        return is_unique(MemoryWord(&counted.biased), MemoryWord(&counted.shared), word);
    };
    EXPECT_TRUE(unique(Counted::owned(1), kMyWord));
    EXPECT_TRUE(unique(Counted::merged(1), kMyWord));
    EXPECT_FALSE(unique(Counted::owned(2), kMyWord));
    EXPECT_FALSE(unique(Counted::owned(1, 1), kMyWord));
    EXPECT_FALSE(unique(Counted::owned(1), kOtherWord)) << "its owner could tell";
    EXPECT_FALSE(unique(Counted::owned(1, 0, kWeak), kMyWord)) << "a reader may come";
    EXPECT_FALSE(unique(Counted::merged(1, kWeak), kMyWord)) << "a reader may come";
    EXPECT_FALSE(unique(Counted::merged(2), kMyWord));
    EXPECT_FALSE(unique(Counted::immortal(0), kMyWord));
    EXPECT_FALSE(unique(Counted::owned(1, OURO_SHARED_STICKY), kMyWord));
}

}  // namespace
}  // namespace ouro::refcount
