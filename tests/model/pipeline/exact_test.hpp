// The test of one component in its pause, what a pause does to the condemned, and the weaker tests.
#pragma once

#include "tests/model/pipeline/heap.hpp"

namespace ouro::model::pipeline {

// References to o that are not from `set`, nor the collector's own.
inline int external(const Heap& heap, unsigned o, unsigned set) {
    return static_cast<int>(heap.at(o).count) - static_cast<int>(heap.pins(o)) -
           static_cast<int>(heap.references(o, set));
}

inline unsigned seen_references(const Heap& heap, unsigned o, unsigned set) {
    unsigned found = 0;
    for (unsigned from = 0; from < heap.bounds().slots; ++from) {
        for (unsigned f = 0; f < kMaxFields && (set & 1u << from) != 0; ++f) {
            found += heap.at(from).seen[f] == o ? 1 : 0;
        }
    }
    return found;
}

// inv.exact.nothing-live: every reference to the members of `component` comes from itself, its
// fields read now, or from `before`, the components that have passed: nobody reaches those, so
// their fields are what they were when they were recorded.
inline bool passes_exact_test(const Heap& heap, unsigned component, unsigned before) {
    for (unsigned o = 0; o < heap.bounds().slots; ++o) {
        if ((component & 1u << o) != 0 && external(heap, o, component | before) != 0) {
            return false;
        }
    }
    return true;
}

// What of `component` the first test condemns: all of it or nothing, but for a fault.
inline unsigned condemned_of(const Heap& heap, unsigned component) {
    const unsigned before = heap.with(kCondemned);
    unsigned kept = component;
    for (unsigned o = 0; o < heap.bounds().slots; ++o) {
        if ((component & 1u << o) == 0) {
            continue;
        }
        const Slot& object = heap.at(o);
        switch (heap.bounds().fault) {
            case Fault::kNoTest:
                break;
            case Fault::kCountsEqual:
                kept = object.count != object.seen_count ? 0 : kept;
                break;
            case Fault::kCountsUntouched:
                kept = object.is(kTouched) ? 0 : kept;
                break;
            case Fault::kNoClosure:
                kept &= external(heap, o, component) != 0 ? ~(1u << o) : ~0u;
                break;
            case Fault::kEdgesOfTheTrace:
                kept = object.count != seen_references(heap, o, component | before) ? 0 : kept;
                break;
            default:
                kept = passes_exact_test(heap, component, before) ? kept : 0;
                break;
        }
    }
    return kept;
}

// Weak references to `set` are cleared, and those of `set` itself lose target and callback.
// Callbacks of others are called later, if `call`: the collector holds their weak references until
// then.
inline void kill_weak_references(Heap& heap, unsigned set, bool call) {
    for (unsigned o = 0; o < heap.bounds().slots; ++o) {
        Slot& object = heap.at(o);
        const bool of_set = (set & 1u << o) != 0;
        if (of_set) {
            object.reset(kWeak);
        }
        if (object.target == kNull) {
            continue;
        }
        if ((set & 1u << object.target) != 0) {
            object.target = kNull;
            if (object.is(kCallback) && call && !object.is(kCondemned)) {
                object.set(kQueued);
                ++object.count;
            }
            object.reset(kCallback);
        } else if (of_set && heap.bounds().fault != Fault::kCallbacksKept) {
            object.target = kNull;
            object.reset(kCallback);
        }
    }
}

// In the pause of the test: inv.exact.refuse, inv.exact.weak-in-pause, inv.exact.pinned.
inline void condemn(Heap& heap, unsigned set) {
    for (unsigned o = 0; o < heap.bounds().slots; ++o) {
        if ((set & 1u << o) != 0) {
            heap.at(o).set(kCondemned);
            if (heap.bounds().fault != Fault::kNoHold) {
                heap.at(o).set(kHeld);
                ++heap.at(o).count;
            }
        }
    }
    if (heap.bounds().fault != Fault::kWeakClearedLate &&
        heap.bounds().fault != Fault::kMarkAlone) {
        kill_weak_references(heap, set, true);
    }
}

// Past the second test: weak references that finalizers made die too, and nobody is called.
inline void doom(Heap& heap, unsigned set) {
    for (unsigned o = 0; o < heap.bounds().slots; ++o) {
        if ((set & 1u << o) != 0) {
            heap.at(o).set(kDoomed);
        }
    }
    kill_weak_references(heap, set, false);
}

// Whoever has a reference again lives on; the collector drops its own when it reclaims.
inline void let_live(Heap& heap, unsigned set) {
    for (unsigned o = 0; o < heap.bounds().slots; ++o) {
        if ((set & 1u << o) != 0) {
            heap.at(o).reset(kCondemned);
        }
    }
}

}  // namespace ouro::model::pipeline
