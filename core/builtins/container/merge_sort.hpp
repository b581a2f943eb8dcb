// A stable merge sort by a comparison that may fail or contradict itself: the items are never more or fewer,
// whatever it says, and nothing outside them is touched.
//
// It finds what is in order already, so that sorted input costs one comparison an item: ascending runs, and
// strictly descending ones, which are turned round. Short runs are made longer by insertion.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace ouro::container {

// `less(a, b)` is 1, 0, or -1: that ends it.
template <class Item, class Less>
class MergeSort {
public:
    // `spare` has room for as many items.
    MergeSort(Item* items, size_t count, Item* spare, Less less)
        : items_(items), count_(count), spare_(spare), less_(less) {}

    // False if a comparison failed; then the items are in some order.
    bool run() {
        for (size_t begin = 0; begin < count_;) {
            const size_t end = take_run(begin);
            if (end == kFailed) {
                return false;
            }
            runs_[depth_++] = {begin, end};
            // Each run that waits is twice as long as the one after it, so that few ever wait.
            while (depth_ > 1 && length(depth_ - 2) < 2 * length(depth_ - 1)) {
                if (!merge_last()) {
                    return false;
                }
            }
            begin = end;
        }
        while (depth_ > 1) {
            if (!merge_last()) {
                return false;
            }
        }
        return true;
    }

private:
    static constexpr size_t kFailed = static_cast<size_t>(-1);
    static constexpr size_t kShortest = 32;

    struct Run {
        size_t begin, end;
    };
    size_t length(size_t run) const { return runs_[run].end - runs_[run].begin; }

    // Makes a sorted run at `begin`; returns its end.
    size_t take_run(size_t begin) {
        size_t end = natural_run(begin);
        if (end == kFailed) {
            return kFailed;
        }
        const size_t wanted = std::min(count_, begin + kShortest);
        for (; end < wanted; ++end) {
            const size_t place = first_after(begin, end, items_[end]);
            if (place == kFailed) {
                return kFailed;
            }
            std::rotate(items_ + place, items_ + end, items_ + end + 1);
        }
        return end;
    }

    size_t natural_run(size_t begin) {
        size_t end = begin + 1;
        if (end == count_) {
            return end;
        }
        const int descends = less_(items_[end], items_[begin]);
        int same = descends;
        while (same == descends && same >= 0 && ++end < count_) {
            same = less_(items_[end], items_[end - 1]);
        }
        if (same < 0) {
            return kFailed;
        }
        if (descends != 0) {
            std::reverse(items_ + begin, items_ + end);
        }
        return end;
    }

    // The first place in a sorted range whose item is greater; so equal items stay in order.
    size_t first_after(size_t low, size_t high, const Item& item) {
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            const int is_less = less_(item, items_[middle]);
            if (is_less < 0) {
                return kFailed;
            }
            (is_less != 0 ? high : low) = is_less != 0 ? middle : middle + 1;
        }
        return low;
    }

    // The first place in a sorted range whose item is not less.
    size_t first_not_before(size_t low, size_t high, const Item& item) {
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            const int is_less = less_(items_[middle], item);
            if (is_less < 0) {
                return kFailed;
            }
            (is_less != 0 ? low : high) = is_less != 0 ? middle + 1 : middle;
        }
        return low;
    }

    bool merge_last() {
        const Run left = runs_[depth_ - 2];
        const Run right = runs_[depth_ - 1];
        --depth_;
        runs_[depth_ - 1] = {left.begin, right.end};
        // What is in its place already stays there.
        const size_t begin = first_after(left.begin, left.end, items_[right.begin]);
        if (begin == kFailed || begin == left.end) {
            return begin != kFailed;
        }
        const size_t end = first_not_before(right.begin, right.end, items_[left.end - 1]);
        return end != kFailed && merge(begin, left.end, end);
    }

    // The left part moves aside; the gap that it leaves is always as long as what is left of it.
    bool merge(size_t begin, size_t middle, size_t end) {
        const Item* left = spare_;
        const Item* const left_end = std::copy(items_ + begin, items_ + middle, spare_);
        Item* to = items_ + begin;
        const Item* right = items_ + middle;
        bool good = true;
        while (left < left_end && right < items_ + end) {
            const int is_less = less_(*right, *left);
            if (is_less < 0) {
                good = false;
                break;
            }
            *to++ = is_less != 0 ? *right++ : *left++;
        }
        std::copy(left, left_end, to);
        return good;
    }

    Item* const items_;
    const size_t count_;
    Item* const spare_;
    Less less_;
    std::array<Run, 66> runs_;
    size_t depth_ = 0;
};

}  // namespace ouro::container
