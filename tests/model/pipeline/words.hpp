// Steps and heaps in words, for counter-examples.
#pragma once

#include <array>
#include <string>

#include "tests/model/pipeline/heap.hpp"
#include "tests/model/pipeline/step.hpp"

namespace ouro::model::pipeline {

inline const char* object_name(unsigned o) {
    constexpr std::array<const char*, kMaxSlots> kNames{"x", "y", "z"};
    return o < kMaxSlots ? kNames[o] : "nothing";
}

inline std::string field_name(unsigned o, unsigned f) {
    return std::string(object_name(o)) + "." + "fg"[f];
}

inline std::string set_name(unsigned set) {
    std::string names;
    for (unsigned o = 0; o < kMaxSlots; ++o) {
        if ((set & 1u << o) != 0) {
            names.append(names.empty() ? "" : ", ").append(object_name(o));
        }
    }
    return names.empty() ? "nothing" : names;
}

inline const char* agent_name(const Bounds& bounds, unsigned agent) {
    if (agent >= bounds.threads) {
        return agent == bounds.threads ? "the code called by the collector" : "the collector";
    }
    return bounds.threads == 1 ? "the thread" : agent == 0 ? "thread A" : "thread B";
}

inline std::string in_words(const Bounds& bounds, Step step) {
    const std::string who = std::string(agent_name(bounds, step.agent)) + " ";
    const std::string o = object_name(step.object);
    const std::string field = step.object < kMaxSlots ? field_name(step.object, step.field) : "";
    const std::string other = object_name(step.other);
    const std::string the_collector = "the collector ";
    switch (step.act) {
        case Act::kNone:
            break;
        case Act::kLoad:
            return who + "loads " + other + " from " + field;
        case Act::kStore:
            return who + "stores " + other + " in " + field;
        case Act::kDropField:
            return who + "drops " + field;
        case Act::kMoveOut:
            return who + "moves " + other + " out of " + field;
        case Act::kMoveIn:
            return who + "moves " + other + " into " + field;
        case Act::kSwap:
            return who + "exchanges " + other + " and " + field;
        case Act::kDrop:
            return who + "drops " + o;
        case Act::kPublish:
            return who + "gives " + o + " to " + agent_name(bounds, step.other);
        case Act::kAllocate:
            return who + "allocates " + o;
        case Act::kAllocateWeak:
            return who + "allocates " + o + ", a weak reference to " + other + " with a callback";
        case Act::kMakeWeak:
            return who + "makes a weak reference to " + o;
        case Act::kUpgradeWeak:
            return who + "upgrades the weak reference to " + o;
        case Act::kUpgradeObject:
            return who + "upgrades the weak reference " + o + " to " + other;
        case Act::kReadRaw:
            return who + "reads a raw pointer to " + other + " from " + field;
        case Act::kCopyRaw:
            return who + "keeps a raw pointer to " + o;
        case Act::kTryIncref:
            return who + "tries to increment " + o + " by its raw pointer, and may";
        case Act::kReadCount:
            return the_collector + "reads the count of " + o + ", " + std::to_string(step.other);
        case Act::kReadField:
        case Act::kReadAnew:
            return the_collector + "reads " + field + ", " + other;
        case Act::kTestComponent:
            return the_collector + "stops the world, tests " + set_name(step.set) +
                   " and condemns " + set_name(step.other);
        case Act::kTestEnds:
            return the_collector + "tests no more";
        case Act::kClearWeak:
            return the_collector + "clears weak references to the condemned";
        case Act::kDropCallback:
            return the_collector + "drops the callback of " + o;
        case Act::kCallBack:
            return the_collector + "calls the callback of " + o;
        case Act::kFinalize:
            return the_collector + "calls the finalizer of " + o;
        case Act::kLetGo:
            return the_collector + "lets " + o + " go";
        case Act::kReturn:
            return "the code called by the collector returns";
        case Act::kTestAnew:
            return the_collector + "stops the world, tests " + set_name(step.set) +
                   " again and lets " + set_name(step.other) + " pass";
        case Act::kClear:
            return the_collector + "clears " + o;
        case Act::kRelease:
            return the_collector + "drops its reference to " + o;
    }
    return "";
}

// What there is: each object as name=count with its fields and marks; then what hands hold.
inline std::string picture(const Bounds& bounds, const State& state) {
    std::string text = "[";
    for (unsigned o = 0; o < bounds.slots; ++o) {
        const Slot& object = state.slot[o];
        if (!object.is(kAllocated)) {
            continue;
        }
        text.append(text.size() > 1 ? "; " : "").append(object_name(o));
        text.append("=").append(std::to_string(object.count));
        for (unsigned f = 0; f < bounds.fields; ++f) {
            if (object.field[f] != kNull) {
                text += std::string(" ") + "fg"[f] + ":" + object_name(object.field[f]);
            }
        }
        if (object.target != kNull) {
            text.append(" weakly:").append(object_name(object.target));
        }
        const struct {
            uint16_t flag;
            const char* name;
        } marks[] = {{kFinalizer, "finalizer"}, {kWeak, "weakref"},    {kCallback, "callback"},
                     {kCondemned, "condemned"}, {kCleared, "cleared"}, {kHeld, "held"},
                     {kQueued, "queued"}};
        for (const auto& mark : marks) {
            if (object.is(mark.flag)) {
                text.append(" ").append(mark.name);
            }
        }
    }
    for (unsigned agent = 0; agent <= bounds.threads; ++agent) {
        std::string held;
        for (unsigned o = 0; o < bounds.slots; ++o) {
            for (unsigned i = 0; i < state.hand[agent][o]; ++i) {
                held.append(" ").append(object_name(o));
            }
        }
        if (!held.empty()) {
            text.append("; ").append(agent_name(bounds, agent)).append(" has").append(held);
        }
    }
    for (unsigned t = 0; t < bounds.threads; ++t) {
        if (state.raw[t] != kNull) {
            text += "; raw pointer to ";
            text += object_name(state.raw[t]);
        }
    }
    return text + "]";
}

}  // namespace ouro::model::pipeline
