// What code points are worth as numbers. Source: "Unicode Objects and Codecs" in the C API documentation, and the Unicode
// character database 14.0, as /usr/bin/python3 has it.
#include <algorithm>
#include <optional>
#include <span>

#include "core/builtins/text/unicode_case.hpp"
#include "core/include/Python.h"

using namespace ouro;

namespace {

// The code points from first to last; each is worth `step` more than the one before.
struct Number {
    Py_UCS4 first, last;
    double of_first, step;
};

#include "core/builtins/text/unicode_numbers.inc"

std::optional<double> worth(std::span<const Number> numbers, Py_UCS4 ch) {
    const auto* after = std::ranges::upper_bound(numbers.data(), numbers.data() + numbers.size(),
                                                 ch, {}, &Number::first);
    if (after == numbers.data() || ch > after[-1].last) {
        return std::nullopt;
    }
    return after[-1].of_first + static_cast<double>(ch - after[-1].first) * after[-1].step;
}

}  // namespace

int Py_UNICODE_TODECIMAL(Py_UCS4 ch) {
    return text::is_decimal(ch) ? Py_UNICODE_TODIGIT(ch) : -1;
}

int Py_UNICODE_TODIGIT(Py_UCS4 ch) {
    return static_cast<int>(worth(kDigits, ch).value_or(-1));
}

double Py_UNICODE_TONUMERIC(Py_UCS4 ch) {
    return worth(kNumbers, ch).value_or(-1);
}
