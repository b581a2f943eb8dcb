#include "core/option/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>

namespace ouro::option {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

std::string allowed_words(std::string_view found, const std::vector<std::string_view>& allowed) {
    const std::string_view near = nearest(found, allowed);
    return fmt::format("allowed: {}{}", fmt::join(allowed, ", "),
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

std::vector<std::string_view> key_names() {
    std::vector<std::string_view> names;
    for (const Key& key : keys()) {
        names.push_back(key.name);
    }
    return names;
}

std::vector<std::string_view> engine_names() {
    std::vector<std::string_view> names;
    std::ranges::transform(engines(), std::back_inserter(names), &Engine::name);
    return names;
}

// The index of a word, or a number; none if it is not allowed.
std::optional<size_t> find_value(const Key& key, std::string_view value) {
    if (!key.values.empty()) {
        const auto it = std::ranges::find(key.values, value);
        return it == key.values.end() ? std::nullopt
                                      : std::optional<size_t>(it - key.values.begin());
    }
    size_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    return whole && number <= key.greatest ? std::optional<size_t>(number) : std::nullopt;
}

struct Initial {
    Settings settings;
    std::string error;
};

Initial& initial() {
    static Initial instance = [] {
        Initial from_environment;
        if (const char* text = std::getenv("OURO")) {
            from_environment.error = apply(text, from_environment.settings);
        }
        return from_environment;
    }();
    return instance;
}

}  // namespace

bool Settings::wants_huge_pages() const {
    if (huge_pages != HugePages::kAuto) {
        return huge_pages == HugePages::kOn;
    }
    return !engine_row().is_interleaved();
}

Settings& settings() {
    return initial().settings;
}

const std::string& environment_error() {
    return initial().error;
}

const std::vector<Key>& keys() {
    static const std::vector<Key> all = {
        {"engine", engine_names(), 0, [](Settings& s, size_t row) { s.engine = row; },
         [](const Settings& s) { return s.engine; }},
#ifdef OURO_REFCOUNT_PLAIN
        {"refcount",
         {"plain"},
         0,
         [](Settings&, size_t) {},
         [](const Settings&) { return size_t{0}; }},
#else
        {"refcount",
         {"gil", "biased", "atomic"},
         0,
         [](Settings& s, size_t i) { s.refcount = static_cast<Policy>(i); },
         [](const Settings& s) { return static_cast<size_t>(s.refcount); }},
#endif
        {"traverse",
         {"flagged", "optimistic"},
         0,
         [](Settings& s, size_t i) { s.traverse = static_cast<Traverse>(i); },
         [](const Settings& s) { return static_cast<size_t>(s.traverse); }},
        {"workers",
         {},
         256,
         [](Settings& s, size_t number) { s.workers = number; },
         [](const Settings& s) { return s.workers; }},
        {"generations",
         {"on", "off"},
         0,
         [](Settings& s, size_t i) { s.generations = i == 0; },
         [](const Settings& s) { return size_t{!s.generations}; }},
        {"trigger",
         {"quarter", "resident", "square-root"},
         0,
         [](Settings& s, size_t i) { s.trigger = static_cast<Trigger>(i); },
         [](const Settings& s) { return static_cast<size_t>(s.trigger); }},
        {"memory-price",
         {},
         1'000'000,
         [](Settings& s, size_t number) { s.memory_price = number; },
         [](const Settings& s) { return s.memory_price; }},
        {"young-threshold",
         {},
         INT_MAX,
         [](Settings& s, size_t number) { s.young_threshold = number; },
         [](const Settings& s) { return s.young_threshold; }},
        {"pause-budget-us",
         {},
         1'000'000,
         [](Settings& s, size_t number) { s.pause_budget_us = number; },
         [](const Settings& s) { return s.pause_budget_us; }},
        {"suspects",
         {},
         100'000,
         [](Settings& s, size_t number) { s.suspects = number; },
         [](const Settings& s) { return s.suspects; }},
        {"search-bound",
         {},
         1'000'000,
         [](Settings& s, size_t number) { s.search_bound = number; },
         [](const Settings& s) { return s.search_bound; }},
        {"snapshot-limit-ms",
         {},
         3'600'000,
         [](Settings& s, size_t number) { s.snapshot_limit_ms = number; },
         [](const Settings& s) { return s.snapshot_limit_ms; }},
        {"growth-limit",
         {},
         10'000,
         [](Settings& s, size_t number) { s.growth_limit = number; },
         [](const Settings& s) { return s.growth_limit; }},
        {"huge-pages",
         {"auto", "on", "off"},
         0,
         [](Settings& s, size_t i) { s.huge_pages = static_cast<HugePages>(i); },
         [](const Settings& s) { return static_cast<size_t>(s.huge_pages); }},
        {"verify",
         {"off", "on"},
         0,
         [](Settings& s, size_t i) { s.verify = i == 1; },
         [](const Settings& s) { return size_t{s.verify}; }},
        {"contract",
         {"off", "on"},
         0,
         [](Settings& s, size_t i) { s.contract = i == 1; },
         [](const Settings& s) { return size_t{s.contract}; }},
        {"stress",
         {},
         1'000'000'000,
         [](Settings& s, size_t number) { s.stress = number; },
         [](const Settings& s) { return s.stress; }},
        {"counters",
         {"off", "on"},
         0,
         [](Settings& s, size_t i) { s.counters = i == 1; },
         [](const Settings& s) { return size_t{s.counters}; }},
        {"log",
         {"off", "gc"},
         0,
         [](Settings& s, size_t i) { s.log_gc = i == 1; },
         [](const Settings& s) { return size_t{s.log_gc}; }},
        {"leaks",
         {"off", "on"},
         0,
         [](Settings& s, size_t i) { s.leaks = i == 1; },
         [](const Settings& s) { return size_t{s.leaks}; }},
    };
    return all;
}

const Key* find_key(std::string_view name) {
    const auto it = std::ranges::find(keys(), name, &Key::name);
    return it == keys().end() ? nullptr : &*it;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& allowed) {
    std::string_view best;
    size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
    for (const std::string_view candidate : allowed) {
        const size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string Key::allowed(std::string_view separator) const {
    return values.empty() ? fmt::format("0..{}", greatest)
                          : fmt::format("{}", fmt::join(values, separator));
}

std::string Key::text(const Settings& settings) const {
    const size_t value = get(settings);
    return values.empty() ? std::to_string(value) : std::string(values[value]);
}

std::string apply(std::string_view text, Settings& settings) {
    Settings changed = settings;
    size_t position = 0;
    while (position < text.size()) {
        const size_t end = std::min(text.find(',', position), text.size());
        const std::string_view part = text.substr(position, end - position);
        const size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            return fmt::format("settings, character {}: found '{}', expected key=value",
                               position + 1, part);
        }
        const std::string_view name = part.substr(0, equals);
        const std::string_view value = part.substr(equals + 1);
        const Key* key = find_key(name);
        if (key == nullptr) {
            return fmt::format("settings, character {}: unknown key '{}'; {}", position + 1, name,
                               allowed_words(name, key_names()));
        }
        const std::optional<size_t> found = find_value(*key, value);
        if (!found) {
            return fmt::format("settings, character {}: {} cannot be '{}'; {}",
                               position + equals + 2, name, value,
                               key->values.empty() ? "allowed: " + key->allowed(", ")
                                                   : allowed_words(value, key->values));
        }
        key->set(changed, *found);
        position = end + 1;
    }
    settings = changed;
    return {};
}

}  // namespace ouro::option
