// Work that waits until its prefetch has landed.
//
// A pass over the heap touches one word of metadata for each reference, at random. Touching it at
// once costs a cache miss each; a visitor instead prefetches the word, puts the work into this ring
// and does the work that was put there kDepth references ago.
#pragma once

#include <array>
#include <cstddef>

namespace ouro::collector {

template <class Item, size_t kDepth>
class DelayRing {
    static_assert((kDepth & (kDepth - 1)) == 0, "a power of two");

public:
    // Takes an item in; hands the one that has waited longest to `work` if the ring was full.
    template <class Work>
    void push(Item item, Work work) {
        Item& place = items_[head_];
        head_ = (head_ + 1) % kDepth;
        if (waiting_ == kDepth) [[likely]] {
            const Item oldest = place;
            place = item;
            work(oldest);
        } else {
            place = item;
            ++waiting_;
        }
    }

    // Hands over all that waits; `work` may push more.
    template <class Work>
    void flush(Work work) {
        while (waiting_ != 0) {
            const Item oldest = items_[(head_ - waiting_) % kDepth];
            --waiting_;
            work(oldest);
        }
    }

    bool empty() const { return waiting_ == 0; }

private:
    std::array<Item, kDepth> items_{};
    size_t head_ = 0;
    size_t waiting_ = 0;
};

}  // namespace ouro::collector
