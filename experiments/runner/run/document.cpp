#include "experiments/runner/run/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "experiments/runner/words.hpp"
#include "experiments/workloads/nesting.hpp"

namespace ouro::runner {
namespace {

// No experiment is nearly as long; a device goes on for ever.
constexpr size_t kMostBytes = 1 << 20;

// toml11's message is "[error] toml::function: what", then the lines with the place underlined.
void add_syntax_error(const toml::exception& error, Mistakes& mistakes) {
    const std::string text = error.what();
    const size_t end = std::min(text.find('\n'), text.size());
    std::string what = text.substr(0, end);
    if (const size_t colon = what.find(": "); colon != std::string::npos) {
        what.erase(0, colon + 2);
    }
    const toml::source_location& place = error.location();
    std::string excerpt = text.substr(end);
    while (!excerpt.empty() && excerpt.back() == '\n') {
        excerpt.pop_back();
    }
    // The location is often that of the line; the mark below the line is the place itself.
    size_t column = place.column();
    const size_t mark = excerpt.rfind('^');
    if (mark != std::string::npos && mark == excerpt.find('^')) {
        const size_t line = excerpt.rfind('\n', mark);
        column = mark - excerpt.find("| ", line) - 1;
    }
    mistakes.add(place.file_name(), place.line(), column, what + excerpt);
}

// Nothing, and a mistake, if it is no TOML that can be read.
std::optional<Toml> parse(const std::string& text, const std::string& file, Mistakes& mistakes) {
    if (const auto deep = workloads::too_deep_at(text)) {
        const std::string before = text.substr(0, *deep);
        mistakes.add(file, 1 + static_cast<size_t>(std::ranges::count(before, '\n')),
                     before.size() - (before.rfind('\n') + 1) + 1,
                     fmt::format("nested too deep; allowed: {} levels", workloads::kMostNesting));
        return std::nullopt;
    }
    std::istringstream stream(text);
    try {
        return toml::parse<toml::discard_comments, std::map, std::vector>(stream, file);
    } catch (const toml::exception& error) {
        add_syntax_error(error, mistakes);
        return std::nullopt;
    }
}

class Loader {
public:
    Loader(Document& document, Mistakes& mistakes) : document_(document), mistakes_(mistakes) {}

    // `place` is the include that asked for it, nullptr for the file of the command line.
    void load(const std::filesystem::path& path, const Toml* place) {
        const std::string name = path.lexically_normal().string();
        if (std::ranges::find(open_, name) != open_.end()) {
            complain(place, name, "is included by itself");
            return;
        }
        if (std::filesystem::is_directory(path)) {
            complain(place, name, "is a directory; allowed: a TOML file");
            return;
        }
        std::ifstream file(path);
        if (!file) {
            complain(place, name, std::strerror(errno));
            return;
        }
        std::string text(kMostBytes + 1, '\0');
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<size_t>(file.gcount()));
        if (text.empty() || text.size() > kMostBytes) {
            complain(place, name, text.empty() ? "is empty" : "is longer than 1 MiB");
            return;
        }
        const auto table = parse(text, name, mistakes_);
        if (!table) {
            return;
        }
        open_.push_back(name);
        load_included(*table, path.parent_path());
        open_.pop_back();
        document_.files.push_back({name, text});
        merge(*table);
    }

private:
    void complain(const Toml* place, const std::string& name, const std::string& what) {
        const std::string text = fmt::format("{}: {}", name, what);
        if (place == nullptr) {
            mistakes_.add(name, 1, 1, what);
        } else {
            mistakes_.add(*place, "include: " + text);
        }
    }

    void load_included(const Toml& table, const std::filesystem::path& folder) {
        const auto entry = table.as_table().find("include");
        if (entry == table.as_table().end()) {
            return;
        }
        for (const Toml* each : alternatives(entry->second, "include", mistakes_)) {
            if (const auto name = read_text(*each, "include", mistakes_)) {
                load(folder / *name, each);
            }
        }
    }

    void merge(const Toml& table) {
        auto& all = document_.table.as_table();
        for (const auto& [key, value] : table.as_table()) {
            const auto known = all.find(key);
            const bool tables = key == "workload" || key == "subject";
            if (known != all.end() && tables && known->second.is_array() && value.is_array()) {
                auto& list = known->second.as_array();
                list.insert(list.end(), value.as_array().begin(), value.as_array().end());
            } else {
                all[key] = value;
            }
        }
    }

    Document& document_;
    Mistakes& mistakes_;
    std::vector<std::string> open_;
};

// One override: into the table itself, or into each workload of a name.
void override_with(const std::string& text, Toml& table, Mistakes& mistakes) {
    const std::string file = "--set " + text;
    const size_t equals = text.find('=');
    const std::vector<std::string> path = words(text.substr(0, equals), '.');
    const bool nested = path.size() == 3 && path[0] == "workload";
    if (equals == std::string::npos || (path.size() != 1 && !nested)) {
        mistakes.add(file, 1, 1,
                     fmt::format("found '{}'; allowed: key=value, workload.NAME.key=value", text));
        return;
    }
    const std::string& key = path.back();
    const std::string value = text.substr(equals + 1);
    Mistakes of_a_value;
    auto entry = parse(fmt::format("{}={}", key, value), file, of_a_value);
    if (!entry) {
        entry = parse(fmt::format("{}='{}'", key, value), file, mistakes);
    }
    if (!entry) {
        return;
    }
    const Toml& found = entry->as_table().begin()->second;
    if (!nested) {
        table.as_table()[key] = found;
        return;
    }
    bool known = false;
    if (const auto list = table.as_table().find("workload");
        list != table.as_table().end() && list->second.is_array()) {
        for (Toml& each : list->second.as_array()) {
            const auto name =
                each.is_table() ? each.as_table().find("name") : each.as_table().end();
            if (name != each.as_table().end() && name->second.is_string() &&
                name->second.as_string().str == path[1]) {
                each.as_table()[key] = found;
                known = true;
            }
        }
    }
    if (!known) {
        mistakes.add(file, 1, 1, fmt::format("no [[workload]] has the name '{}'", path[1]));
    }
}

}  // namespace

Document read_document(const ConfigSource& source, const std::vector<std::string>& overrides,
                       Mistakes& mistakes) {
    Document document{Toml(toml::basic_value<toml::discard_comments, std::map>::table_type{}), {}};
    if (source.text) {
        document.table = parse(*source.text, source.name, mistakes).value_or(document.table);
        document.files.push_back({source.name, *source.text});
    } else {
        Loader(document, mistakes).load(source.name, nullptr);
    }
    if (mistakes.none()) {
        for (const std::string& each : overrides) {
            override_with(each, document.table, mistakes);
        }
    }
    return document;
}

}  // namespace ouro::runner
