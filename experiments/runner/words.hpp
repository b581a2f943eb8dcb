// Lists of words in one string, as the settings' functions return them.
#pragma once

#include <algorithm>
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

}  // namespace ouro::runner
