// Settings: one key=value grammar for Ouro_Configure, the environment variable OURO, command flags
// and files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/option/engines.hpp"

namespace ouro::option {

enum class Policy { kGil, kBiased, kAtomic };
enum class Traverse { kFlagged, kOptimistic };
enum class HugePages { kAuto, kOn, kOff };
enum class Trigger { kQuarter, kResident, kSquareRoot };

struct Settings {
    size_t engine = 0;   // a row of engines()
    size_t workers = 0;  // of a parallel engine; 0: by the number of processors
    Policy refcount = Policy::kGil;
    Traverse traverse = Traverse::kFlagged;
    bool generations = true;
    Trigger trigger = Trigger::kQuarter;
    size_t memory_price = 16;           // of a million containers, per cent of a processor's time
    size_t young_threshold = 2000;      // containers; 0: no collection begins by itself
    size_t pause_budget_us = 200;       // of work that can be cut up
    size_t suspects = 256;              // that wait when it is searched around them
    size_t search_bound = 64;           // members of a first search around one; 0: none
    size_t snapshot_limit_ms = 60'000;  // that a child process may take
    size_t growth_limit = 200;          // per cent of the heap's growth, to which mutators are held
    HugePages huge_pages = HugePages::kAuto;
    bool verify = false;
    bool contract = false;  // tell which rules the program's types break
    size_t stress =
        0;  // containers, of which each last one begins a collection; 0: as CPython's policy has it
    bool counters = false;  // of the hardware, a phase
    bool log_gc = false;
    bool leaks = false;  // tell at the end what is left

    int64_t pause_budget_ns() const { return static_cast<int64_t>(pause_budget_us) * 1000; }
    const Engine& engine_row() const { return engines()[engine]; }
    // kAuto: unless collections are interleaved with the program; clearing a huge page is a pause of its own.
    bool wants_huge_pages() const;
};

// The settings in force: at first those of the environment variable OURO. Changed before the runtime
// starts, read by all threads after.
Settings& settings();
// What is wrong with the environment variable, or the empty string; then it was ignored.
const std::string& environment_error();

// One key: its allowed values in order, the first is the default; or, if it has none, any number up to
// a greatest.
struct Key {
    std::string_view name;
    std::vector<std::string_view> values;
    size_t greatest;
    void (*set)(Settings&, size_t index_or_number);
    size_t (*get)(const Settings&);
    // What is allowed, and what `settings` says, as text.
    std::string allowed(std::string_view separator) const;
    std::string text(const Settings& settings) const;
};
const std::vector<Key>& keys();
const Key* find_key(std::string_view name);

// Applies "key=value,key=value" to `settings` as a whole or, if any part of it is wrong, not at all.
// Returns the empty string or what is wrong: the place, what was found, what is allowed, and the
// nearest spelling.
std::string apply(std::string_view text, Settings& settings);

// The allowed word that differs least from `word`, if any is near enough to be what was meant.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& allowed);

}  // namespace ouro::option
