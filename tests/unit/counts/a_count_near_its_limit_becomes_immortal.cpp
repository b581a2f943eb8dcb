// Near the end of the shared half's 29 bits an object becomes immortal; its count never wraps
// (inv.count.no-wrap). Who may not write the biased half leaves the shared half stuck, which every
// path takes as immortal (inv.count.sticky). An immortal object is never counted, and what says so is
// readable by Py_REFCNT.

#include <gtest/gtest.h>

#include "concurrency/refcount/merge.hpp"
#include "core/include/Python.h"
#include "tests/support/counted.hpp"

namespace ouro::refcount {
namespace {

using test::Counted;
using test::kMyWord;
using test::kOtherWord;
using test::kUnattachedWord;

constexpr int32_t kLimit = OURO_SHARED_LIMIT;
constexpr int32_t kLargest = (1 << 28) - 1;  // of a signed 29-bit number

// Room for increments by threads that loaded the owner's word before it said "immortal": 2^24 less one.
static_assert(kLargest - kLimit > (1 << 24) - 2);
static_assert(kLimit > static_cast<int32_t>(OURO_SPILL));

TEST(NearItsLimit, AMergedObjectBecomesImmortal) {
    Counted counted = Counted::merged(kLimit - 1);
    counted.incref(kUnattachedWord);
    EXPECT_EQ(counted, Counted::merged(kLimit)) << "immortal too early";
    counted.incref(kUnattachedWord);
    EXPECT_TRUE(counted.is_immortal());
    EXPECT_GT(OURO_SHARED_COUNT(counted.shared), 0);
}

TEST(NearItsLimit, AnOwnedObjectBecomesImmortalByAnotherThreadsIncrement) {
    Counted counted = Counted::owned(2, kLimit, OURO_SHARED_MAYBE_WEAKREF);
    counted.incref(kOtherWord);
    const Counted stuck = Counted::owned(2, OURO_SHARED_STICKY, OURO_SHARED_MAYBE_WEAKREF);
    EXPECT_EQ(counted, stuck) << "its owner alone writes the biased half";
    EXPECT_TRUE(OURO_IS_IMMORTAL(counted.biased, counted.shared));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(counted.decref(kOtherWord), Outcome::kAlive);
    }
    EXPECT_EQ(counted, stuck);
    EXPECT_EQ(counted.decref(kMyWord), Outcome::kAlive);
    EXPECT_EQ(counted.decref(kMyWord), Outcome::kAlive) << "the owner's last";
    EXPECT_TRUE(counted.is_immortal());
}

TEST(NearItsLimit, AStuckObjectIsMergedAsImmortal) {
    for (Counted counted : {Counted::owned(2, OURO_SHARED_STICKY), Counted::owned(9, kLimit - 3)}) {
        EXPECT_EQ(explicit_merge(MemoryWord(&counted.biased), MemoryWord(&counted.shared), -1),
                  kImmortalCount);
        EXPECT_TRUE(counted.is_immortal());
        EXPECT_EQ(OURO_SHARED_COUNT(counted.shared), OURO_SHARED_STICKY);
    }
}

TEST(NearItsLimit, AnOwnedObjectBecomesImmortalByASpill) {
    Counted counted = Counted::owned(OURO_BIASED_MAX, kLimit);
    counted.incref(kMyWord);
    EXPECT_TRUE(counted.is_immortal()) << counted;
    EXPECT_GT(OURO_SHARED_COUNT(counted.shared), 0);
}

TEST(NearItsLimit, ASpillBelowTheLimitLeavesTheOwner) {
    Counted counted = Counted::owned(OURO_BIASED_MAX, kLimit - static_cast<int32_t>(OURO_SPILL));
    const int64_t before = counted.count();
    counted.incref(kMyWord);
    EXPECT_EQ(counted.owner(), test::kMe);
    EXPECT_EQ(counted.count(), before + 1);
}

// The longest way: from just below the limit by increments alone, then as many decrements.
TEST(NearItsLimit, NoNumberOfOperationsWrapsTheCountOrFreesTheObject) {
    Counted counted = Counted::merged(kLimit - 1000);
    constexpr int kMany = 100'000;
    for (int i = 0; i < kMany; ++i) {
        counted.incref(kUnattachedWord);
        ASSERT_GT(OURO_SHARED_COUNT(counted.shared), 0);
    }
    ASSERT_TRUE(counted.is_immortal());
    const Counted immortal = counted;
    for (int i = 0; i < 2 * kMany; ++i) {
        ASSERT_EQ(counted.decref(kUnattachedWord), Outcome::kAlive);
    }
    EXPECT_EQ(counted, immortal);
}

// Even increments that add after the word was read as mortal, one by each of a million threads, stay
// positive.
TEST(NearItsLimit, LateIncrementsDoNotReachTheSignBit) {
    Counted counted = Counted::merged(kLimit + 1);
    for (int i = 0; i < 1'000'000; ++i) {
        add_shared(MemoryWord(&counted.biased), MemoryWord(&counted.shared), 1);
        ASSERT_GT(OURO_SHARED_COUNT(counted.shared), 0);
    }
    EXPECT_TRUE(counted.is_immortal());
}

TEST(AnImmortalObject, IsUntouchedByThePublicMacros) {
    const PyObject before = {OURO_BIASED_IMMORTAL, 0, nullptr};
    for (const uint32_t thread_word : {kMyWord, kUnattachedWord}) {
        _Ouro_ThreadWord = thread_word;
        PyObject object = before;
        for (int i = 0; i < 100; ++i) {
            Py_INCREF(&object);
        }
        for (int i = 0; i < 300; ++i) {
            Py_DECREF(&object);  // would call tp_dealloc of no type
        }
        EXPECT_EQ(object.ob_biased, before.ob_biased);
        EXPECT_EQ(object.ob_shared, before.ob_shared);
        EXPECT_EQ(Py_REFCNT(&object), static_cast<Py_ssize_t>(UINT32_MAX));
    }
    _Ouro_ThreadWord = kUnattachedWord;
}

}  // namespace
}  // namespace ouro::refcount
