// Where the values that pass end and those that fail begin, by bisection. Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace ouro::runner {

// Tries `easy` first, the bound that is the likelier to pass, then `hard`, then what lies between the two
// that are known to be nearest to each other: the geometric middle as long as one is more than twice the
// other. Whatever lies beyond a value that passes is taken to pass, too.
class Bisection {
public:
    // It ends when the two are one apart, or not more than this part of the larger. To look for a
    // smallest value `hard` is less than `easy`. Pre: both are 0 or more.
    Bisection(int64_t easy, int64_t hard, double within);

    // The value to try; nothing when the edge is known, or known not to be between the bounds.
    std::optional<int64_t> next() const;
    // Whether next() passes.
    void tell(bool passed);

    // The hardest value that passed and the easiest that failed, of those that were tried.
    std::optional<int64_t> passes() const { return passes_; }
    std::optional<int64_t> fails() const { return fails_; }

private:
    int64_t easy_;
    int64_t hard_;
    double within_;
    std::optional<int64_t> passes_{}, fails_{};
};

}  // namespace ouro::runner
