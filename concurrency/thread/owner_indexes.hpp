// Allocates owner indexes, the lowest free one first, so that the indexes in use stay dense and an exited
// thread's index is reused at once.
#pragma once

#include <array>
#include <cstdint>

#include "concurrency/refcount/count_word.h"

namespace ouro::thread {

// Not synchronised: under the registry's lock.
class OwnerIndexes {
public:
    OwnerIndexes() {
        for (uint32_t index = 0; index < OURO_OWNER_FIRST; ++index) {
            set(index);
        }
        for (uint32_t index = OURO_OWNER_LAST + 1; index <= 0xFFFF; ++index) {
            set(index);
        }
    }

    // The lowest free index; 0 if all are taken.
    uint32_t take() {
        for (; first_word_ < words_.size(); ++first_word_) {
            const uint64_t free = ~words_[first_word_];
            if (free != 0) {
                const auto bit = static_cast<uint32_t>(__builtin_ctzll(free));
                const uint32_t index = first_word_ * 64 + bit;
                set(index);
                return index;
            }
        }
        return OURO_OWNER_NONE;
    }

    void give_back(uint32_t index) {
        words_[index / 64] &= ~(uint64_t{1} << (index % 64));
        first_word_ = index / 64 < first_word_ ? index / 64 : first_word_;
    }

private:
    void set(uint32_t index) { words_[index / 64] |= uint64_t{1} << (index % 64); }

    std::array<uint64_t, 0x10000 / 64> words_{};  // a set bit: taken
    uint32_t first_word_ = 0;                     // no free index below this word
};

}  // namespace ouro::thread
