// Lists of words in one string, as the settings' functions return them; a number that is one.
#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ouro::runner {

// The words of "a|b|c".
inline std::vector<std::string> words(std::string_view text, char separator = '|') {
    std::vector<std::string> found;
    while (!text.empty()) {
        const size_t end = std::min(text.find(separator), text.size());
        if (end > 0) {
            found.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

// "a|b|c".
template <typename Words>
std::string joined(const Words& list, std::string_view separator = "|") {
    std::string text;
    for (const auto& word : list) {
        text += text.empty() ? std::string_view() : separator;
        text += word;
    }
    return text;
}

// The number that the whole of a text is, in decimal digits; none if it is no such number or too large.
inline std::optional<unsigned> number_in(std::string_view text,
                                         unsigned greatest = std::numeric_limits<unsigned>::max()) {
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end && value <= greatest ? std::optional(value)
                                                                    : std::nullopt;
}

}  // namespace ouro::runner
