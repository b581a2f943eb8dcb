// Reading a TOML table key by key, with every mistake collected and placed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <toml.hpp>
#include <vector>

namespace ouro::runner {

using Toml = toml::basic_value<toml::discard_comments, std::map, std::vector>;

// What is wrong with a file, so that all of it can be told at once.
class Mistakes {
public:
    // "FILE:LINE:COLUMN: what"
    void add(const Toml& at, const std::string& what);
    // The same, at the key that stands before the value.
    void add_at_key(const Toml& value, const std::string& key, const std::string& what);
    void add(const std::string& file, size_t line, size_t column, const std::string& what);

    bool none() const { return found_.empty(); }
    // "FILE:LINE:COLUMN: what", a line each, in the order of the files and their lines. A file whose
    // name begins with "--" is an option of the command line, which has no lines.
    std::string text() const;

private:
    struct Mistake {
        size_t file, line, column;
        std::string text;
    };
    std::vector<std::string> files_;
    std::vector<Mistake> found_;
};

// "FILE:LINE:COLUMN"
std::string place_of(const Toml& value);
// The value as the file spells it.
std::string spelling(const Toml& value);

// One table: each key is asked for once, and what was not asked for is a mistake.
class Fields {
public:
    Fields(const Toml& table, Mistakes& mistakes) : table_(table), mistakes_(mistakes) {}

    // nullptr if the key is not there.
    const Toml* take(const std::string& key);
    // Nothing if the key is not there or, with a mistake, if its value does not fit.
    std::optional<int64_t> number(const std::string& key, int64_t least, int64_t greatest);
    std::optional<bool> toggle(const std::string& key);
    std::optional<std::string> text(const std::string& key);
    // Reports each key that was not asked for, with what is allowed.
    void end();

private:
    const Toml& table_;
    Mistakes& mistakes_;
    std::vector<std::string> known_;
};

// A value alone; `name` is for the message.
std::optional<int64_t> read_number(const Toml& value, const std::string& name, int64_t least,
                                   int64_t greatest, Mistakes& mistakes);
// With or without a fraction.
std::optional<double> read_decimal(const Toml& value, const std::string& name, int64_t least,
                                   int64_t greatest, Mistakes& mistakes);
std::optional<bool> read_toggle(const Toml& value, const std::string& name, Mistakes& mistakes);
std::optional<std::string> read_text(const Toml& value, const std::string& name,
                                     Mistakes& mistakes);
// One of `allowed`.
std::optional<std::string> read_word(const Toml& value, const std::string& name,
                                     const std::vector<std::string>& allowed, Mistakes& mistakes);
// A load (parse_load).
std::optional<std::string> read_load(const Toml& value, const std::string& name,
                                     Mistakes& mistakes);
// The items of a list, or the value itself: a list asks for each of its values in turn. An empty
// list, or a list in it, is a mistake.
std::vector<const Toml*> alternatives(const Toml& value, const std::string& name,
                                      Mistakes& mistakes);

}  // namespace ouro::runner
