// What threads do, and finalizers and callbacks too, which run on the collector's thread: whatever
// the C API lets them do with what they hold, one step at a time.
//
// A step is what no pause can fall into, and what a racy reader sees as done or not done. Who holds
// an object may use its fields: there is one step for each way in which a reference is made,
// dropped or moved. A move changes two owners and no count:
//
//     tmp = self->x;  self->x = NULL;  return tmp;
#pragma once

#include <utility>

#include "tests/model/pipeline/heap.hpp"
#include "tests/model/pipeline/step.hpp"

namespace ouro::model::pipeline {

template <class Sink>
class Mutator {
public:
    // Tells `sink` every step that `agent` can make in `from`.
    Mutator(const Bounds& bounds, const State& from, unsigned agent, Sink& sink)
        : bounds_(bounds), from_(bounds, from), agent_(agent), sink_(sink) {}

    void steps() {
        room_ = from_.has_room(agent_);
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if (holds(o)) {
                with_object(o);
                for (unsigned f = 0; f < bounds_.fields; ++f) {
                    from_.at(o).field[f] == kNull ? fill(o, f) : use(o, f);
                }
            }
        }
        if (room_) {
            gain();
        }
    }

private:
    bool is_thread() const { return agent_ < bounds_.threads; }
    bool holds(unsigned o) const { return from_.state().hand[agent_][o] != 0; }

    template <class Change>
    void step(Act act, unsigned o, unsigned f, unsigned other, Change change) {
        Heap heap = from_;
        change(heap, heap.state().hand[agent_]);
        sink_(heap, Step{act, static_cast<uint8_t>(agent_), static_cast<uint8_t>(o),
                         static_cast<uint8_t>(f), static_cast<uint8_t>(other), 0});
    }

    // With a reference in field f of o, which the agent holds.
    void use(unsigned o, unsigned f) {
        const unsigned p = from_.at(o).field[f];
        if (room_) {
            step(Act::kLoad, o, f, p, [&](Heap& heap, auto&) { heap.take(p, agent_); });
            step(Act::kMoveOut, o, f, p, [&](Heap& heap, auto& hand) {
                heap.at(o).field[f] = kNull;
                ++hand[p];
            });
        }
        step(Act::kDropField, o, f, p, [&](Heap& heap, auto&) {
            heap.at(o).field[f] = kNull;
            heap.decref(p, agent_);
        });
        for (unsigned q = 0; q < bounds_.slots; ++q) {
            if (holds(q) && q != p) {
                step(Act::kSwap, o, f, q, [&](Heap& heap, auto& hand) {
                    heap.at(o).field[f] = static_cast<uint8_t>(q);
                    --hand[q];
                    ++hand[p];
                });
            }
        }
        if (bounds_.raw && is_thread() && from_.state().raw[agent_] != p) {
            step(Act::kReadRaw, o, f, p,
                 [&](Heap& heap, auto&) { heap.state().raw[agent_] = static_cast<uint8_t>(p); });
        }
    }

    // With field f of o, which is NULL.
    void fill(unsigned o, unsigned f) {
        for (unsigned q = 0; q < bounds_.slots; ++q) {
            if (!holds(q)) {
                continue;
            }
            step(Act::kStore, o, f, q, [&](Heap& heap, auto&) {
                heap.at(o).field[f] = static_cast<uint8_t>(q);
                heap.incref(q);
            });
            step(Act::kMoveIn, o, f, q, [&](Heap& heap, auto& hand) {
                heap.at(o).field[f] = static_cast<uint8_t>(q);
                --hand[q];
            });
        }
    }

    // With o itself.
    void with_object(unsigned o) {
        step(Act::kDrop, o, 0, kNull, [&](Heap& heap, auto&) { heap.drop(o, agent_); });
        if (bounds_.raw && is_thread() && from_.state().raw[agent_] != o) {
            step(Act::kCopyRaw, o, 0, kNull,
                 [&](Heap& heap, auto&) { heap.state().raw[agent_] = static_cast<uint8_t>(o); });
        }
        if (bounds_.weak && !from_.at(o).is(kWeak)) {
            step(Act::kMakeWeak, o, 0, kNull, [&](Heap& heap, auto&) { heap.at(o).set(kWeak); });
        }
        const uint8_t target = from_.at(o).target;
        if (room_ && target != kNull && from_.can_upgrade(target)) {
            step(Act::kUpgradeObject, o, 0, target,
                 [&](Heap& heap, auto&) { heap.take(target, agent_); });
        }
        // Through a global variable.
        for (unsigned to = 0; to < bounds_.threads && !is_thread(); ++to) {
            if (from_.has_room(to)) {
                step(Act::kPublish, o, 0, to, [&](Heap& heap, auto& hand) {
                    --hand[o];
                    ++heap.state().hand[to][o];
                });
            }
        }
    }

    // What needs no reference but a free hand.
    void gain() {
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if (!from_.at(o).is(kAllocated)) {
                if (bounds_.allocation) {
                    allocate(o);
                }
            } else if (from_.at(o).is(kWeak) && from_.can_upgrade(o)) {
                step(Act::kUpgradeWeak, o, 0, kNull,
                     [&](Heap& heap, auto&) { heap.take(o, agent_); });
            }
        }
        if (is_thread()) {
            const uint8_t pointer = from_.state().raw[agent_];
            if (pointer != kNull && from_.can_try_incref(pointer)) {
                step(Act::kTryIncref, pointer, 0, kNull, [&](Heap& heap, auto&) {
                    heap.take(pointer, agent_);
                    heap.state().raw[agent_] = kNull;
                });
            }
        }
    }

    void allocate(unsigned o) {
        const auto born = [&](Heap& heap) {
            heap.at(o).set(kAllocated);
            if (bounds_.engine == Engine::kReads && heap.state().phase == Phase::kTrace) {
                heap.at(o).seen_count = kBorn;
            }
            heap.take(o, agent_);
        };
        step(Act::kAllocate, o, 0, kNull, [&](Heap& heap, auto&) { born(heap); });
        for (unsigned p = 0; p < bounds_.slots && bounds_.weak_objects; ++p) {
            if (holds(p)) {
                step(Act::kAllocateWeak, o, 0, p, [&](Heap& heap, auto&) {
                    born(heap);
                    heap.at(o).target = static_cast<uint8_t>(p);
                    heap.at(o).set(kCallback);
                });
            }
        }
    }

    const Bounds& bounds_;
    const Heap from_;
    const unsigned agent_;
    Sink& sink_;
    bool room_ = false;
};

}  // namespace ouro::model::pipeline
