// Merging the two halves of a count: afterwards the object has no owner and the shared half is the
// whole count. When: for each object in a merge queue; before an object is shared with many threads;
// for the objects of a thread that has ended. Never to drop one's own reference: decref_slow does
// that, and merges where it must.
//
//     if (explicit_merge(biased, shared, -1) == 0) { deallocate(op); }
#pragma once

#include "concurrency/refcount/word.hpp"

namespace ouro::refcount {

// What explicit_merge returns for an immortal object.
inline constexpr int32_t kImmortalCount = INT32_MAX;

// Merges, unless the object is merged or immortal already, and adds `delta` to the count: -1 to drop
// with it a reference that the caller owns. Returns the resulting count: at 0 the caller, and nobody
// else, deallocates the object (inv.count.dead-once); below 0 somebody dropped a reference that
// nobody owned; kImmortalCount if it is immortal.
//
// Pre: the caller owns a reference or, with a delta of 0, knows that one remains. And it is the owner
// of the object, or keeps the owner from running, or no thread can become the owner (the lock of its
// index: merge_queue.hpp), so that no two merges of an object overlap.
template <class L = Limits, class Word>
int32_t explicit_merge(Word biased, Word shared, int32_t delta) {
    const uint32_t word = biased.load(std::memory_order_relaxed);
    if (OURO_OWNER_OF(word) == OURO_OWNER_IMMORTAL) {
        return kImmortalCount;
    }
    // Nobody owns the object before the shared half says so, and no write to it comes after: once it
    // is merged, another thread's decrement may free it (inv.count.merge-once).
    int32_t added = delta;
    if (OURO_OWNER_OF(word) != OURO_OWNER_NONE) {
        added += static_cast<int32_t>(OURO_BIASED_COUNT(word));
        biased.store(unowned(word), std::memory_order_relaxed);
    }
    uint32_t other = shared.load(std::memory_order_relaxed);
    while (!is_sticky<L>(other)) {
        const int32_t count = OURO_SHARED_COUNT(other) + added;
        const uint32_t merged = shared_word<L>(count, other | OURO_SHARED_MERGED);
        // acq_rel: every earlier use of the object happens before its deallocation; who finds it
        // merged finds it without an owner.
        if (shared.compare_exchange(other, merged, std::memory_order_acq_rel,
                                    std::memory_order_relaxed)) {
            if (!is_sticky<L>(merged)) {
                return count;
            }
            break;
        }
    }
    biased.store(OURO_BIASED_IMMORTAL, std::memory_order_relaxed);
    return kImmortalCount;
}

}  // namespace ouro::refcount
