// An object under Relacy: its two count words, something that its users write and that its
// deallocation reads, and the faults of the must-fail controls.
//
// Whatever happens to the object must happen before its deallocation: every access of a word by who
// holds a reference reads `alive_`, and the deallocation writes it; every user writes its own entry
// of `used_`, and the deallocation reads them all. What is not ordered is a data race.
#pragma once

#include "tests/model/relacy.hpp"
// Relacy comes first.
#include "concurrency/refcount/merge.hpp"
#include "concurrency/refcount/slow_path.hpp"
#include "concurrency/refcount/try_incref.hpp"

namespace ouro::model {

// What is wrong with the words of an object, each an error that was or could be made.
enum class Fault {
    kNone,
    kMergeWithoutCas,      // the merge loads, then stores the shared half
    kSharedBeforeBiased,   // a merge writes the biased half last (gh-119999)
    kRelaxedDecrement,     // a decrement neither releases nor acquires
    kQueuedFlagLost,       // an object is queued without a flag that says so
    kSubtractedAndQueued,  // the reference is subtracted and given to the queue too
    kFlaglessReader,       // a lock-free reader takes an owned object without asking for the flag
    kNeverSticks,          // a count beyond its limit is left where it is
    kQuietTooEarly,        // who reads the words of a noisy object sees a quiet one
    kCarriedIntoTheBit,  // a store of the biased half loses the bit's place: one more than fits below it
};

inline constexpr uint32_t kOwner = 7;
inline constexpr uint32_t kOwnerWord = OURO_OWNER_WORD(kOwner);
inline constexpr uint32_t kOtherWord = OURO_OWNER_WORD(8);
inline constexpr uint32_t kThirdWord = OURO_OWNER_WORD(9);

// Small enough that a few operations cross every border.
struct SmallLimits {
    static constexpr uint32_t kBiasedMax = 3;
    static constexpr uint32_t kSpill = 2;
    static constexpr int32_t kShared = 4;
    static constexpr int32_t kSticky = 1000;
};

template <Fault kFault = Fault::kNone, class L = refcount::Limits>
class CountedObject {
public:
    class Word {
    public:
        Word(CountedObject& object, bool biased, bool held)
            : object_(&object), biased_(biased), held_(held) {}
        uint32_t load(std::memory_order order) const {
            touch();
            const uint32_t value = atom().load(order);
            return kFault == Fault::kQuietTooEarly && biased_ ? value & ~OURO_NOISY : value;
        }
        void store(uint32_t value, std::memory_order order) {
            touch();
            if (kFault == Fault::kSharedBeforeBiased && biased_ &&
                OURO_OWNER_OF(value) == OURO_OWNER_NONE) {
                object_->withheld_ = true;
                return;
            }
            if (kFault == Fault::kCarriedIntoTheBit && biased_ && (value & OURO_NOISY) != 0) {
                value = (value & ~OURO_NOISY) + 1;
            }
            atom().store(value, order);
        }
        bool compare_exchange(uint32_t& expected, uint32_t desired, std::memory_order success,
                              std::memory_order failure) {
            touch();
            const uint32_t set = desired & ~expected & OURO_SHARED_FLAGS;
            if (kFault == Fault::kMergeWithoutCas && (set & OURO_SHARED_MERGED) != 0) {
                const uint32_t now = atom().load(std::memory_order_acquire);
                if (now != expected) {
                    expected = now;
                    return false;
                }
                atom().store(desired, std::memory_order_release);
                return true;
            }
            if (kFault == Fault::kQueuedFlagLost && (set & OURO_SHARED_QUEUED) != 0) {
                desired = expected;
            }
            if (kFault == Fault::kSubtractedAndQueued && (set & OURO_SHARED_QUEUED) != 0) {
                desired -= OURO_SHARED_ONE;
            }
            if (kFault == Fault::kNeverSticks && OURO_SHARED_COUNT(desired) == L::kSticky) {
                desired = expected;
            }
            if (kFault == Fault::kRelaxedDecrement &&
                OURO_SHARED_COUNT(desired) < OURO_SHARED_COUNT(expected)) {
                success = failure = std::memory_order_relaxed;
            }
            if (!atom().compare_exchange_weak(expected, desired, success, failure)) {
                return false;
            }
            if (kFault == Fault::kSharedBeforeBiased && (set & OURO_SHARED_MERGED) != 0 &&
                object_->withheld_) {
                object_->withheld_ = false;
                touch();
                object_->biased_half_.store(OURO_OWNER_WORD(OURO_OWNER_NONE),
                                            std::memory_order_relaxed);
            }
            return true;
        }
        uint32_t fetch_add(uint32_t value, std::memory_order order) {
            touch();
            if (kFault == Fault::kRelaxedDecrement && static_cast<int32_t>(value) < 0) {
                order = std::memory_order_relaxed;
            }
            return atom().fetch_add(value, order);
        }

    private:
        void touch() const {
            if (held_) {
                RL_ASSERT(object_->alive_);  // inv.count.dead-once
            }
        }
        Atomic<uint32_t>& atom() const {
            return biased_ ? object_->biased_half_ : object_->shared_half_;
        }

        CountedObject* object_;
        bool biased_;
        bool held_;
    };

    CountedObject(uint32_t biased, uint32_t shared) : biased_half_(biased), shared_half_(shared) {}

    Word biased(bool held = true) { return Word(*this, true, held); }
    Word shared(bool held = true) { return Word(*this, false, held); }

    void incref(uint32_t thread_word) {
        Word word = biased();
        const auto store = [&](uint32_t value) { word.store(value, std::memory_order_relaxed); };
        bool done;
        OURO_TRY_INCREF_TO(L::kBiasedMax, word.load(std::memory_order_relaxed), store, thread_word,
                           done);
        if (!done) {
            refcount::incref_slow<L>(biased(), shared(), thread_word);
        }
    }

    // Deallocates where it should. kQueue is the caller's business.
    refcount::Release decref(uint32_t thread_word) {
        Word word = biased();
        const auto store = [&](uint32_t value) { word.store(value, std::memory_order_relaxed); };
        bool done;
        OURO_TRY_DECREF(word.load(std::memory_order_relaxed), store, thread_word, done);
        if (done) {
            return refcount::Outcome::kAlive;
        }
        const refcount::Release release = refcount::decref_slow<L>(biased(), shared(), thread_word);
        RL_ASSERT(release.outcome != refcount::Outcome::kMisuse);
        if (release.outcome == refcount::Outcome::kDead) {
            deallocate();
        }
        return release;
    }

    bool try_incref(uint32_t thread_word) {
        if (kFault == Fault::kFlaglessReader &&
            shared(false).load(std::memory_order_relaxed) == 0) {
            shared(false).fetch_add(OURO_SHARED_ONE, std::memory_order_acquire);
            return true;
        }
        return refcount::try_incref<L>(biased(false), shared(false), thread_word);
    }

    int32_t merge(int32_t delta) {
        const int32_t count = refcount::explicit_merge<L>(biased(), shared(), delta);
        RL_ASSERT(count >= 0);
        return count;
    }

    // Pre: the caller holds a reference.
    void use(unsigned thread) {
        RL_ASSERT(alive_);
        used_[thread] = 1;
    }

    // As the heap does with a freed slot: its words read as dead.
    void deallocate() {
        RL_ASSERT(alive_);
        for (Plain<int>& entry : used_) {
            static_cast<void>(static_cast<int>(entry));
        }
        alive_ = 0;
        biased_half_.store(OURO_OWNER_WORD(OURO_OWNER_NONE), std::memory_order_relaxed);
        shared_half_.store(OURO_SHARED_DEAD, std::memory_order_relaxed);
    }

    bool is_alive() const { return alive_ != 0; }
    uint32_t biased_value() const { return biased_half_.load(std::memory_order_seq_cst); }
    uint32_t shared_value() const { return shared_half_.load(std::memory_order_seq_cst); }

private:
    Atomic<uint32_t> biased_half_;
    Atomic<uint32_t> shared_half_;
    Plain<int> alive_{1};
    Plain<int> used_[3]{0, 0, 0};
    bool withheld_ = false;  // of kSharedBeforeBiased: by the one who merges
};

constexpr uint32_t owned(uint32_t count) {
    return kOwnerWord | count;
}
constexpr uint32_t shared_of(int32_t count, uint32_t flags = 0) {
    return static_cast<uint32_t>(count) << OURO_SHARED_SHIFT | flags;
}

}  // namespace ouro::model
