// What the owner's inline fast path does not do: overflow, the last reference, objects without an
// owner. A template over the word type so that the library, the tests and the exhaustively explored
// models compile the same code; a Word has load, store, compare_exchange and fetch_add.
//
// PROTOCOL.md, beside this file, defines the states and the invariants cited here.
//
// Cost (experiments/micro/counts.cpp): a call of about 2 ns; atomic operations about 5 ns.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>

#include "concurrency/refcount/count_word.h"

namespace ouro::refcount {

// What a decrement found.
enum class Outcome {
    kAlive,   // references remain
    kDead,    // this was the last one: the caller, and nobody else, deallocates the object
    kMisuse,  // the count was already zero, or the thread is not attached: the caller reports it
};

// A count word in memory.
class MemoryWord {
public:
    explicit MemoryWord(uint32_t* word) : word_(word) {}
    uint32_t load(std::memory_order order) const {
        return __atomic_load_n(word_, static_cast<int>(order));
    }
    void store(uint32_t value, std::memory_order order) {
        __atomic_store_n(word_, value, static_cast<int>(order));
    }
    bool compare_exchange(uint32_t& expected, uint32_t desired, std::memory_order success,
                          std::memory_order failure) {
        return __atomic_compare_exchange_n(word_, &expected, desired, true,
                                           static_cast<int>(success), static_cast<int>(failure));
    }
    uint32_t fetch_add(uint32_t value, std::memory_order order) {
        return __atomic_fetch_add(word_, value, static_cast<int>(order));
    }

private:
    uint32_t* word_;
};

// Adds `count` to the shared half; near the end of its 29 bits the object becomes immortal instead
// of wrapping (inv.count.no-wrap).
template <class Word>
void add_shared(Word biased, Word shared, uint32_t count) {
    const uint32_t before = shared.fetch_add(count * OURO_SHARED_ONE, std::memory_order_relaxed);
    if (OURO_SHARED_COUNT(before) > OURO_SHARED_LIMIT) {
        biased.store(OURO_BIASED_IMMORTAL, std::memory_order_relaxed);
    }
}

// Adds a reference. Pre: the caller owns one already. Post: the true count is one more, or the
// object is immortal.
template <class Word>
void incref_slow(Word biased, Word shared, uint32_t thread_word) {
    const uint32_t word = biased.load(std::memory_order_relaxed);
    const uint32_t owner = OURO_OWNER_OF(word);
    if (owner == OURO_OWNER_IMMORTAL) {
        return;
    }
    if (owner == OURO_OWNER_OF(thread_word)) {
        // The biased half is full. The shared half grows before the owner's word shrinks, so that
        // nobody sees a total that is too small, and the add cannot carry into the owner index
        // (inv.count.spill-before-shrink).
        assert(OURO_BIASED_COUNT(word) == OURO_BIASED_MAX);
        add_shared(biased, shared, OURO_SPILL);
        if (OURO_OWNER_OF(biased.load(std::memory_order_relaxed)) != OURO_OWNER_IMMORTAL) {
            biased.store(word - OURO_SPILL + 1, std::memory_order_relaxed);
        }
        return;
    }
    add_shared(biased, shared, 1);
}

// The owner gives up its last biased reference. Pre: the biased count is 1 and the caller is the
// owner.
template <class Word>
Outcome release_last_biased(Word biased, Word shared, uint32_t word) {
    // acquire: pairs with the release of whoever changed the shared half last, so that a dead
    // object's deallocation sees everything done through the other references.
    uint32_t other = shared.load(std::memory_order_acquire);
    if (other == 0) {
        biased.store(word - 1, std::memory_order_relaxed);
        return Outcome::kDead;
    }
    while (OURO_SHARED_COUNT(other) >= static_cast<int32_t>(OURO_SPILL)) {
        // Many references were spilled: take some back and stay the owner, or an object with many
        // references would be counted atomically for ever (inv.count.take-back).
        if (shared.compare_exchange(other, other - OURO_SPILL * OURO_SHARED_ONE,
                                    std::memory_order_acquire, std::memory_order_acquire)) {
            biased.store(word - 1 + OURO_SPILL, std::memory_order_relaxed);
            return Outcome::kAlive;
        }
    }
    // Merge: nobody owns the object before the shared half says so (inv.count.merge-once).
    biased.store(OURO_OWNER_WORD(OURO_OWNER_NONE), std::memory_order_relaxed);
    uint32_t merged;
    do {
        merged = other | OURO_SHARED_MERGED;
        // acq_rel: release for the next thread that finds the object merged, acquire as above.
    } while (!shared.compare_exchange(other, merged, std::memory_order_acq_rel,
                                      std::memory_order_acquire));
    const int32_t count = OURO_SHARED_COUNT(merged);
    return count == 0 ? Outcome::kDead : count > 0 ? Outcome::kAlive : Outcome::kMisuse;
}

// Drops a reference that the caller owns. Post: the true count is one less, or the object is
// immortal. kDead is returned to exactly one caller (inv.count.dead-once).
template <class Word>
Outcome decref_slow(Word biased, Word shared, uint32_t thread_word) {
    const uint32_t word = biased.load(std::memory_order_relaxed);
    const uint32_t owner = OURO_OWNER_OF(word);
    if (owner == OURO_OWNER_IMMORTAL) {
        return Outcome::kAlive;
    }
    if (owner == OURO_OWNER_OF(thread_word)) {
        return OURO_BIASED_COUNT(word) == 1 ? release_last_biased(biased, shared, word)
                                            : Outcome::kMisuse;
    }
    if (owner != OURO_OWNER_NONE) {
        return Outcome::kMisuse;
    }
    // acq_rel: every earlier use of the object happens before its deallocation.
    const uint32_t before = shared.fetch_add(0u - OURO_SHARED_ONE, std::memory_order_acq_rel);
    const int32_t count = OURO_SHARED_COUNT(before);
    if (count == 1) {
        return Outcome::kDead;
    }
    return count > 1 ? Outcome::kAlive : Outcome::kMisuse;
}

}  // namespace ouro::refcount
