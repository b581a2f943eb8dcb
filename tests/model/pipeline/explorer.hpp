// Visits every state that can be reached from every beginning, nearest first, so that the first law
// found broken has a shortest counter-example.
//
// States that differ in the names of objects or threads alone are one: no step asks for a name.
// There is no bound on the number of steps: an exploration ends when no state is new.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/model/pipeline/collector.hpp"
#include "tests/model/pipeline/laws.hpp"
#include "tests/model/pipeline/mutator.hpp"
#include "tests/model/pipeline/words.hpp"

namespace ouro::model::pipeline {

// The same state with object o called slot[o], and thread t called thread[t].
inline State renamed(const Bounds& bounds, const State& state,
                     const std::array<uint8_t, kMaxSlots>& slot,
                     const std::array<uint8_t, kMaxThreads>& thread) {
    const auto name = [&](uint8_t to) { return to < bounds.slots ? slot[to] : to; };
    State result = state;
    for (unsigned o = 0; o < bounds.slots; ++o) {
        Slot& object = result.slot[slot[o]];
        object = state.slot[o];
        object.target = name(object.target);
        for (unsigned f = 0; f < kMaxFields; ++f) {
            object.field[f] = name(object.field[f]);
            object.seen[f] = name(object.seen[f]);
        }
        for (unsigned agent = 0; agent < kMaxAgents; ++agent) {
            const bool is_thread = agent < bounds.threads && agent < kMaxThreads;
            const unsigned to = is_thread ? thread[agent] : agent;
            result.hand[to][slot[o]] = state.hand[agent][o];
        }
    }
    for (unsigned t = 0; t < bounds.threads; ++t) {
        result.raw[thread[t]] = name(state.raw[t]);
    }
    return result;
}

inline State canonical(const Bounds& bounds, const State& state) {
    State least = state;
    std::array<uint8_t, kMaxSlots> slot{0, 1, 2};
    do {
        std::array<uint8_t, kMaxThreads> thread{0, 1};
        do {
            const State other = renamed(bounds, state, slot, thread);
            if (std::memcmp(&other, &least, sizeof(State)) < 0) {
                least = other;
            }
        } while (std::next_permutation(thread.begin(), thread.begin() + bounds.threads));
    } while (std::next_permutation(slot.begin(), slot.begin() + bounds.slots));
    return least;
}

// Calls `visit(heap, step)` for every step of anybody.
template <class Visit>
void successors(const Bounds& bounds, const State& state, Visit visit) {
    Collector(bounds, state, visit).steps();
    if (state.phase == Phase::kEnd) {
        return;
    }
    for (unsigned agent = 0; agent < bounds.threads + state.user; ++agent) {
        Mutator(bounds, state, agent, visit).steps();
    }
}

struct Result {
    size_t beginnings = 0;
    size_t states = 0;
    size_t steps = 0;  // transitions
    size_t ends = 0;   // states in which the cycle is over
    unsigned depth = 0;
    Law broken = Law::kNone;
    std::vector<std::string> example;  // its heap at the beginning, then a line a step
    unsigned length = 0;               // its steps
};

class Explorer {
public:
    explicit Explorer(const Bounds& bounds) : bounds_(bounds) {}

    Result run() {
        Beginnings(bounds_, [this](const State& state) { add(state, kNobody); }).each();
        result_.beginnings = states_.size();
        size_t level_end = states_.size();
        for (size_t i = 0; i < states_.size() && result_.broken == Law::kNone; ++i) {
            if (i == level_end) {
                ++result_.depth;
                level_end = states_.size();
            }
            expand(i);
        }
        result_.states = states_.size();
        return std::move(result_);
    }

private:
    static constexpr uint32_t kNobody = UINT32_MAX;

    void expand(size_t index) {
        const State state = states_[index];
        result_.ends += state.phase == Phase::kEnd ? 1 : 0;
        successors(bounds_, state, [&](Heap& heap, Step) {
            ++result_.steps;
            check(heap);
            if (heap.broken() == Law::kNone) {
                add(heap.state(), static_cast<uint32_t>(index));
            } else if (result_.broken == Law::kNone) {
                result_.broken = heap.broken();
                tell(index);
            }
        });
    }

    void add(const State& state, uint32_t parent) {
        if (states_.size() * 2 >= table_.size()) {
            grow();
        }
        const State least = canonical(bounds_, state);
        uint32_t& place = find(least);
        if (place == kNobody) {
            place = static_cast<uint32_t>(states_.size());
            states_.push_back(least);
            parents_.push_back(parent);
        }
    }

    uint32_t& find(const State& state) {
        size_t at = hash(state) & (table_.size() - 1);
        while (table_[at] != kNobody && !(states_[table_[at]] == state)) {
            at = (at + 1) & (table_.size() - 1);
        }
        return table_[at];
    }

    void grow() {
        table_.assign(std::max<size_t>(1 << 16, table_.size() * 2), kNobody);
        for (size_t i = 0; i < states_.size(); ++i) {
            find(states_[i]) = static_cast<uint32_t>(i);
        }
    }

    static uint64_t hash(const State& state) {
        std::array<uint64_t, sizeof(State) / 8> words;
        std::memcpy(words.data(), &state, sizeof(State));
        uint64_t h = 0x9E3779B97F4A7C15;
        for (const uint64_t word : words) {
            h = (h ^ word) * 0xD6E8FEB86659FD93;
            h ^= h >> 32;
        }
        return h;
    }

    // The way to a state whose expansion breaks a law, under the names that its first heap has.
    void tell(size_t index) {
        std::vector<size_t> way;
        for (uint32_t i = static_cast<uint32_t>(index); i != kNobody; i = parents_[i]) {
            way.push_back(i);
        }
        State state = states_[way.back()];
        result_.example.push_back(std::string("at the beginning: ") + picture(bounds_, state));
        for (size_t i = way.size() - 1; i-- > 0;) {
            const State before = state;
            bool found = false;
            successors(bounds_, before, [&](Heap& heap, Step step) {
                if (!found && canonical(bounds_, heap.state()) == states_[way[i]]) {
                    found = true;
                    state = heap.state();
                    result_.example.push_back(in_words(bounds_, step) + ": " +
                                              picture(bounds_, state));
                }
            });
        }
        bool found = false;
        successors(bounds_, state, [&](Heap& heap, Step step) {
            check(heap);
            if (!found && heap.broken() == result_.broken) {
                found = true;
                result_.example.push_back(in_words(bounds_, step) + ": " + in_words(heap.broken()) +
                                          ": " + picture(bounds_, heap.state()));
            }
        });
        result_.length = static_cast<unsigned>(result_.example.size() - 1);
    }

    const Bounds bounds_;
    Result result_;
    std::vector<State> states_;
    std::vector<uint32_t> parents_;
    std::vector<uint32_t> table_;
};

}  // namespace ouro::model::pipeline
