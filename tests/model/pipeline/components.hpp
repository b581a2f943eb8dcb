// What the collector makes of what it read: candidates, and their strongly connected components in
// every topological order. Reads may be stale, so none of this is trusted.
#pragma once

#include <array>

#include "tests/model/pipeline/state.hpp"

namespace ouro::model::pipeline {

// The slots whose counts, as read, come from the fields, as read, of nobody alive: what has
// references from elsewhere is a root, and what roots reach is not named.
inline unsigned candidates(const Bounds& bounds, const State& state) {
    unsigned named = 0;
    unsigned live = 0;
    for (unsigned o = 0; o < bounds.slots; ++o) {
        unsigned found = 0;
        for (unsigned from = 0; from < bounds.slots; ++from) {
            for (const uint8_t to : state.slot[from].seen) {
                found += to == o ? 1 : 0;
            }
        }
        named |= state.slot[o].seen_count != 0 ? 1u << o : 0;
        live |= state.slot[o].seen_count > found ? 1u << o : 0;
    }
    for (unsigned before = ~live; before != live;) {
        before = live;
        for (unsigned o = 0; o < bounds.slots; ++o) {
            for (const uint8_t to : state.slot[o].seen) {
                live |= (live & 1u << o) != 0 && to < kMaxSlots ? 1u << to : 0;
            }
        }
    }
    return named & ~live;
}

// Calls `visit(state)` for each order: every member of `set` has its component's place in it, and a
// component comes after those that refer to it.
template <class Visit>
class Orders {
public:
    Orders(const Bounds& bounds, unsigned set, Visit visit)
        : bounds_(bounds), set_(set), visit_(visit) {}

    void each(State& state) {
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            reach_[o] = 1u << o;
        }
        for (unsigned round = 0; round < bounds_.slots; ++round) {
            for (unsigned o = 0; o < bounds_.slots; ++o) {
                for (const uint8_t to : state.slot[o].seen) {
                    if (to < kMaxSlots && (set_ & 1u << o) != 0 && (set_ & 1u << to) != 0) {
                        reach_[o] |= reach_[to];
                    }
                }
            }
        }
        place(state, set_, 1);
    }

private:
    void place(State& state, unsigned left, uint8_t place_in_order) {
        if (left == 0) {
            visit_(state);
            return;
        }
        unsigned tried = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if ((left & 1u << o) == 0 || (tried & 1u << o) != 0) {
                continue;
            }
            unsigned component = 0;
            bool is_first = true;
            for (unsigned p = 0; p < bounds_.slots; ++p) {
                if ((left & 1u << p) != 0 && (reach_[p] & 1u << o) != 0) {
                    const bool mutual = (reach_[o] & 1u << p) != 0;
                    component |= mutual ? 1u << p : 0;
                    is_first = is_first && mutual;
                }
            }
            tried |= component;
            if (is_first) {
                assign(state, component, place_in_order);
                place(state, left & ~component, static_cast<uint8_t>(place_in_order + 1));
            }
        }
    }
    void assign(State& state, unsigned component, uint8_t place_in_order) const {
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if ((component & 1u << o) != 0) {
                state.slot[o].component = place_in_order;
            }
        }
    }

    const Bounds& bounds_;
    const unsigned set_;
    Visit visit_;
    std::array<unsigned, kMaxSlots> reach_{};
};

}  // namespace ouro::model::pipeline
