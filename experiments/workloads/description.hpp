// A workload that says itself what must be known of it: what it is called, its parameters, how it is made, how it
// is measured and what it does not cover. Its file is the only one that names it: `ouro bench` makes flags of its
// parameters, experiments check theirs by them, results carry the rest to the figures.
//
//     const Described spiral({.name = "spiral", .summary = "...", .parameters = {...}, .make = ...});
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "experiments/workloads/load.hpp"

namespace ouro::workloads {

// A parameter, as a configuration and the flag `--name` call it.
struct Parameter {
    enum class Type { kNumber, kDecimal, kSwitch, kWord, kText, kLoad };
    std::string name;
    Type type;
    nlohmann::json initial;  // null: the flag is not given
    int64_t least = 0, greatest = 0;
    std::vector<std::string> allowed{};  // kWord
    bool peers_alone = false;            // no other subject is given it
    std::string help{};                  // of the flag

    static Parameter number(std::string name, int64_t initial, int64_t least, int64_t greatest,
                            std::string help) {
        return {std::move(name), Type::kNumber,  initial, least, greatest, {},
                false,           std::move(help)};
    }
    static Parameter decimal(std::string name, double initial, int64_t least, int64_t greatest,
                             std::string help) {
        return {std::move(name), Type::kDecimal, initial, least, greatest, {},
                false,           std::move(help)};
    }
    // The usual size of a workload under load.
    static Parameter live() {
        return number("live", 100'000, 2, 1 << 30,
                      "containers that are alive all the time, of all threads");
    }
    // False, unless it is given.
    static Parameter toggle(std::string name, std::string help) {
        return {std::move(name), Type::kSwitch, false, 0, 0, {}, false, std::move(help)};
    }
    // The first word, unless another is given.
    static Parameter word(std::string name, std::vector<std::string> allowed, std::string help) {
        std::string first = allowed.front();
        return {std::move(name),    Type::kWord, std::move(first), 0, 0,
                std::move(allowed), false,       std::move(help)};
    }
};

// A value for each parameter, in its range: an object.
using Values = nlohmann::json;

// How large a size must be at least, for each mutator: so many times another parameter, or as it stands if none
// is named.
struct Least {
    uint64_t times = 0;
    const char* of = "";
};

struct Description {
    std::string name;
    std::string summary;  // a line
    std::vector<Parameter> parameters;
    // Which of them says how large the heap is; its value must be `least`.
    std::string size;
    Least least{};
    // What one mutator does. Throws std::bad_alloc.
    std::unique_ptr<Load> (*make)(const Values& values, uint64_t seed);

    // How many operations a run has, of one mutator. Null: the run is under load: it has the parameters `threads`,
    // `seconds` and `load` as well, and each mutator its part of the size.
    uint64_t (*operations)(const Values& values) = nullptr;
    // Of such a run: so many operations are between two looks at clock and memory.
    uint64_t look_every = 1;

    // A script of experiments/peers/cpython that does the same and takes the same flags, and whether it reads
    // `ouro numbers`. Empty: there is nothing to compare it with.
    std::string script{};
    bool numbers = false;
    // A guess: seconds that a run takes, here or in an interpreter. Null: ten, or as long as it is told to go on.
    double (*seconds)(bool interpreter, const Values& values) = nullptr;
    // Bytes that what it makes takes at its peak, rather too few than too many: what does not fit in memory is
    // refused. Null: 32 for each of its size, a small container's.
    double (*bytes)(const Values& values) = nullptr;
    // How large the heap is, and what rows call the workload, where the size and the name are not it.
    uint64_t (*objects)(const Values& values) = nullptr;
    std::string (*title)(const Values& values) = nullptr;
    // What figures of it must say that it does not show; the gate asks for it.
    std::string not_covered{};

    bool under_load() const { return operations == nullptr; }
};

// All of this program, in the order of their names. After main() began.
const std::vector<Description>& descriptions();

// Adds its description to them. One for each, of static storage.
class Described {
public:
    explicit Described(Description description);
};

}  // namespace ouro::workloads
