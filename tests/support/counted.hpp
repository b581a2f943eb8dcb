// The two count words of an object, without the object: counted by the macros of the inline fast path
// and the slow path behind them, as Py_INCREF and Py_DECREF do.
#pragma once

#include <cstdint>
#include <ostream>

#include "concurrency/refcount/slow_path.hpp"

namespace ouro::test {

inline constexpr uint32_t kMe = 7;
inline constexpr uint32_t kOther = 8;
inline constexpr uint32_t kMyWord = OURO_OWNER_WORD(kMe);
inline constexpr uint32_t kOtherWord = OURO_OWNER_WORD(kOther);
inline constexpr uint32_t kUnattachedWord = OURO_OWNER_WORD(OURO_OWNER_UNATTACHED);

struct Counted {
    uint32_t biased;
    uint32_t shared;

    static Counted owned(uint32_t count, int32_t spilled = 0, uint32_t flags = 0) {
        return {kMyWord | count, static_cast<uint32_t>(spilled) << OURO_SHARED_SHIFT | flags};
    }
    static Counted merged(int32_t count, uint32_t flags = 0) {
        return {OURO_OWNER_WORD(OURO_OWNER_NONE),
                static_cast<uint32_t>(count) << OURO_SHARED_SHIFT | OURO_SHARED_MERGED | flags};
    }
    Counted noisy() const { return {biased | OURO_NOISY, shared}; }
    static Counted immortal(uint32_t shared) { return {OURO_BIASED_IMMORTAL, shared}; }

    void incref(uint32_t thread_word) {
        bool done;
        const auto store = [this](uint32_t value) { biased = value; };
        OURO_TRY_INCREF(biased, store, thread_word, done);
        if (!done) {
            refcount::incref_slow(refcount::MemoryWord(&biased), refcount::MemoryWord(&shared),
                                  thread_word);
        }
    }

    refcount::Outcome decref(uint32_t thread_word) {
        bool done;
        const auto store = [this](uint32_t value) { biased = value; };
        OURO_TRY_DECREF(biased, store, thread_word, done);
        return done ? refcount::Outcome::kAlive
                    : refcount::decref_slow(refcount::MemoryWord(&biased),
                                            refcount::MemoryWord(&shared), thread_word)
                          .outcome;
    }

    uint32_t owner() const { return OURO_OWNER_OF(biased); }
    int64_t count() const { return int64_t{OURO_BIASED_COUNT(biased)} + OURO_SHARED_COUNT(shared); }
    bool is_merged() const { return (shared & OURO_SHARED_MERGED) != 0; }
    bool is_immortal() const { return owner() == OURO_OWNER_IMMORTAL; }

    bool operator==(const Counted&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Counted& c) {
        return out << "{owner " << c.owner() << ", biased " << OURO_BIASED_COUNT(c.biased)
                   << ", shared " << OURO_SHARED_COUNT(c.shared) << ", flags "
                   << (c.shared & OURO_SHARED_FLAGS) << "}";
    }
};

}  // namespace ouro::test
