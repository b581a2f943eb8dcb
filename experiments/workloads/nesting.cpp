#include "experiments/workloads/nesting.hpp"

#include <algorithm>
#include <string>

namespace ouro::workloads {
namespace {

// Behind the string that begins at `at`: one line between quotes, or any lines between three of them.
size_t end_of_string(std::string_view text, size_t at) {
    const char quote = text[at];
    const std::string three(3, quote);
    const bool is_long = text.substr(at).starts_with(three);
    for (size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
        if (text[i] == '\\' && quote == '"') {
            ++i;
        } else if (is_long ? text.substr(i).starts_with(three)
                           : text[i] == quote || text[i] == '\n') {
            return i + (is_long ? 3 : 1);
        }
    }
    return text.size();
}

}  // namespace

std::optional<size_t> too_deep_at(std::string_view text) {
    size_t brackets = 0;
    size_t dots = 0;
    for (size_t i = 0; i < text.size();) {
        switch (text[i]) {
            case '"':
            case '\'':
                i = end_of_string(text, i);
                continue;
            case '#':
                i = std::min(text.find('\n', i), text.size());
                continue;
            case '[':
            case '{':
                ++brackets;
                dots = 0;
                break;
            case ']':
            case '}':
                brackets -= brackets > 0 ? 1 : 0;
                dots = 0;
                break;
            case '.':
                ++dots;
                break;
            case ',':
            case '=':
            case '\n':
                dots = 0;
                break;
            default:
                break;
        }
        if (brackets + dots > kMostNesting) {
            return i;
        }
        ++i;
    }
    return std::nullopt;
}

nlohmann::json parse_json(std::string_view text) {
    return too_deep_at(text) ? nlohmann::json(nlohmann::json::value_t::discarded)
                             : nlohmann::json::parse(text, nullptr, false);
}

}  // namespace ouro::workloads
