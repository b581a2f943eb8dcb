#include "core/collector/policy.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ouro::collector {

size_t Policy::threshold(bool generations) const {
    if (thresholds_[0] <= 0) {
        return SIZE_MAX / 4;
    }
    if (stress_ > 0) {
        return stress_ - 1;
    }
    const auto young = static_cast<size_t>(thresholds_[0]);
    if (young != kYoungThreshold) {
        return generations ? young : std::max(young + 1, room()) - 1;
    }
    if (generations) {
        return running_ == 1 ? kYoungThreshold
                             : (budgeted_ ? kYoungThreshold : kYoungOfEach) * running_;
    }
    if (overdue_) {
        return kYoungThreshold;
    }
    // One less: the free-threaded build's condition has "or equal".
    return std::max(kYoungThreshold + 1, room()) - 1;
}

bool Policy::is_turn_of_full() const {
    const bool middle_is_due = old_ > 0 || exceeds(middle_, thresholds_[1]);
    if (trigger_->is_alone()) {
        return middle_is_due && long_lived_pending_ >= room();
    }
    const bool small =
        budgeted_ && middle_is_due && long_lived_pending_ >= kSmall * long_lived_total_;
    return small || (exceeds(old_, thresholds_[2]) && long_lived_pending_ >= room());
}

bool Policy::due(size_t young, bool generations, Scope* scope) {
    trigger_->note(became_part_ + long_lived_pending_ + (generations ? 0 : young));
    if (young <= threshold(generations)) {
        return false;
    }
    if (stress_ > 0) {
        *scope = Scope::kFull;
        return true;
    }
    if (!generations) {
        *scope = Scope::kFull;
        return overdue_ || trigger_->confirms(young);
    }
    if (overdue_ || (is_turn_of_full() && trigger_->confirms(long_lived_pending_))) {
        *scope = Scope::kFull;
    } else if (exceeds(middle_, thresholds_[1]) && !budgeted_) {
        *scope = Scope::kMiddle;
    } else {
        *scope = Scope::kYoung;
    }
    return true;
}

void Policy::begin(Scope scope, size_t young, size_t let_go) {
    switch (scope) {
        case Scope::kYoung:
            young_in_flight_ = young;
            let_go_ = let_go;
            if (budgeted_ && exceeds(middle_, thresholds_[1])) {
                middle_ = 0;  // instead of one of the middle
                ++old_;
            } else {
                ++middle_;
            }
            break;
        case Scope::kMiddle:
            young_in_flight_ = young;
            let_go_ = let_go;
            middle_ = 0;
            ++old_;
            break;
        case Scope::kLocal:
            return;
        case Scope::kFull:
            middle_ = 0;
            old_ = 0;
            room_at_begin_ = room();
            before_ += long_lived_pending_ + young;
            became_part_ += long_lived_pending_ + young;
            long_lived_pending_ = 0;
            trigger_->note(became_part_);
            trigger_->begin();
            full_in_flight_ = true;
            overdue_ = false;
            break;
    }
}

// By how much a young or middle collection that so many survived has made the heap larger. They are more than were expected
// where old objects that were let go of have made that number less.
size_t Policy::added(size_t survivors) {
    const size_t more = survivors - std::min(survivors, std::exchange(young_in_flight_, 0));
    return survivors - std::min(more, std::exchange(let_go_, 0));
}

void Policy::end(Scope scope, size_t objects, size_t garbage, double seconds) {
    if (scope == Scope::kLocal) {
        // So much less was added to what a full collection would look at.
        const size_t pending = std::min(garbage, long_lived_pending_);
        long_lived_pending_ -= pending;
        long_lived_total_ -= std::min(garbage - pending, long_lived_total_);
        return;
    }
    const size_t survivors = objects - garbage;
    const size_t new_ones = scope == Scope::kFull ? 0 : added(survivors);
    if (budgeted_ && scope == Scope::kYoung) {
        in_a_row_ =
            garbage * kLittle < objects ? std::min(2 * in_a_row_ + 1, kMostLeftOut) : size_t{0};
        to_leave_out_ = in_a_row_;
    }
    if (scope == Scope::kFull) {
        long_lived_total_ = survivors;
        to_leave_out_ = 0;
        before_ = 0;
        full_in_flight_ = overdue_ = false;
        trigger_->end(objects, seconds);
    } else if (scope == Scope::kMiddle || budgeted_) {
        long_lived_pending_ += new_ones;
    }
}

void Policy::abandoned() {
    long_lived_pending_ += before_;
    became_part_ -= before_;
    before_ = 0;
    full_in_flight_ = false;
    overdue_ = true;
}

bool Policy::leave_out() {
    if (to_leave_out_ == 0 || stress_ > 0) {
        return false;
    }
    --to_leave_out_;
    return true;
}

}  // namespace ouro::collector
