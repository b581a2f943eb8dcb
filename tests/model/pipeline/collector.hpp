// What the collector does in one cycle, a step at a time. Between two of its steps the world runs:
// every step of its own is one read beside it, one whole pause, or one call of code that is not its
// own.
#pragma once

#include "tests/model/pipeline/components.hpp"
#include "tests/model/pipeline/exact_test.hpp"
#include "tests/model/pipeline/step.hpp"

namespace ouro::model::pipeline {

template <class Sink>
class Collector {
public:
    // Tells `sink` every step that the collector can make in `from`.
    Collector(const Bounds& bounds, const State& from, Sink& sink)
        : bounds_(bounds), from_(bounds, from), sink_(sink) {}

    void steps() {
        if (from_.state().user != 0) {
            return_from_user();
            return;
        }
        switch (from_.state().phase) {
            case Phase::kTrace:
            case Phase::kTraceAnew:
                read();
                break;
            case Phase::kTest:
            case Phase::kTestAnew:
                bounds_.engine == Engine::kAny ? test_any() : test_next();
                break;
            case Phase::kLateWeak: {
                Heap heap = from_;
                kill_weak_references(heap, heap.with(kCondemned), true);
                call_callbacks(heap, told(Act::kClearWeak));
                break;
            }
            case Phase::kCallbacks:
                callbacks();
                break;
            case Phase::kFinalize:
                finalizers();
                break;
            case Phase::kReclaim:
                reclaim();
                break;
            case Phase::kEnd:
                break;
        }
    }

private:
    static Step told(Act act, unsigned o = kNull, unsigned f = 0, unsigned other = kNull,
                     unsigned set = 0) {
        return Step{act,
                    kMaxThreads,
                    static_cast<uint8_t>(o),
                    static_cast<uint8_t>(f),
                    static_cast<uint8_t>(other),
                    static_cast<uint8_t>(set)};
    }
    unsigned code() const { return bounds_.threads; }  // whose hands the collector's callees use

    // --- the racy passes ---

    bool is_anew() const { return from_.state().phase >= Phase::kTraceAnew; }

    void read() {
        const bool counts_first = bounds_.fault == Fault::kCountsEqual && !is_anew();
        bool counts_left = false;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            counts_left = counts_left || from_.at(o).seen_count == kUnread;
        }
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            const Slot& object = from_.at(o);
            if (is_anew() && !object.is(kCondemned)) {
                continue;
            }
            if (!is_anew() && object.seen_count == kUnread) {
                Heap heap = from_;
                heap.at(o).seen_count = object.count;
                was_read(heap, told(Act::kReadCount, o, 0, object.count));
            }
            for (unsigned f = 0; f < bounds_.fields && !(counts_first && counts_left); ++f) {
                if (object.seen[f] == kUnread) {
                    Heap heap = from_;
                    heap.at(o).seen[f] = object.field[f];
                    was_read(heap, told(is_anew() ? Act::kReadAnew : Act::kReadField, o, f,
                                        object.field[f]));
                }
            }
        }
    }

    // With the last read the components are formed.
    void was_read(Heap& heap, Step step) {
        unsigned set = is_anew() ? heap.with(kCondemned) : 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            const Slot& object = heap.at(o);
            const bool of_pass = !is_anew() || object.is(kCondemned);
            for (unsigned f = 0; f < bounds_.fields && of_pass; ++f) {
                if (object.seen[f] == kUnread || (!is_anew() && object.seen_count == kUnread)) {
                    sink_(heap, step);
                    return;
                }
            }
        }
        if (!is_anew()) {
            set = candidates(bounds_, heap.state());
        }
        heap.state().next = 1;
        heap.state().phase = is_anew() ? Phase::kTestAnew : Phase::kTest;
        if (set == 0) {
            heap.state().phase = Phase::kEnd;
            ended(heap, step);
            return;
        }
        const bool whole =
            !is_anew() && (bounds_.fault == Fault::kNoTest || bounds_.fault == Fault::kNoClosure ||
                           bounds_.fault == Fault::kCountsUntouched);
        State ordered = heap.state();
        const auto emit = [&](const State& state) {
            Heap formed(bounds_, state);
            for (unsigned o = 0; o < bounds_.slots; ++o) {
                if (whole && (set & 1u << o) != 0) {
                    formed.at(o).component = 1;
                }
                if (bounds_.fault != Fault::kCountsEqual) {
                    formed.at(o).seen_count = kUnread;
                }
                if (bounds_.fault != Fault::kEdgesOfTheTrace) {
                    formed.at(o).seen = {kUnread, kUnread};
                }
            }
            sink_(formed, step);
        };
        Orders(bounds_, set, emit).each(ordered);
    }

    // --- the pauses ---

    // The components in their order, one a pause.
    void test_next() {
        Heap heap = from_;
        const bool is_first = heap.state().phase == Phase::kTest;
        const uint8_t number = heap.state().next++;
        unsigned component = 0;
        unsigned left = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            Slot& object = heap.at(o);
            // Candidates are slot numbers: what is there now is what is tested.
            const bool tested = is_first ? object.is(kAllocated) : object.is(kCondemned);
            component |= tested && object.component == number ? 1u << o : 0;
            left |= object.component > number ? 1u << o : 0;
            if (object.component == number && bounds_.fault != Fault::kOldComponents) {
                object.component = 0;
            }
        }
        const Step step = tested(heap, component);
        if (left != 0) {
            sink_(heap, step);
        } else {
            after_tests(heap, step);
        }
    }

    // Any objects as a component, any number of times.
    void test_any() {
        const bool is_first = from_.state().phase == Phase::kTest;
        const unsigned eligible = is_first ? from_.with(kAllocated) & ~from_.with(kCondemned)
                                           : from_.with(kCondemned) & ~from_.with(kDoomed);
        for (unsigned component = 1; component < 1u << bounds_.slots; ++component) {
            if ((component & ~eligible) != 0) {
                continue;
            }
            Heap heap = from_;
            const Step step = tested(heap, component);
            if (is_first) {
                if (heap.with(kCondemned) != from_.with(kCondemned)) {
                    sink_(heap, step);
                }
            } else if ((eligible & ~component) != 0) {
                sink_(heap, step);
            } else {
                after_tests(heap, step);
            }
        }
        if (is_first && from_.with(kCondemned) != 0) {
            Heap heap = from_;
            after_tests(heap, told(Act::kTestEnds));
        }
    }

    Step tested(Heap& heap, unsigned component) const {
        if (heap.state().phase == Phase::kTest) {
            const unsigned set = condemned_of(heap, component);
            condemn(heap, set);
            return told(Act::kTestComponent, kNull, 0, set, component);
        }
        const bool passes = passes_exact_test(heap, component, heap.with(kDoomed));
        passes ? doom(heap, component) : let_live(heap, component);
        return told(Act::kTestAnew, kNull, 0, passes ? component : 0, component);
    }

    void after_tests(Heap& heap, Step step) {
        heap.state().next = 1;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            heap.at(o).seen_count = kUnread;
            heap.at(o).seen = {kUnread, kUnread};
            heap.at(o).reset(kTouched);
        }
        if (heap.state().phase == Phase::kTestAnew) {
            begin_reclaim(heap, step);
            return;
        }
        // inv.exact.nothing-missed: what was garbage when the cycle began was read as it is.
        if ((heap.with(kGarbage) & ~heap.with(kCondemned)) != 0) {
            heap.breaks(Law::kMissed);
        }
        const bool late =
            bounds_.fault == Fault::kWeakClearedLate || bounds_.fault == Fault::kMarkAlone;
        if (late && heap.with(kCondemned) != 0) {
            heap.state().phase = Phase::kLateWeak;
            sink_(heap, step);
        } else {
            call_callbacks(heap, step);
        }
    }

    // --- code that is not the collector's ---

    void call_callbacks(Heap& heap, Step step) {
        heap.state().phase = Phase::kCallbacks;
        if (heap.with(kQueued) != 0) {
            sink_(heap, step);
        } else {
            call_finalizers(heap, step);
        }
    }

    void callbacks() {
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if (!from_.at(o).is(kQueued)) {
                continue;
            }
            Heap heap = from_;
            heap.at(o).reset(kQueued);
            if (heap.at(o).is(kCondemned)) {  // inv.exact.quiet-callback
                heap.decref(o, code());
                call_callbacks(heap, told(Act::kDropCallback, o));
            } else {
                ++heap.state().hand[code()][o];  // the queue's reference
                heap.state().user = 1;
                heap.state().ran = 1;
                sink_(heap, told(Act::kCallBack, o));
            }
        }
    }

    void call_finalizers(Heap& heap, Step step) {
        heap.state().phase = Phase::kFinalize;
        if ((heap.with(kCondemned) & heap.with(kFinalizer)) != 0 || fallen(heap) != 0) {
            sink_(heap, step);
        } else {
            after_finalizers(heap, step);
        }
    }

    // What of the condemned nothing refers to any more but the collector.
    unsigned fallen(const Heap& heap) const {
        unsigned set = 0;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            const bool held = heap.at(o).is(kCondemned) && heap.at(o).is(kHeld);
            set |= held && heap.at(o).count == 1 ? 1u << o : 0;
        }
        return set;
    }

    void finalizers() {
        const unsigned falls = fallen(from_);
        if (falls == 0 && (from_.with(kCondemned) & from_.with(kFinalizer)) == 0) {
            Heap heap = from_;  // somebody has taken it meanwhile
            after_finalizers(heap, told(Act::kLetGo));
        }
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if ((falls & 1u << o) != 0) {
                let_go(o);
            } else if (from_.at(o).is(kCondemned) && from_.at(o).is(kFinalizer)) {
                Heap heap = from_;
                heap.at(o).reset(kFinalizer);
                heap.take(o, code());
                heap.state().user = 1;
                heap.state().ran = 1;
                sink_(heap, told(Act::kFinalize, o));
            }
        }
    }

    // It dies of its count, unless somebody takes a reference first.
    void let_go(unsigned o) {
        Heap heap = from_;
        heap.at(o).reset(kHeld | kCondemned);
        heap.decref(o, code());
        const Step step = told(Act::kLetGo, o);
        if (heap.state().user != 0) {
            sink_(heap, step);
        } else {
            call_finalizers(heap, step);
        }
    }

    void return_from_user() {
        for (const uint8_t held : from_.state().hand[code()]) {
            if (held != 0) {
                return;
            }
        }
        Heap heap = from_;
        heap.state().user = 0;
        const Step step = told(Act::kReturn);
        if (heap.state().phase == Phase::kCallbacks) {
            call_callbacks(heap, step);
        } else if (heap.state().phase == Phase::kFinalize) {
            call_finalizers(heap, step);
        } else {
            after_reclaim(heap, step);
        }
    }

    // inv.exact.anew: if code ran, components are formed anew over all that is condemned.
    void after_finalizers(Heap& heap, Step step) {
        const bool tests = heap.state().ran != 0 && bounds_.fault != Fault::kNoSecondTest;
        heap.state().ran = 0;
        if (!tests) {
            for (unsigned o = 0; o < bounds_.slots; ++o) {
                heap.at(o).set(heap.at(o).is(kCondemned) ? kDoomed : 0);
            }
            begin_reclaim(heap, step);
            return;
        }
        // What is reachable now, or from objects that the cycle does not judge, may live on.
        heap.unmark_garbage(heap.reachable(heap.with(kAllocated) & ~heap.with(kCondemned)));
        const bool reads =
            bounds_.engine == Engine::kReads && bounds_.fault != Fault::kOldComponents;
        heap.state().phase = reads ? Phase::kTraceAnew : Phase::kTestAnew;
        if (heap.with(kCondemned) == 0) {
            heap.state().phase = Phase::kEnd;
        }
        sink_(heap, step);
    }

    // --- reclaiming ---

    void begin_reclaim(Heap& heap, Step step) {
        heap.state().phase = Phase::kReclaim;
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            heap.at(o).component = 0;
        }
        after_reclaim(heap, step);
    }

    void reclaim() {
        const unsigned unclear = from_.with(kDoomed) & ~from_.with(kCleared);
        for (unsigned o = 0; o < bounds_.slots; ++o) {
            if ((unclear & 1u << o) != 0) {
                clear(o);
            } else if (from_.at(o).is(kHeld) && (unclear == 0 || !from_.at(o).is(kDoomed))) {
                release(o);
            }
        }
    }

    void clear(unsigned o) {
        Heap heap = from_;
        heap.at(o).set(kCleared);
        if (heap.at(o).is(kAllocated) && (heap.in_hands() & 1u << o) != 0) {
            heap.breaks(Law::kClearedLive);
        }
        for (unsigned f = 0; f < bounds_.fields; ++f) {
            if (const uint8_t to = heap.at(o).field[f]; to != kNull) {
                heap.at(o).field[f] = kNull;
                heap.decref(to, code());
            }
        }
        after_reclaim(heap, told(Act::kClear, o));
    }

    void release(unsigned o) {
        Heap heap = from_;
        const bool doomed = heap.at(o).is(kDoomed);
        heap.at(o).reset(kHeld | kCondemned | kDoomed | kCleared);
        heap.decref(o, code());
        if (doomed && heap.at(o).is(kAllocated)) {
            heap.breaks(Law::kMissed);
        }
        after_reclaim(heap, told(Act::kRelease, o));
    }

    void after_reclaim(Heap& heap, Step step) {
        const unsigned unclear = heap.with(kDoomed) & ~heap.with(kCleared);
        if (unclear == 0 && heap.with(kHeld) == 0 && heap.state().user == 0) {
            heap.state().phase = Phase::kEnd;
        }
        ended(heap, step);
    }

    void ended(Heap& heap, Step step) {
        // What lives on is as free as ever, and what was to be found is gone.
        if (heap.state().phase == Phase::kEnd && heap.with(kGarbage | kCondemned) != 0) {
            heap.breaks(Law::kMissed);
        }
        sink_(heap, step);
    }

    const Bounds& bounds_;
    const Heap from_;
    Sink& sink_;
};

}  // namespace ouro::model::pipeline
