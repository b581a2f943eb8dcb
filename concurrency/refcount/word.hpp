// What the counting functions of this room share: a count word in memory, the limits of the two
// halves, and the outcomes of an operation.
//
// The functions are templates over a Word and over Limits, so that the library, the tests and the
// exhaustively explored models (tests/model) compile the same code. A Word is a handle, passed by
// value, with load, store, compare_exchange (weak) and fetch_add, each taking its memory orders.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>

#include "concurrency/point/point.hpp"
#include "concurrency/refcount/count_word.h"

// What checks an invariant; a model defines its own before it includes this.
#ifndef OURO_REFCOUNT_ASSERT
#define OURO_REFCOUNT_ASSERT(condition) assert(condition)
#endif

namespace ouro::refcount {

// What a decrement found.
enum class Outcome : uint32_t {
    kAlive,  // references remain
    kSuspect,  // the same, and the object was noisy: the caller notes its address, and may not touch it
    kDead,    // this was the last one: the caller, and nobody else, deallocates the object
    kQueue,   // the reference was not dropped: the caller must give it to its owner's merge queue
    kMisuse,  // the count was already zero: the caller reports it
};

// An outcome and, for kQueue, the owner index whose queue it is.
struct Release {
    Outcome outcome;
    uint32_t owner = OURO_OWNER_NONE;

    Release(Outcome found) : outcome(found) {}
    Release(Outcome found, uint32_t of) : outcome(found), owner(of) {}
    operator Outcome() const { return outcome; }
};

// The biased word of an object that nobody owns any more; as noisy as it was.
inline uint32_t unowned(uint32_t word) {
    return OURO_OWNER_WORD(OURO_OWNER_NONE) | (word & OURO_NOISY);
}

// Where the halves of the count end (count_word.h). Models use smaller numbers.
struct Limits {
    static constexpr uint32_t kBiasedMax = OURO_BIASED_MAX;
    static constexpr uint32_t kSpill = OURO_SPILL;
    static constexpr int32_t kShared = OURO_SHARED_LIMIT;
    static constexpr int32_t kSticky = OURO_SHARED_STICKY;
};

// A count word in memory. Each operation is an interleaving point.
class MemoryWord {
public:
    explicit MemoryWord(uint32_t* word) : word_(word) {}
    uint32_t load(std::memory_order order) const {
        OURO_POINT("count.load");
        return __atomic_load_n(word_, static_cast<int>(order));
    }
    void store(uint32_t value, std::memory_order order) {
        OURO_POINT("count.store");
        __atomic_store_n(word_, value, static_cast<int>(order));
    }
    bool compare_exchange(uint32_t& expected, uint32_t desired, std::memory_order success,
                          std::memory_order failure) {
        OURO_POINT("count.compare_exchange");
        return __atomic_compare_exchange_n(word_, &expected, desired, true,
                                           static_cast<int>(success), static_cast<int>(failure));
    }
    uint32_t fetch_add(uint32_t value, std::memory_order order) {
        OURO_POINT("count.fetch_add");
        return __atomic_fetch_add(word_, value, static_cast<int>(order));
    }

private:
    uint32_t* word_;
};

// Whether a shared word says that its object is immortal (inv.count.sticky).
template <class L = Limits>
constexpr bool is_sticky(uint32_t shared) {
    return OURO_SHARED_COUNT(shared) > L::kShared;
}

// `count` and the flags of `shared` in one word; stuck if the count is beyond its limit.
template <class L = Limits>
constexpr uint32_t shared_word(int32_t count, uint32_t flags) {
    const int32_t kept = count > L::kShared ? L::kSticky : count;
    return static_cast<uint32_t>(kept) << OURO_SHARED_SHIFT | (flags & OURO_SHARED_FLAGS);
}

// After an addition or a subtraction met a shared count beyond the limit: moves it to the middle of
// the stuck range, where it stays (inv.count.sticky). Every path that reads the shared half then
// takes the object as immortal; the biased half of an owned object is left to its owner. An object
// that nobody owns says so in its biased half too, which is read first.
template <class L = Limits, class Word>
void stick(Word biased, Word shared) {
    uint32_t seen = shared.load(std::memory_order_relaxed);
    // acq_rel: acquire pairs with the merge that set the flag, so that the store below comes after
    // the merger's; release keeps the chain of who shared the object before.
    while (!shared.compare_exchange(seen, shared_word<L>(L::kSticky, seen),
                                    std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    if ((seen & OURO_SHARED_MERGED) != 0) {
        biased.store(OURO_BIASED_IMMORTAL, std::memory_order_relaxed);
    }
}

}  // namespace ouro::refcount
