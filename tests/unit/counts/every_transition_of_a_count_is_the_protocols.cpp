// The table of concurrency/refcount/PROTOCOL.md, row by row, on both halves of the count; and the
// orders of writes that it promises, seen by an observer after every single write.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/counted.hpp"

namespace ouro::refcount {
namespace {

using test::Counted;
using test::kMyWord;
using test::kOtherWord;
using test::kUnattachedWord;

constexpr int32_t kSpill = OURO_SPILL;
constexpr uint32_t kFull = OURO_BIASED_MAX;
// Combinations of the flags that do not mean "merged".
constexpr uint32_t kOtherFlags[] = {0, OURO_SHARED_MAYBE_WEAKREF, OURO_SHARED_QUEUED,
                                    OURO_SHARED_MAYBE_WEAKREF | OURO_SHARED_QUEUED};

struct Increment {
    const char* row;
    uint32_t thread_word;
    Counted before, after;
};

TEST(EveryTransition, AnIncrementDoesWhatItsRowSays) {
    for (const uint32_t flags : kOtherFlags) {
        const Increment rows[] = {
            {"owner", kMyWord, Counted::owned(1, 0, flags), Counted::owned(2, 0, flags)},
            {"owner, one below full", kMyWord, Counted::owned(kFull - 1, 5, flags),
             Counted::owned(kFull, 5, flags)},
            {"owner, biased half full", kMyWord, Counted::owned(kFull, 0, flags),
             Counted::owned(kFull - kSpill + 1, kSpill, flags)},
            {"owner, full for the third time", kMyWord, Counted::owned(kFull, 2 * kSpill, flags),
             Counted::owned(kSpill, 3 * kSpill, flags)},
            {"another thread", kOtherWord, Counted::owned(3, 0, flags),
             Counted::owned(3, 1, flags)},
            {"a thread that owns nothing", kUnattachedWord, Counted::owned(3, 9, flags),
             Counted::owned(3, 10, flags)},
            {"merged", kMyWord, Counted::merged(1, flags), Counted::merged(2, flags)},
            {"merged, a thread that owns nothing", kUnattachedWord, Counted::merged(70000, flags),
             Counted::merged(70001, flags)},
            {"owner, noisy", kMyWord, Counted::owned(1, 0, flags).noisy(),
             Counted::owned(2, 0, flags).noisy()},
            {"owner, noisy, biased half full", kMyWord, Counted::owned(kFull, 0, flags).noisy(),
             Counted::owned(kFull - kSpill + 1, kSpill, flags).noisy()},
            {"another thread, noisy", kOtherWord, Counted::owned(3, 0, flags).noisy(),
             Counted::owned(3, 1, flags).noisy()},
            {"merged, noisy", kMyWord, Counted::merged(1, flags).noisy(),
             Counted::merged(2, flags).noisy()},
            {"immortal", kMyWord, Counted::immortal(flags), Counted::immortal(flags)},
            {"immortal and merged", kUnattachedWord, Counted::immortal(OURO_SHARED_DEAD | flags),
             Counted::immortal(OURO_SHARED_DEAD | flags)},
        };
        for (const Increment& row : rows) {
            Counted counted = row.before;
            counted.incref(row.thread_word);
            EXPECT_EQ(counted, row.after) << row.row;
        }
    }
}

struct Decrement {
    const char* row;
    uint32_t thread_word;
    Counted before, after;
    Outcome outcome;
};

TEST(EveryTransition, ADecrementDoesWhatItsRowSays) {
    using enum Outcome;
    for (const uint32_t flags : kOtherFlags) {
        const Decrement rows[] = {
            {"owner, biased > 1", kMyWord, Counted::owned(2, 0, flags), Counted::owned(1, 0, flags),
             kAlive},
            {"owner, biased half full", kMyWord, Counted::owned(kFull, 1, flags),
             Counted::owned(kFull - 1, 1, flags), kAlive},
            // inv.count.take-back: the owner stays the owner.
            {"owner, biased = 1, shared = 2^14", kMyWord, Counted::owned(1, kSpill, flags),
             Counted::owned(kSpill, 0, flags), kAlive},
            {"owner, biased = 1, shared > 2^14", kMyWord, Counted::owned(1, 100000, flags),
             Counted::owned(kSpill, 100000 - kSpill, flags), kAlive},
            {"owner, biased = 1, shared just below 2^14", kMyWord,
             Counted::owned(1, kSpill - 1, flags), Counted::merged(kSpill - 1, flags), kAlive},
            {"owner, biased = 1, shared = 1", kMyWord, Counted::owned(1, 1, flags),
             Counted::merged(1, flags), kAlive},
            {"another thread, shared > 0", kOtherWord, Counted::owned(3, 2, flags),
             Counted::owned(3, 1, flags), kAlive},
            {"another thread, shared = 1", kOtherWord, Counted::owned(1, 1, flags),
             Counted::owned(1, 0, flags), kAlive},
            {"another thread, below zero", kUnattachedWord,
             Counted::owned(3, -1, flags | OURO_SHARED_QUEUED),
             Counted::owned(3, -2, flags | OURO_SHARED_QUEUED), kAlive},
            {"owner, biased = 1, queued", kMyWord, Counted::owned(1, 1, flags | OURO_SHARED_QUEUED),
             Counted::merged(1, flags | OURO_SHARED_QUEUED), kAlive},
            {"owner, biased = 1, shared = 2^14, queued", kMyWord,
             Counted::owned(1, kSpill, flags | OURO_SHARED_QUEUED),
             Counted::owned(kSpill, 0, flags | OURO_SHARED_QUEUED), kAlive},
            {"merged, shared > 1", kMyWord, Counted::merged(2, flags), Counted::merged(1, flags),
             kAlive},
            {"merged, shared far above 1, a thread that owns nothing", kUnattachedWord,
             Counted::merged(70000, flags), Counted::merged(69999, flags), kAlive},
            {"merged, shared = 1", kOtherWord, Counted::merged(1, flags), Counted::merged(0, flags),
             kDead},
            {"owner, noisy, biased > 1", kMyWord, Counted::owned(2, 0, flags).noisy(),
             Counted::owned(1, 0, flags), kSuspect},
            {"owner, noisy, biased half full", kMyWord, Counted::owned(kFull, 5, flags).noisy(),
             Counted::owned(kFull - 1, 5, flags), kSuspect},
            {"owner, noisy, biased = 1, shared > 2^14", kMyWord,
             Counted::owned(1, 100000, flags).noisy(),
             Counted::owned(kSpill, 100000 - kSpill, flags), kSuspect},
            {"owner, noisy, biased = 1, shared = 1", kMyWord, Counted::owned(1, 1, flags).noisy(),
             Counted::merged(1, flags).noisy(), kSuspect},
            {"another thread, noisy, shared > 0", kOtherWord, Counted::owned(3, 2, flags).noisy(),
             Counted::owned(3, 1, flags).noisy(), kSuspect},
            {"merged, noisy, shared > 1", kMyWord, Counted::merged(2, flags).noisy(),
             Counted::merged(1, flags).noisy(), kSuspect},
            {"merged, noisy, shared = 1", kOtherWord, Counted::merged(1, flags).noisy(),
             Counted::merged(0, flags).noisy(), kDead},
            {"immortal", kMyWord, Counted::immortal(flags), Counted::immortal(flags), kAlive},
            {"immortal, a thread that owns nothing", kUnattachedWord,
             Counted::immortal(OURO_SHARED_DEAD | flags),
             Counted::immortal(OURO_SHARED_DEAD | flags), kAlive},
        };
        for (const Decrement& row : rows) {
            Counted counted = row.before;
            EXPECT_EQ(counted.decref(row.thread_word), row.outcome) << row.row;
            EXPECT_EQ(counted, row.after) << row.row;
        }
        // The last reference: no flag, no merge; a flag, a merge that finds the count at zero.
        Counted last = Counted::owned(1, 0, flags);
        EXPECT_EQ(last.decref(kMyWord), kDead);
        EXPECT_EQ(last, flags == 0 ? Counted::owned(0) : Counted::merged(0, flags));
        last = Counted::owned(1, 0, flags).noisy();
        EXPECT_EQ(last.decref(kMyWord), kDead);
        EXPECT_EQ(last, flags == 0 ? Counted::owned(0) : Counted::merged(0, flags).noisy());
        last = Counted::owned(0, 0, flags).noisy();
        EXPECT_EQ(last.decref(kMyWord), kMisuse);
    }
}

// inv.count.queue-owns: the first reference that only the owner can judge is not subtracted but
// queued, with the owner's index; the next find the flag.
TEST(EveryTransition, AnotherThreadsLastReferenceIsTheQueues) {
    for (const uint32_t flags : {0u, OURO_SHARED_MAYBE_WEAKREF}) {
        Counted counted = Counted::owned(3, 0, flags);
        const Release release =
            decref_slow(MemoryWord(&counted.biased), MemoryWord(&counted.shared), kOtherWord);
        EXPECT_EQ(release.outcome, Outcome::kQueue);
        EXPECT_EQ(release.owner, test::kMe);
        EXPECT_EQ(counted, Counted::owned(3, 0, flags | OURO_SHARED_QUEUED));
        EXPECT_EQ(counted.decref(kOtherWord), Outcome::kAlive);
        EXPECT_EQ(counted, Counted::owned(3, -1, flags | OURO_SHARED_QUEUED));
    }
}

// Every count that the biased half can hold, for owners next to each other and at both ends.
TEST(EveryTransition, TheFastPathIsTakenByTheOwnerAloneAndOnlyWhereItFits) {
    constexpr uint32_t kOwners[] = {OURO_OWNER_NONE,
                                    OURO_OWNER_FIRST,
                                    2,
                                    test::kMe,
                                    test::kOther,
                                    0x7FFF,
                                    0x8000,
                                    OURO_OWNER_LAST - 1,
                                    OURO_OWNER_LAST,
                                    OURO_OWNER_UNATTACHED,
                                    OURO_OWNER_IMMORTAL};
    for (const uint32_t owner : kOwners) {
        for (const uint32_t thread : kOwners) {
            if (thread == OURO_OWNER_NONE || thread == OURO_OWNER_IMMORTAL) {
                continue;  // no thread has them
            }
            for (uint32_t count = 0; count <= OURO_BIASED_MAX; ++count) {
                const uint32_t word = OURO_OWNER_WORD(owner) | count;
                uint32_t stored = word;
                const auto store = [&stored](uint32_t value) { stored = value; };
                bool done;
                OURO_TRY_INCREF(word, store, OURO_OWNER_WORD(thread), done);
                ASSERT_EQ(done, owner == thread && count < OURO_BIASED_MAX)
                    << owner << " " << thread << " " << count;
                ASSERT_EQ(stored, done ? word + 1 : word);
                stored = word;
                OURO_TRY_DECREF(word, store, OURO_OWNER_WORD(thread), done);
                ASSERT_EQ(done, owner == thread && count >= 2)
                    << owner << " " << thread << " " << count;
                ASSERT_EQ(stored, done ? word - 1 : word);
                // A noisy object never takes it.
                OURO_TRY_INCREF(word | OURO_NOISY, store, OURO_OWNER_WORD(thread), done);
                ASSERT_FALSE(done) << owner << " " << thread << " " << count;
                OURO_TRY_DECREF(word | OURO_NOISY, store, OURO_OWNER_WORD(thread), done);
                ASSERT_FALSE(done) << owner << " " << thread << " " << count;
            }
        }
    }
}

// Both words, with an observer that is called after every write and an interference that another
// thread makes just before the first compare-and-swap.
struct Watched {
    Counted counted;
    std::function<void(const Counted&)> observe = [](const Counted&) {};
    std::function<void(Counted&)> interfere;
    int failures_left = 0;  // spurious ones of compare_exchange, which is weak
};

class WatchedWord {
public:
    WatchedWord(Watched& watched, uint32_t Counted::*word) : watched_(watched), word_(word) {}
    uint32_t load(std::memory_order) const { return watched_.counted.*word_; }
    void store(uint32_t value, std::memory_order) { write(value); }
    bool compare_exchange(uint32_t& expected, uint32_t desired, std::memory_order,
                          std::memory_order) {
        if (watched_.interfere) {
            std::exchange(watched_.interfere, nullptr)(watched_.counted);
        }
        if (watched_.failures_left > 0) {
            --watched_.failures_left;
            expected = watched_.counted.*word_;
            return false;
        }
        if (watched_.counted.*word_ != expected) {
            expected = watched_.counted.*word_;
            return false;
        }
        write(desired);
        return true;
    }
    uint32_t fetch_add(uint32_t value, std::memory_order) {
        const uint32_t before = watched_.counted.*word_;
        write(before + value);
        return before;
    }

private:
    void write(uint32_t value) {
        watched_.counted.*word_ = value;
        watched_.observe(watched_.counted);
    }

    Watched& watched_;
    uint32_t Counted::*word_;
};

void incref(Watched& watched, uint32_t thread_word) {
    incref_slow(WatchedWord(watched, &Counted::biased), WatchedWord(watched, &Counted::shared),
                thread_word);
}

Outcome decref(Watched& watched, uint32_t thread_word) {
    return decref_slow(WatchedWord(watched, &Counted::biased),
                       WatchedWord(watched, &Counted::shared), thread_word);
}

// inv.count.spill-before-shrink
TEST(EveryTransition, ASpillNeverShowsTooSmallACountNorAnotherOwner) {
    for (const int32_t spilled : {0, 1, kSpill, 1000000}) {
        Watched watched{Counted::owned(kFull, spilled)};
        const int64_t before = watched.counted.count();
        int writes = 0;
        watched.observe = [&](const Counted& seen) {
            ++writes;
            EXPECT_GE(seen.count(), before);
            EXPECT_EQ(seen.owner(), test::kMe);
        };
        incref(watched, kMyWord);
        EXPECT_EQ(writes, 2);
        EXPECT_EQ(watched.counted.count(), before + 1);
    }
}

// inv.count.merge-once
TEST(EveryTransition, NobodyOwnsAnObjectThatIsMerged) {
    for (const uint32_t flags : kOtherFlags) {
        for (const int32_t spilled : {0, 1, kSpill - 1}) {
            Watched watched{Counted::owned(1, spilled, flags)};
            bool owner_went_first = false;
            watched.observe = [&](const Counted& seen) {
                if (seen.is_merged()) {
                    EXPECT_EQ(seen.owner(), OURO_OWNER_NONE);
                    EXPECT_TRUE(owner_went_first);
                }
                owner_went_first = owner_went_first || seen.owner() == OURO_OWNER_NONE;
            };
            decref(watched, kMyWord);
            EXPECT_EQ(watched.counted.is_merged(), spilled != 0 || flags != 0);
        }
    }
    // Merged objects stay merged, whatever is counted.
    Counted merged = Counted::merged(3);
    for (const uint32_t thread_word : {kMyWord, kOtherWord, kUnattachedWord}) {
        merged.incref(thread_word);
        EXPECT_EQ(merged, Counted::merged(4));
        merged.decref(thread_word);
        EXPECT_EQ(merged, Counted::merged(3));
    }
}

TEST(EveryTransition, AReferenceTakenDuringAMergeIsNotLost) {
    for (const int failures : {0, 1, 3}) {
        Watched watched{Counted::owned(1, 1)};
        watched.failures_left = failures;
        watched.interfere = [](Counted& counted) { counted.incref(kOtherWord); };
        EXPECT_EQ(decref(watched, kMyWord), Outcome::kAlive);
        EXPECT_EQ(watched.counted, Counted::merged(2));
    }
}

// The last owner has given the object up and its merge is under way: it will judge.
TEST(EveryTransition, ADecrementBetweenTheTwoWritesOfAMergeIsJudgedByTheMerge) {
    Watched watched{Counted::owned(1, 1)};
    watched.interfere = [](Counted& counted) {
        ASSERT_EQ(counted.owner(), OURO_OWNER_NONE);
        EXPECT_EQ(counted.decref(kOtherWord), Outcome::kAlive);
    };
    EXPECT_EQ(decref(watched, kMyWord), Outcome::kDead);
    EXPECT_EQ(watched.counted, Counted::merged(0));
}

// inv.count.take-back
TEST(EveryTransition, AReferenceTakenWhileTheOwnerTakesBackIsNotLost) {
    for (const int failures : {0, 1, 3}) {
        Watched watched{Counted::owned(1, kSpill)};
        watched.failures_left = failures;
        watched.interfere = [](Counted& counted) { counted.incref(kOtherWord); };
        EXPECT_EQ(decref(watched, kMyWord), Outcome::kAlive);
        EXPECT_EQ(watched.counted, Counted::owned(kSpill, 1));
    }
}

// inv.count.dead-once: after the last reference went, no further decrement is told "dead".
TEST(EveryTransition, DeathIsToldOnce) {
    Counted owned = Counted::owned(1);
    EXPECT_EQ(owned.decref(kMyWord), Outcome::kDead);
    EXPECT_EQ(owned.decref(kMyWord), Outcome::kMisuse);
    Counted merged = Counted::merged(1);
    EXPECT_EQ(merged.decref(kMyWord), Outcome::kDead);
    EXPECT_EQ(merged.decref(kMyWord), Outcome::kMisuse);
    EXPECT_EQ(merged.decref(kOtherWord), Outcome::kMisuse);
}

// What a free slot shows is what a dead object shows: no reference left, merged.
TEST(EveryTransition, TheDeadPatternIsTheLastStateOfAMergedObject) {
    Counted counted = Counted::merged(1);
    counted.decref(kMyWord);
    EXPECT_EQ(counted.shared, OURO_SHARED_DEAD);
}

}  // namespace
}  // namespace ouro::refcount
