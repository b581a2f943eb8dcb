// The slow paths of counting, beside the owner's inline fast path: overflow, the last reference, objects of
// other threads and objects without an owner. When to use: after OURO_TRY_INCREF and OURO_TRY_DECREF
// (count_word.h), if they did not complete the operation. Not for a reader without a reference: try_incref.hpp.
//
//     switch (const Release release = decref_slow(biased, shared, thread_word)) {
//         case Outcome::kAlive: break;
//         case Outcome::kSuspect: note(op); break;
//         case Outcome::kDead: deallocate(op); break;
//         case Outcome::kQueue: queues.push(release.owner, op); break;
//         case Outcome::kMisuse: report(op); break;
//     }
//
// PROTOCOL.md, beside this file, defines the states and the invariants cited here.
//
// Cost (experiments/micro/counts.cpp): a call of about 2 ns; atomic operations about 5 ns.
#pragma once

#include "concurrency/refcount/word.hpp"

namespace ouro::refcount {

// Adds `count` to the shared half of an object. Pre: the caller owns a reference. Near the limit of the
// 29 bits the object becomes immortal instead of wrapping (inv.count.no-wrap). True if it is immortal.
template <class L = Limits, class Word>
bool add_shared(Word biased, Word shared, uint32_t count) {
    const uint32_t before = shared.fetch_add(count * OURO_SHARED_ONE, std::memory_order_relaxed);
    if (!is_sticky<L>(before + count * OURO_SHARED_ONE)) [[likely]] {
        return false;
    }
    stick<L>(biased, shared);
    return true;
}

// Adds a reference. Pre: the caller owns one already. Post: the true count is one more, or the
// object is immortal.
template <class L = Limits, class Word>
void incref_slow(Word biased, Word shared, uint32_t thread_word) {
    const uint32_t word = biased.load(std::memory_order_relaxed);
    const uint32_t owner = OURO_OWNER_OF(word);
    if (owner == OURO_OWNER_IMMORTAL) {
        return;
    }
    if (owner != OURO_OWNER_OF(thread_word)) {
        add_shared<L>(biased, shared, 1);
        return;
    }
    if (OURO_BIASED_COUNT(word) < L::kBiasedMax) {
        biased.store(word + 1, std::memory_order_relaxed);  // noisy, and stays so
        return;
    }
    // The biased half is full. The shared half grows before the owner's word shrinks, so that the
    // add cannot carry into the owner index and nobody who decides on the sum finds it too small
    // (inv.count.spill-before-shrink).
    const bool immortal = add_shared<L>(biased, shared, L::kSpill);
    biased.store(immortal ? OURO_BIASED_IMMORTAL : word - L::kSpill + 1, std::memory_order_relaxed);
}

// How most objects die: drops the owner's last reference if no other thread ever counted (quiet death). False:
// nothing was done, and decref_slow must be called. Pre: the caller owns a reference.
template <class Word>
bool try_release_unshared(Word biased, Word shared, uint32_t thread_word) {
#ifdef OURO_REFCOUNT_PLAIN
    (void)shared, (void)thread_word;
    return biased.load(std::memory_order_relaxed) == 0;  // it is dropped already (plain_word.h)
#else
    // acquire: pairs with the release of whoever changed the shared half last, so that a dead
    // object's deallocation sees everything done through the other references.
    if (biased.load(std::memory_order_relaxed) != thread_word + 1 ||
        shared.load(std::memory_order_acquire) != 0) {
        return false;
    }
    // Not counted, not queued, no lock-free reader: no other thread has a reference or can get one, so no
    // atomic operation is needed (inv.count.quiet-death).
    biased.store(thread_word, std::memory_order_relaxed);
    return true;
#endif
}

// The owner gives up its last biased reference. Pre: the biased count is 1 and the caller is the
// owner. Noisy or not: a take-back makes the object quiet, a merge does not.
template <class L = Limits, class Word>
Release release_last_biased(Word biased, Word shared, uint32_t word) {
    uint32_t other = shared.load(std::memory_order_acquire);  // acquire: as in try_release_unshared
    while (OURO_SHARED_COUNT(other) >= static_cast<int32_t>(L::kSpill) && !is_sticky<L>(other)) {
        // Many references were spilled: take some back and stay the owner, or an object with many
        // references would be counted atomically for ever (inv.count.take-back). Flags stay: an
        // object in its owner's queue is merged when the queue is drained.
        if (shared.compare_exchange(other, other - L::kSpill * OURO_SHARED_ONE,
                                    std::memory_order_acquire, std::memory_order_acquire)) {
            biased.store((word & ~OURO_NOISY) - 1 + L::kSpill, std::memory_order_relaxed);
            return Outcome::kAlive;
        }
    }
    // Merge: nobody owns the object before the shared half says so (inv.count.merge-once).
    biased.store(unowned(word), std::memory_order_relaxed);
    do {
        if (is_sticky<L>(other)) {
            biased.store(OURO_BIASED_IMMORTAL, std::memory_order_relaxed);
            return Outcome::kAlive;
        }
        // acq_rel: release for the next thread that finds the object merged, acquire as above.
    } while (!shared.compare_exchange(other, other | OURO_SHARED_MERGED, std::memory_order_acq_rel,
                                      std::memory_order_acquire));
    const int32_t count = OURO_SHARED_COUNT(other);
    return count == 0 ? Outcome::kDead : count > 0 ? Outcome::kAlive : Outcome::kMisuse;
}

// Drops a reference to an object without an owner: merged, or being merged by its last owner. In the
// latter case the merge is yet to read the shared half and judges in the caller's place, so the caller
// need not read the word before it subtracts.
template <class L = Limits, class Word>
[[gnu::always_inline]] inline Release release_unowned(Word biased, Word shared) {
    // acq_rel: every earlier use of the object happens before its deallocation.
    const uint32_t before = shared.fetch_add(0u - OURO_SHARED_ONE, std::memory_order_acq_rel);
    if (is_sticky<L>(before)) [[unlikely]] {
        stick<L>(biased, shared);
        return Outcome::kAlive;
    }
    const int32_t count = OURO_SHARED_COUNT(before);
    if (count > 1 || (before & OURO_SHARED_MERGED) == 0) {
        return Outcome::kAlive;
    }
    return count == 1 ? Outcome::kDead : Outcome::kMisuse;
}

// Drops a reference to an object that another thread, the owner in `word`, owned when that was read.
template <class L = Limits, class Word>
[[gnu::always_inline]] inline Release release_foreign(Word shared, uint32_t word) {
    uint32_t other = shared.load(std::memory_order_relaxed);
    while (!is_sticky<L>(other)) {
        const int32_t count = OURO_SHARED_COUNT(other);
        const uint32_t flags = other & OURO_SHARED_FLAGS;
        // The shared half is zero, so the reference is counted in the biased half: only the owner can
        // tell whether it was the last. The queue gets it uncounted; later decrements find the flag and
        // may go below zero (inv.count.queue-owns, inv.queue.once).
        const bool queue = count == 0 && (flags & ~OURO_SHARED_MAYBE_WEAKREF) == 0;
        if (queue && OURO_BIASED_COUNT(word) == 0) {
            return Outcome::kMisuse;  // it died with its owner's last reference
        }
        const uint32_t desired = queue ? other | OURO_SHARED_QUEUED : other - OURO_SHARED_ONE;
        // acq_rel: every earlier use of the object happens before its deallocation, by this
        // thread or by who merges it.
        if (!shared.compare_exchange(other, desired, std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
            continue;
        }
        if (queue) {
            return {Outcome::kQueue, OURO_OWNER_OF(word)};
        }
        if (count > 1 || (flags & OURO_SHARED_MERGED) == 0) {
            return Outcome::kAlive;
        }
        return count == 1 ? Outcome::kDead : Outcome::kMisuse;
    }
    return Outcome::kAlive;
}

// The owner drops a reference to a noisy object. Post: that is quiet, unless it has been merged.
template <class L = Limits, class Word>
Release release_own_noisy(Word biased, Word shared, uint32_t word) {
    const uint32_t count = OURO_BIASED_COUNT(word);
    if (count > 1) {
        biased.store((word & ~OURO_NOISY) - 1, std::memory_order_relaxed);
        return Outcome::kAlive;
    }
    // As most objects die: quietly (try_release_unshared).
    if (count == 1 && shared.load(std::memory_order_acquire) == 0) {
        biased.store((word & ~OURO_NOISY) - 1, std::memory_order_relaxed);
        return Outcome::kDead;
    }
    return count == 1 ? release_last_biased<L>(biased, shared, word) : Release(Outcome::kMisuse);
}

// Drops a reference to an object that is noisy or immortal (inv.count.noisy-told). It is noisy before: afterwards the
// object may be gone.
template <class L = Limits, class Word>
[[gnu::noinline]] Release release_told(Word biased, Word shared, uint32_t word,
                                       uint32_t thread_word) {
    const uint32_t owner = OURO_OWNER_OF(word);
    if (owner == OURO_OWNER_IMMORTAL) {
        return Outcome::kAlive;
    }
    const Release release = owner == OURO_OWNER_OF(thread_word)
                                ? release_own_noisy<L>(biased, shared, word)
                            : owner == OURO_OWNER_NONE ? release_unowned<L>(biased, shared)
                                                       : release_foreign<L>(shared, word);
    return release.outcome == Outcome::kAlive ? Release(Outcome::kSuspect) : release;
}

// Drops a reference that the caller owns. Post, by outcome:
//   kAlive: the true count is one less, or the object is immortal.
//   kSuspect: the same, or the object has become immortal; it was noisy. Another thread may drop the last reference at any time.
//   kDead: the count is zero; exactly one operation of all threads returns this (inv.count.dead-once).
//   kQueue: the count is unchanged; the caller must hand its reference to the merge queue. It may touch the
//       object until it has.
//   kMisuse: there was no reference to drop.
template <class L = Limits, class Word>
Release decref_slow(Word biased, Word shared, uint32_t thread_word) {
    if (try_release_unshared(biased, shared, thread_word)) {
        return Outcome::kDead;
    }
#ifdef OURO_REFCOUNT_PLAIN
    return Outcome::kMisuse;
#endif
    const uint32_t word = biased.load(std::memory_order_relaxed);
    if ((word & OURO_NOISY) != 0) {
        return release_told<L>(biased, shared, word, thread_word);
    }
    const uint32_t owner = OURO_OWNER_OF(word);
    if (owner == OURO_OWNER_OF(thread_word)) {
        return OURO_BIASED_COUNT(word) == 1 ? release_last_biased<L>(biased, shared, word)
                                            : Release(Outcome::kMisuse);
    }
    return owner == OURO_OWNER_NONE ? release_unowned<L>(biased, shared)
                                    : release_foreign<L>(shared, word);
}

}  // namespace ouro::refcount
