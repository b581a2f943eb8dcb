#include "experiments/runner/run/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/load.hpp"
#include "experiments/runner/words.hpp"

namespace ouro::runner {

void Mistakes::add(const Toml& at, const std::string& what) {
    const toml::source_location place = at.location();
    add(place.file_name(), place.line(), place.column(), what);
}

void Mistakes::add_at_key(const Toml& value, const std::string& key, const std::string& what) {
    const toml::source_location place = value.location();
    const size_t at = place.line_str().substr(0, place.column() - 1).rfind(key);
    add(place.file_name(), place.line(), at == std::string::npos ? place.column() : at + 1, what);
}

void Mistakes::add(const std::string& file, size_t line, size_t column, const std::string& what) {
    const auto known = std::ranges::find(files_, file);
    const auto index = static_cast<size_t>(known - files_.begin());
    if (known == files_.end()) {
        files_.push_back(file);
    }
    found_.push_back({index, line, column, what});
}

std::string Mistakes::text() const {
    std::vector<Mistake> sorted = found_;
    std::ranges::stable_sort(sorted, [](const Mistake& a, const Mistake& b) {
        return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    std::string text;
    for (const Mistake& each : sorted) {
        const std::string& file = files_[each.file];
        // What stands on the command line has no lines.
        const std::string place =
            file.starts_with("--") ? file : fmt::format("{}:{}:{}", file, each.line, each.column);
        text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", place, each.text);
    }
    return text;
}

std::string place_of(const Toml& value) {
    const toml::source_location place = value.location();
    return fmt::format("{}:{}:{}", place.file_name(), place.line(), place.column());
}

std::string spelling(const Toml& value) {
    const toml::source_location place = value.location();
    const std::string& line = place.line_str();
    const size_t from = std::min<size_t>(place.column() - 1, line.size());
    std::string text = line.substr(from, place.region());
    while (!text.empty() && text.back() == ' ') {
        text.pop_back();
    }
    return text;
}

namespace {

void not_fitting(const Toml& value, const std::string& name, const std::string& allowed,
                 Mistakes& mistakes) {
    mistakes.add(value, fmt::format("{}: found {}; allowed: {}", name, spelling(value), allowed));
}

}  // namespace

std::optional<int64_t> read_number(const Toml& value, const std::string& name, int64_t least,
                                   int64_t greatest, Mistakes& mistakes) {
    // toml11 makes the greatest number of one that is too large, and no key goes up to that.
    if (value.is_integer() && value.as_integer() >= least && value.as_integer() <= greatest) {
        return value.as_integer();
    }
    not_fitting(value, name, fmt::format("a whole number from {} to {}", least, greatest),
                mistakes);
    return {};
}

std::optional<double> read_decimal(const Toml& value, const std::string& name, int64_t least,
                                   int64_t greatest, Mistakes& mistakes) {
    const std::optional<double> found = value.is_floating() ? std::optional(value.as_floating())
                                        : value.is_integer()
                                            ? std::optional(static_cast<double>(value.as_integer()))
                                            : std::nullopt;
    // Also not what is no number.
    if (found && *found >= static_cast<double>(least) && *found <= static_cast<double>(greatest)) {
        return found;
    }
    not_fitting(value, name, fmt::format("a number from {} to {}", least, greatest), mistakes);
    return {};
}

std::optional<bool> read_toggle(const Toml& value, const std::string& name, Mistakes& mistakes) {
    if (value.is_boolean()) {
        return value.as_boolean();
    }
    not_fitting(value, name, "true, false", mistakes);
    return {};
}

std::optional<std::string> read_text(const Toml& value, const std::string& name,
                                     Mistakes& mistakes) {
    if (value.is_string() && !value.as_string().str.empty()) {
        return value.as_string().str;
    }
    not_fitting(value, name, "a text in quotation marks", mistakes);
    return {};
}

std::optional<std::string> read_word(const Toml& value, const std::string& name,
                                     const std::vector<std::string>& allowed, Mistakes& mistakes) {
    if (!value.is_string()) {
        not_fitting(value, name, "one of \"" + joined(allowed, "\", \"") + "\"", mistakes);
        return {};
    }
    const std::string found = value.as_string().str;
    if (std::ranges::find(allowed, found) == allowed.end()) {
        mistakes.add(value, fmt::format("{}: found '{}'; {}", name, found,
                                        allowed_words(found, joined(allowed))));
        return {};
    }
    return found;
}

std::optional<std::string> read_load(const Toml& value, const std::string& name,
                                     Mistakes& mistakes) {
    if (value.is_string() && parse_load(value.as_string().str)) {
        return value.as_string().str;
    }
    not_fitting(
        value, name,
        R"("saturated", per cent as in "50", a rate as in "300000/s", or two of these as in )"
        R"("12,saturated", which take turns of a second)",
        mistakes);
    return {};
}

std::vector<const Toml*> alternatives(const Toml& value, const std::string& name,
                                      Mistakes& mistakes) {
    if (!value.is_array()) {
        return {&value};
    }
    std::vector<const Toml*> found;
    for (const Toml& each : value.as_array()) {
        found.push_back(&each);
    }
    if (found.empty()) {
        mistakes.add(value,
                     fmt::format("{}: found an empty list; allowed: at least one value", name));
    }
    return found;
}

const Toml* Fields::take(const std::string& key) {
    known_.push_back(key);
    const auto& entries = table_.as_table();
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
}

std::optional<int64_t> Fields::number(const std::string& key, int64_t least, int64_t greatest) {
    const Toml* value = take(key);
    return value == nullptr ? std::nullopt : read_number(*value, key, least, greatest, mistakes_);
}

std::optional<bool> Fields::toggle(const std::string& key) {
    const Toml* value = take(key);
    return value == nullptr ? std::nullopt : read_toggle(*value, key, mistakes_);
}

std::optional<std::string> Fields::text(const std::string& key) {
    const Toml* value = take(key);
    return value == nullptr ? std::nullopt : read_text(*value, key, mistakes_);
}

void Fields::end() {
    for (const auto& [key, value] : table_.as_table()) {
        if (std::ranges::find(known_, key) == known_.end()) {
            mistakes_.add_at_key(
                value, key,
                fmt::format("unknown key '{}'; {}", key, allowed_words(key, joined(known_))));
        }
    }
}

}  // namespace ouro::runner
