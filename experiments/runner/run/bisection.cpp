#include "experiments/runner/run/bisection.hpp"

#include <algorithm>
#include <cmath>

namespace ouro::runner {

Bisection::Bisection(int64_t easy, int64_t hard, double within)
    : easy_(easy), hard_(hard), within_(within) {}

std::optional<int64_t> Bisection::next() const {
    if (!passes_) {
        return fails_ ? std::nullopt : std::optional(easy_);
    }
    if (!fails_) {
        return *passes_ == hard_ ? std::nullopt : std::optional(hard_);
    }
    const int64_t low = std::min(*passes_, *fails_);
    const int64_t high = std::max(*passes_, *fails_);
    if (high - low <= 1 || static_cast<double>(high - low) <= within_ * static_cast<double>(high)) {
        return {};
    }
    if (low >= 1 && high / low >= 2) {
        const double middle = std::sqrt(static_cast<double>(low) * static_cast<double>(high));
        return std::clamp(static_cast<int64_t>(std::llround(middle)), low + 1, high - 1);
    }
    return low + (high - low) / 2;
}

void Bisection::tell(bool passed) {
    (passed ? passes_ : fails_) = next();
}

}  // namespace ouro::runner
