// Classes of code points beyond those of unicode_tables.hpp, and what becomes of them in another case. Source: the
// Unicode character database 14.0, as /usr/bin/python3 has it.
#pragma once

#include <cstddef>

namespace ouro::text {

// White space, and what ends a line.
bool is_space(char32_t c);
bool ends_line(char32_t c);

bool is_alpha(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
bool is_upper(char32_t c);
bool is_lower(char32_t c);
// In the case of titles, such as U+01C5.
bool is_title(char32_t c);
inline bool is_cased(char32_t c) {
    return is_upper(c) || is_lower(c) || is_title(c);
}
// Whether a sigma before or behind it looks at what is on its other side to see if its word has ended.
bool is_case_ignorable(char32_t c);

enum class Case { kUpper, kLower, kTitle, kFold };

inline constexpr size_t kMostInCase = 3;

// Writes the code points that c becomes and returns how many there are.
size_t in_case(Case which, char32_t c, char32_t to[kMostInCase]);

}  // namespace ouro::text
