// Taking a reference without owning one, for lock-free readers and for weak references; and whether a
// reference is unique.
//
// When: the reader has a pointer that was valid when it loaded it, and the memory of every object that it
// may point to keeps its count words readable (a freed slot reads as OURO_SHARED_DEAD). After a
// success the reader loads the pointer again and, if it changed, drops the reference and starts
// over: the slot may have become another object. When not: with a reference in hand, incref_slow.
//
//     PyObject* op = load_acquire(&slot);
//     while (op != nullptr && !(try_incref(biased, shared, word) && load_acquire(&slot) == op)) ...
//
// A thread that stores a pointer where such a reader finds it calls set_maybe_weakref first: otherwise the
// object's owner may deallocate it without an atomic operation (quiet death).
//
// Cost (experiments/micro/threads.cpp): with the decrement that gives it back 3 ns for the owner, 10 ns
// for others (a compare-and-swap each).
#pragma once

#include "concurrency/refcount/slow_path.hpp"

namespace ouro::refcount {

// Adds a reference if the object is certainly alive. False: it is dead, or only its owner could tell
// (inv.count.no-resurrection). Pre: the words are readable.
template <class L = Limits, class Word>
bool try_incref(Word biased, Word shared, uint32_t thread_word) {
    const uint32_t word = biased.load(std::memory_order_relaxed);
    const uint32_t owner = OURO_OWNER_OF(word);
    if (owner == OURO_OWNER_IMMORTAL) {
        return true;
    }
    if (owner == OURO_OWNER_OF(thread_word)) {
        const uint32_t count = OURO_BIASED_COUNT(word);
        if (count == 0) {
            return false;  // its deallocation is running
        }
        if (count < L::kBiasedMax) {
            biased.store(word + 1, std::memory_order_relaxed);
        } else {
            incref_slow<L>(biased, shared, thread_word);
        }
        return true;
    }
    uint32_t other = shared.load(std::memory_order_relaxed);
    while (!is_sticky<L>(other)) {
        const int32_t count = OURO_SHARED_COUNT(other);
        // Merged with no reference: dead. Owned, nothing counted, no flag: its owner may be ending
        // it without an atomic operation, or has (inv.count.quiet-death).
        if ((other & OURO_SHARED_MERGED) != 0 ? count <= 0 : other == 0) {
            return false;
        }
        // acquire: pairs with the release of set_maybe_weakref and of a merge.
        if (shared.compare_exchange(other, shared_word<L>(count + 1, other),
                                    std::memory_order_acquire, std::memory_order_relaxed)) {
            return true;
        }
    }
    return true;
}

// From now on try_incref succeeds while the object lives, and its owner's last reference goes
// through a compare-and-swap. Pre: the caller owns a reference.
template <class Word>
void set_maybe_weakref(Word shared) {
    uint32_t other = shared.load(std::memory_order_relaxed);
    // release: pairs with try_incref.
    while ((other & OURO_SHARED_MAYBE_WEAKREF) == 0 &&
           !shared.compare_exchange(other, other | OURO_SHARED_MAYBE_WEAKREF,
                                    std::memory_order_release, std::memory_order_relaxed)) {
    }
}

// Whether the caller's reference is the only one and no lock-free reader may take another. Pre: the
// caller owns a reference. False for another thread's object: only its owner could tell.
template <class L = Limits, class Word>
bool is_unique(Word biased, Word shared, uint32_t thread_word) {
    const uint32_t word = biased.load(std::memory_order_relaxed);
    // acquire: pairs with the release of the decrement that left the caller alone.
    const uint32_t other = shared.load(std::memory_order_acquire);
    if (OURO_OWNER_OF(word) == OURO_OWNER_IMMORTAL || is_sticky<L>(other) ||
        (other & OURO_SHARED_MAYBE_WEAKREF) != 0) {
        return false;
    }
    if (OURO_OWNER_OF(word) == OURO_OWNER_OF(thread_word)) {
        return static_cast<int32_t>(OURO_BIASED_COUNT(word)) + OURO_SHARED_COUNT(other) == 1;
    }
    return (other & OURO_SHARED_MERGED) != 0 && OURO_SHARED_COUNT(other) == 1;
}

}  // namespace ouro::refcount
