// What must be known of a workload: what it is called, its parameters, how it is made or measured, what is printed of
// it and what it does not cover. The file that describes it is the only one that names it: `ouro bench` makes flags
// of its parameters, experiments check theirs by them, results carry the rest to the figures.
//
//     const Described spiral({.name = "spiral", .summary = "...", .parameters = {...}, .make = ...});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/workloads/load.hpp"

namespace ouro::runner {
class Row;  // experiments/runner/row.hpp: what measuring fills in
}

namespace ouro::workloads {

// A value for each parameter, in its range, or null where nothing is said: an object.
using Values = nlohmann::json;

// A parameter, as a configuration and the flag `--name` call it.
struct Parameter {
    enum class Type { kNumber, kDecimal, kSwitch, kWord, kText, kLoad };
    // Who is given it: every subject and `ouro bench`; these but no interpreter; programs of experiments/peers alone;
    // `ouro bench` alone, so that no experiment has it.
    enum class Scope { kAll, kOurs, kPeers, kCommand };

    std::string name;
    Type type = Type::kNumber;
    nlohmann::json initial{};  // null: the flag is not given
    int64_t least = 0, greatest = 0;
    std::vector<std::string> allowed{};  // kWord
    std::string help{};                  // of the flag
    Scope scope = Scope::kAll;
    // Of `ouro bench`, where experiments begin with another; null: they do not.
    nlohmann::json command_initial{};
    // What a null stands for in an experiment, if other values say it.
    nlohmann::json (*otherwise)(const Values& values) = nullptr;
    // Flags that cannot be given beside this one. If it is given, the values of these are null.
    std::vector<std::string> instead_of{};

    static Parameter number(std::string name, int64_t initial, int64_t least, int64_t greatest,
                            std::string help) {
        return {.name = std::move(name),
                .initial = initial,
                .least = least,
                .greatest = greatest,
                .help = std::move(help)};
    }
    static Parameter decimal(std::string name, double initial, int64_t least, int64_t greatest,
                             std::string help) {
        return {.name = std::move(name),
                .type = Type::kDecimal,
                .initial = initial,
                .least = least,
                .greatest = greatest,
                .help = std::move(help)};
    }
    // The usual size of a workload under load.
    static Parameter live() {
        return number("live", 100'000, 2, 1 << 30,
                      "containers that are alive all the time, of all threads");
    }
    // How many samples there are.
    static Parameter collections(int64_t initial, std::string help) {
        return number("collections", initial, 1, 1'000'000, std::move(help));
    }
    // False, unless it is given.
    static Parameter toggle(std::string name, std::string help) {
        return {.name = std::move(name),
                .type = Type::kSwitch,
                .initial = false,
                .help = std::move(help)};
    }
    // The first word, unless another is given.
    static Parameter word(std::string name, std::vector<std::string> allowed, std::string help) {
        nlohmann::json first = allowed.front();
        return {.name = std::move(name),
                .type = Type::kWord,
                .initial = std::move(first),
                .allowed = std::move(allowed),
                .help = std::move(help)};
    }
    // Of `ouro bench`: so many seconds, instead of what the others say.
    static Parameter seconds_instead_of(std::vector<std::string> others, std::string help) {
        return {.name = "seconds",
                .least = 1,
                .greatest = 1'000'000,
                .help = std::move(help),
                .scope = Scope::kCommand,
                .instead_of = std::move(others)};
    }
};

// Who makes a run: ours, an interpreter, or a program of experiments/peers.
enum class Kind { kOurs, kPython, kPeer };

// How large a size must be at least, for each mutator: so many times another parameter, or as it stands if none
// is named.
struct Least {
    uint64_t times = 0;
    const char* of = "";
};

// What is wrong with values that are each in its range.
struct Problem {
    std::string parameter;
    std::string allowed;  // what this one could be with the others as they are
};

// What an interpreter's script reads from its standard input: what `ouro COMMAND` writes that is given these
// parameters, if there are any, and the seed.
struct Generator {
    std::string command{};
    std::vector<std::string> parameters{};
};

// Called when the runtime runs, with a row that has the name and the parameters: measures, and returns the row,
// finished (experiments/schema). Throws std::bad_alloc or std::runtime_error.
using Measure = std::function<nlohmann::json(runner::Row& row)>;

struct Description {
    std::string name;
    std::string summary;  // a line
    std::vector<Parameter> parameters;
    // Which of them says how large the heap is; empty: none. Its value must be `least`.
    std::string size{};
    Least least{};
    // What else is wrong; `prefix` stands before the name of another parameter, on command lines.
    std::optional<Problem> (*problem)(const Values& values, std::string_view prefix) = nullptr;

    // How it is measured is one of these three. What one mutator does; throws std::bad_alloc:
    std::unique_ptr<Load> (*make)(const Values& values, uint64_t seed) = nullptr;
    // how its own measuring is made:
    nlohmann::json (*measure)(runner::Row& row, const Values& values, uint64_t seed) = nullptr;
    // the same if something comes before the runtime starts, a fork say: this is called there.
    Measure (*begin)(const Values& values, uint64_t seed) = nullptr;

    // With `make`: how many operations a run has, of one mutator. Null: the run is under load: it has the parameters
    // `threads`, `seconds` and `load` as well, and each mutator its part of the size.
    uint64_t (*operations)(const Values& values) = nullptr;
    // Of such a run: so many operations are between two looks at clock and memory.
    uint64_t look_every = 1;
    // Prints its part of the table of a row (experiments/runner/table.hpp). Not null with a measuring of its own.
    void (*print)(const nlohmann::json& row) = nullptr;

    // A script of experiments/peers/cpython that does the same and takes the same flags, and what it reads. Empty:
    // no interpreter does it.
    std::string script{};
    Generator generator{};
    // Whether with these values no interpreter does it all the same.
    bool (*ours_alone)(const Values& values) = nullptr;
    // The group of experiments/packages.txt with what the script needs; empty: nothing.
    std::string packages{};
    // Whether programs of experiments/peers do it.
    bool peers = false;
    // It is no workload of `ouro bench`, but the heap of a program that an interpreter keeps (runner/run/captured.hpp).
    bool captures = false;

    // A guess: seconds that a run takes. Null: ten, or as long as it is told to go on.
    double (*seconds)(Kind kind, const Values& values) = nullptr;
    // Bytes that what it makes takes at its peak, rather too few than too many, as they were measured with 10^5 to
    // 10^6 objects: what does not fit in memory is refused. Null: 32 for each of its size, a small container's.
    double (*bytes)(Kind kind, const Values& values) = nullptr;
    // How large the heap is, and what rows call the workload, where the size and the name are not it.
    uint64_t (*objects)(const Values& values) = nullptr;
    std::string (*title)(const Values& values) = nullptr;
    // What figures of it must say that it does not show; the gate asks for it.
    std::string not_covered{};

    // Whether ours do it.
    bool is_ours() const {
        return make != nullptr || measure != nullptr || begin != nullptr || captures;
    }
    bool under_load() const { return make != nullptr && operations == nullptr; }
    uint64_t objects_of(const Values& values) const {
        return objects == nullptr ? values.value(size, uint64_t{0}) : objects(values);
    }
    std::string title_of(const Values& values) const {
        return title == nullptr ? name : title(values);
    }
    // The first thing that is wrong with values taken together.
    std::optional<Problem> problem_of(const Values& values, std::string_view prefix = "") const;
};

// All of this program, in the order of their names. After main() began.
const std::vector<Description>& descriptions();

// Adds its description to them, with the parameters of what is under load. One for each, of static storage.
class Described {
public:
    explicit Described(Description description);
};

}  // namespace ouro::workloads
