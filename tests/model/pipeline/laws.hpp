// The laws of every state, and the heaps that a cycle may find.
#pragma once

#include "tests/model/pipeline/heap.hpp"

namespace ouro::model::pipeline {

inline const char* in_words(Law law) {
    switch (law) {
        case Law::kNone:
            return "no law is broken";
        case Law::kCount:
            return "a count is not the number of references";
        case Law::kReachable:
            return "somebody can reach what is condemned";
        case Law::kClearedLive:
            return "an object is cleared that somebody uses";
        case Law::kFreedInUse:
            return "a slot is freed that somebody still names";
        case Law::kMissed:
            return "the cycle ends, and garbage that was there when it began, and that nobody "
                   "saved, stays";
        case Law::kLoudCallback:
            return "the callback of a condemned weak reference is called";
    }
    return "";
}

// Laws of one step are asserted where it is made; these hold in every state.
inline void check(Heap& heap) {
    const State& state = heap.state();
    const unsigned allocated = heap.with(kAllocated);
    for (unsigned o = 0; o < heap.bounds().slots; ++o) {
        unsigned references = heap.references(o, allocated) + heap.pins(o);
        for (const auto& hand : state.hand) {
            references += hand[o];
        }
        if (heap.at(o).count != references) {
            heap.breaks((allocated & 1u << o) != 0 ? Law::kCount : Law::kFreedInUse);
        }
    }
    // inv.exact.frozen: until the first finalizer nobody comes by a condemned object; after the
    // second test nobody comes by one that passed it.
    if (state.phase < Phase::kFinalize && (heap.reachable() & heap.with(kCondemned)) != 0) {
        heap.breaks(Law::kReachable);
    }
    if (state.phase >= Phase::kTestAnew && (heap.reachable() & heap.with(kDoomed)) != 0) {
        heap.breaks(Law::kReachable);
    }
}

// Calls `visit(state)` for every heap of the bounds in which all counts are right: any fields, any
// hands, any raw pointers, weak references, callbacks and finalizers.
template <class Visit>
class Beginnings {
public:
    Beginnings(const Bounds& bounds, Visit visit) : bounds_(bounds), visit_(visit) {}

    void each() {
        state_ = State{};
        state_.phase = bounds_.engine == Engine::kReads ? Phase::kTrace : Phase::kTest;
        for (unsigned allocated = 0; allocated < 1u << bounds_.slots; ++allocated) {
            for (unsigned o = 0; o < bounds_.slots; ++o) {
                state_.slot[o].flags = (allocated & 1u << o) != 0 ? kAllocated : 0;
            }
            fields(0, 0);
        }
    }

private:
    bool is_object(unsigned o) const { return o < bounds_.slots && state_.slot[o].is(kAllocated); }

    void fields(unsigned o, unsigned f) {
        if (o == bounds_.slots) {
            hands(0, 0, 0);
            return;
        }
        const auto next = [&] { f + 1 < bounds_.fields ? fields(o, f + 1) : fields(o + 1, 0); };
        next();
        for (uint8_t to = 0; to < bounds_.slots && is_object(o); ++to) {
            if (is_object(to)) {
                state_.slot[o].field[f] = to;
                next();
                state_.slot[o].field[f] = kNull;
            }
        }
    }

    void hands(unsigned agent, unsigned o, unsigned held) {
        if (agent == bounds_.threads) {
            raw_pointers(0);
        } else if (o == bounds_.slots) {
            hands(agent + 1, 0, 0);
        } else {
            const unsigned most = is_object(o) ? bounds_.held - held : 0;
            for (unsigned many = 0; many <= most; ++many) {
                state_.hand[agent][o] = static_cast<uint8_t>(many);
                hands(agent, o + 1, held + many);
            }
            state_.hand[agent][o] = 0;
        }
    }

    void raw_pointers(unsigned thread) {
        if (!bounds_.raw || thread == bounds_.threads) {
            kinds(0);
            return;
        }
        raw_pointers(thread + 1);
        for (uint8_t to = 0; to < bounds_.slots; ++to) {
            if (is_object(to)) {
                state_.raw[thread] = to;
                raw_pointers(thread + 1);
            }
        }
        state_.raw[thread] = kNull;
    }

    void kinds(unsigned o) {
        if (o == bounds_.slots) {
            begin();
            return;
        }
        if (!is_object(o)) {
            kinds(o + 1);
            return;
        }
        for (const uint16_t weak : {0, +kWeak}) {
            for (const uint16_t finalizer : {0, +kFinalizer}) {
                if ((weak != 0 && !bounds_.weak) || (finalizer != 0 && !bounds_.finalizers)) {
                    continue;
                }
                Slot& object = state_.slot[o];
                object.set(weak | finalizer);
                kinds(o + 1);
                for (uint8_t to = 0; to < bounds_.slots && bounds_.weak_objects; ++to) {
                    if (to != o && is_object(to)) {
                        object.target = to;
                        kinds(o + 1);
                        object.set(kCallback);
                        kinds(o + 1);
                        object.reset(kCallback);
                        object.target = kNull;
                    }
                }
                object.reset(weak | finalizer);
            }
        }
    }

    void begin() {
        Heap heap(bounds_, state_);
        const unsigned reachable = heap.reachable();
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if (!is_object(o)) {
                continue;
            }
            unsigned count = heap.references(o, heap.with(kAllocated));
            for (const auto& hand : state_.hand) {
                count += hand[o];
            }
            if (count == 0) {
                return;
            }
            heap.at(o).count = static_cast<uint8_t>(count);
            if (bounds_.engine == Engine::kReads && (reachable & 1u << o) == 0) {
                heap.at(o).set(kGarbage);
            }
        }
        visit_(heap.state());
    }

    const Bounds& bounds_;
    Visit visit_;
    State state_;
};

}  // namespace ouro::model::pipeline
