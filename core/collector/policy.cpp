#include "core/collector/policy.hpp"

namespace ouro::collector {

bool Policy::due(size_t young, bool generations, Scope* scope) const {
    if (!generations) {
        *scope = Scope::kFull;
        return young > kYoungThreshold && young >= long_lived_total_ / 4;
    }
    if (old_ > kOldThreshold && long_lived_pending_ >= long_lived_total_ / 4) {
        *scope = Scope::kFull;
    } else if (middle_ > kMiddleThreshold) {
        *scope = Scope::kMiddle;
    } else if (young > kYoungThreshold) {
        *scope = Scope::kYoung;
    } else {
        return false;
    }
    return true;
}

void Policy::begin(Scope scope) {
    switch (scope) {
        case Scope::kYoung:
            ++middle_;
            break;
        case Scope::kMiddle:
            middle_ = 0;
            ++old_;
            break;
        case Scope::kFull:
            middle_ = 0;
            old_ = 0;
            break;
    }
}

void Policy::end(Scope scope, size_t survivors) {
    if (scope == Scope::kMiddle) {
        long_lived_pending_ += survivors;
    } else if (scope == Scope::kFull) {
        long_lived_pending_ = 0;
        long_lived_total_ = survivors;
    }
}

}  // namespace ouro::collector
