#include "core/builtins/text/unicode_case.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace ouro::text {
namespace {

// Code points first, first + step, ... last become others at a distance.
struct Run {
    char32_t first, last;
    unsigned step;
    int distance;
};

// One that becomes several; zeros follow them.
struct Special {
    char32_t from;
    char32_t to[kMostInCase];
};

#include "core/builtins/text/unicode_cases.inc"
#include "core/builtins/text/unicode_classes.inc"

template <size_t N>
bool is_in(const char32_t (&edges)[N], char32_t c) {
    return (std::upper_bound(edges, edges + N, c) - edges) % 2 != 0;
}

struct Mapping {
    std::span<const Run> runs;
    std::span<const Special> specials;
};

const Mapping kMappings[] = {{kUpperRuns, kUpperSpecials},
                             {kLowerRuns, kLowerSpecials},
                             {kTitleRuns, kTitleSpecials},
                             {kFoldRuns, kFoldSpecials}};

}  // namespace

bool is_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

bool ends_line(char32_t c) {
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

bool is_alpha(char32_t c) {
    return is_in(kAlpha, c);
}

bool is_decimal(char32_t c) {
    return is_in(kDecimal, c);
}

bool is_digit(char32_t c) {
    return is_in(kDigit, c);
}

bool is_numeric(char32_t c) {
    return is_in(kNumeric, c);
}

bool is_upper(char32_t c) {
    return is_in(kUpper, c);
}

bool is_lower(char32_t c) {
    return is_in(kLower, c);
}

bool is_title(char32_t c) {
    return is_in(kTitle, c);
}

bool is_case_ignorable(char32_t c) {
    return is_in(kCaseIgnorable, c);
}

size_t in_case(Case which, char32_t c, char32_t to[kMostInCase]) {
    const Mapping& mapping = kMappings[static_cast<size_t>(which)];
    const auto special = std::ranges::lower_bound(mapping.specials, c, {}, &Special::from);
    if (special != mapping.specials.end() && special->from == c) {
        std::ranges::copy(special->to, to);
        return static_cast<size_t>(std::ranges::find(special->to, U'\0') - special->to);
    }
    const auto run = std::ranges::lower_bound(mapping.runs, c, {}, &Run::last);
    const bool is_mapped =
        run != mapping.runs.end() && c >= run->first && (c - run->first) % run->step == 0;
    to[0] = is_mapped ? static_cast<char32_t>(static_cast<int>(c) + run->distance) : c;
    return 1;
}

}  // namespace ouro::text
