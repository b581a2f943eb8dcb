// Arguments of random calls: guessed from what is known of a function, by its signature and from the calls so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/verify/contract/call_sequence.hpp"
#include "core/verify/contract/instances.hpp"
#include "core/verify/contract/signature.hpp"

namespace ouro::contract {

// Splitmix64.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}

    size_t below(size_t bound) { return static_cast<size_t>(next() % bound); }
    bool one_in(size_t times) { return below(times) == 0; }

private:
    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    uint64_t state_;
};

// What is known of an action from the calls so far.
struct Experience {
    unsigned tried = 0, succeeded = 0, crashed = 0;
    size_t in_turn = 0;                              // literals that it was called with, each once
    bool is_banned = false;                          // it hangs, or ends the process
    bool has_told = false;                           // its signature, in a call
    Signature signature{};                           // or what the documentation says
    std::vector<std::vector<Argument>> arguments{};  // that it took

    // How often it is drawn.
    size_t weight(bool takes_arguments) const;
    // What made an instance; what a call parsed; a step that raised nothing.
    void learn(const Recipe& recipe);
    void learn(const NotedArguments& noted);
    void remember(const Step& step);
};

// Puts another argument in the place of one; the keyword stays.
void replace(Argument& old, Argument with);

// Each literal in turn; what the action took before, now and then with an argument more or another in one's place; or
// anything that its signature allows. `instances`: the steps whose values may be given to it.
std::vector<Argument> guessed_arguments(const Action& action, Experience& experience,
                                        const std::vector<int>& instances, Random& random);

}  // namespace ouro::contract
