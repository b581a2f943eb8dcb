// What steps of all sides have in common: references that come and go, death, and who reaches what.
#pragma once

#include <bit>

#include "tests/model/pipeline/state.hpp"

namespace ouro::model::pipeline {

// The heap of one state, being changed by one step.
class Heap {
public:
    Heap(const Bounds& bounds, const State& state) : bounds_(bounds), state_(state) {}

    State& state() { return state_; }
    const State& state() const { return state_; }
    const Bounds& bounds() const { return bounds_; }
    Slot& at(unsigned object) { return state_.slot[object]; }
    const Slot& at(unsigned object) const { return state_.slot[object]; }
    Law broken() const { return broken_; }

    // The first law that a step breaks is the one that is told.
    void breaks(Law law) {
        if (broken_ == Law::kNone && (bounds_.look_for == Law::kNone || bounds_.look_for == law)) {
            broken_ = law;
        }
    }

    bool has_room(unsigned agent, unsigned more = 1) const {
        unsigned held = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            held += state_.hand[agent][o];
        }
        return held + more <= bounds_.held;
    }

    void incref(unsigned object) {
        touch(object);
        ++at(object).count;
    }
    void decref(unsigned object, unsigned agent) {
        touch(object);
        if (--at(object).count == 0) {
            die(object, agent);
        }
    }

    // Takes a reference of its own: the agent's hand has room.
    void take(unsigned object, unsigned agent) {
        incref(object);
        ++state_.hand[agent][object];
    }
    void drop(unsigned object, unsigned agent) {
        --state_.hand[agent][object];
        decref(object, agent);
    }

    // inv.exact.refuse: who owns no reference gets none to a condemned object.
    bool can_try_incref(unsigned object) const {
        return at(object).is(kAllocated) &&
               (!at(object).is(kCondemned) || bounds_.fault == Fault::kTryIncrefCondemned);
    }
    bool can_upgrade(unsigned object) const {
        return at(object).is(kAllocated) &&
               (!at(object).is(kCondemned) || bounds_.fault == Fault::kWeakClearedLate ||
                bounds_.fault == Fault::kClearingAlone);
    }

    // The objects, a bit each, that somebody can come by: from what hands hold, through fields,
    // through weak references that can be upgraded, by a try-incref that would succeed; and from
    // `roots`.
    unsigned reachable(unsigned roots = 0) const {
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            for (unsigned agent = 0; agent < kMaxAgents; ++agent) {
                roots |= state_.hand[agent][o] != 0 ? 1u << o : 0;
            }
            roots |= at(o).is(kWeak) && can_upgrade(o) ? 1u << o : 0;
        }
        for (const uint8_t pointer : state_.raw) {
            roots |= pointer != kNull && can_try_incref(pointer) ? 1u << pointer : 0;
        }
        return closure(roots);
    }

    // Those that hands hold, and what is referenced from them: harm is done where one of these is
    // cleared.
    unsigned in_hands() const {
        unsigned set = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            for (const auto& hand : state_.hand) {
                set |= hand[o] != 0 ? 1u << o : 0;
            }
        }
        return closure(set, false);
    }

    unsigned closure(unsigned set, bool weakly = true) const {
        for (unsigned before = 0; before != set;) {
            before = set;
            for (unsigned o = 0; o < bounds_.slots; ++o) {
                if ((set & 1u << o) == 0) {
                    continue;
                }
                for (const uint8_t to : at(o).field) {
                    set |= to != kNull ? 1u << to : 0;
                }
                const uint8_t target = at(o).target;
                set |= weakly && target != kNull && can_upgrade(target) ? 1u << target : 0;
            }
        }
        return set;
    }

    unsigned with(uint16_t flag) const {
        unsigned set = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            set |= at(o).is(flag) ? 1u << o : 0;
        }
        return set;
    }

    // References to `object` from the fields of `set`.
    unsigned references(unsigned object, unsigned set) const {
        unsigned found = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            for (unsigned f = 0; f < kMaxFields && (set & 1u << o) != 0; ++f) {
                found += at(o).field[f] == object ? 1 : 0;
            }
        }
        return found;
    }

    // Somebody came by these by code that may: they need not be found in this cycle.
    void unmark_garbage(unsigned set) {
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if ((set & 1u << o) != 0) {
                at(o).reset(kGarbage);
            }
        }
    }

    // References to `object` that the collector owns.
    unsigned pins(unsigned object) const {
        return (at(object).is(kHeld) ? 1 : 0) + (at(object).is(kQueued) ? 1 : 0);
    }

private:
    void touch(unsigned object) {
        if (bounds_.fault == Fault::kCountsUntouched && state_.phase <= Phase::kTest) {
            at(object).set(kTouched);
        }
    }

    // Nobody refers to it any more. Weak references to it are cleared and their callbacks called,
    // on the thread whose step this is; then what it owned is dropped, and its slot is free.
    void die(unsigned object, unsigned agent) {
        const Slot dead = at(object);
        at(object) = Slot{};
        at(object).seen_count = dead.seen_count;
        at(object).seen = dead.seen;
        at(object).component = dead.component;
        // The collector's list of the condemned names slots: it would clear whatever comes here
        // next.
        if (dead.is(kCondemned)) {
            breaks(Law::kFreedInUse);
            at(object).flags = dead.flags & (kCondemned | kDoomed | kCleared);
        }
        unsigned called = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if (at(o).is(kAllocated) && at(o).target == object) {
                at(o).target = kNull;
                called |= at(o).is(kCallback) ? 1u << o : 0;
                at(o).reset(kCallback);
            }
        }
        call_back(called, agent);
        for (const uint8_t child : dead.field) {
            if (child != kNull && child != object) {
                decref(child, agent);
            }
        }
    }

    // A callback gets its weak reference, and does with it what its thread does later. Without room
    // for all of them they do nothing, so that nothing depends on the order of the names.
    void call_back(unsigned called, unsigned agent) {
        if ((called & with(kCondemned)) != 0) {
            breaks(Law::kLoudCallback);
        }
        unmark_garbage(closure(called));
        if (!has_room(agent, static_cast<unsigned>(std::popcount(called)))) {
            return;
        }
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if ((called & 1u << o) != 0) {
                take(o, agent);
                state_.user = agent == bounds_.threads ? 1 : state_.user;
            }
        }
    }

    const Bounds& bounds_;
    State state_;
    Law broken_ = Law::kNone;
};

}  // namespace ouro::model::pipeline
