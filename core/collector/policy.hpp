// When a collection is due. CPython's policy (3.13, Python/gc.c): a young collection when container allocations
// exceed deallocations by more than the threshold, 2,000, since the last collection; a middle one after more than ten
// young ones; a full one after more than ten middle ones, if the objects that became old since the last full collection
// are at least a quarter of those that survived it. With generations=off, the policy of the free-threaded build: a full
// one when the excess is over 2,000 and at least a quarter of what survived the last one. The quarter is a value of the
// setting `trigger`, and others may take its place (triggers/trigger.hpp); one that is alone takes that of the ten middle
// collections as well: then a full one may be due where a middle one would be.
//
// Under an engine whose pauses have a budget there are no middle collections, each of which would be one pause of ten
// times as many objects: survivors of a young collection are old. A full collection is due after as many young ones as
// in CPython's policy, and already where a middle one would be if the objects that became old are kSmall times what
// survived the last full one. (Otherwise garbage beside a small heap, which a middle collection would have found, waits
// for ten times as many allocations: a queue of a thousand entries of 10 kB took 2 GiB where stw took 0.24.)
//
// And where a young collection has found little, the next ones that are due are skipped (leave_out): the young objects
// are promoted without being examined, and the garbage among them is found by a full collection. In a cache whose
// entries live long young collections find nothing: examining an object took 33 ns, in a stop, which with 1.2 M objects
// a second was more than half of all the time that mutators were stopped.
//
// Where threads run in parallel a young collection stops them all. N threads that share a threshold would each be
// stopped N times as often as a single thread, for N times the objects. So where several run, the threshold is
// kYoungOfEach for each that has a core to run on. (gcbench in two threads, against two processes: 0.6 with 2,000 in
// all, 1.2 with 8,000 of each, which is some 0.6 ms of pause.) With a budget it is 2,000 for each.
//
// With stress=N all of this is replaced: a full collection at each Nth allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/collector/triggers/quarter.hpp"
#include "core/event/cycle.hpp"

namespace ouro::collector {

using event::Scope;

class Policy {
public:
    static constexpr size_t kYoungThreshold = 2000;
    static constexpr size_t kYoungOfEach = 8000;  // of several running threads

    // `budgeted`: pauses have a budget. `young`: the first of the thresholds, at most INT_MAX.
    explicit Policy(bool budgeted = false, size_t young = kYoungThreshold,
                    std::unique_ptr<Trigger> trigger = std::make_unique<Quarter>())
        : budgeted_(budgeted), trigger_(std::move(trigger)),
          thresholds_{static_cast<int>(young), kMiddleThreshold, kOldThreshold} {}

    // Python's gc.get_threshold and gc.set_threshold. Exceeded by containers allocated less deallocated, by young
    // collections since the last middle one, and by middle ones since the last full one. If the first is 0 or less,
    // nothing is ever due. If the first is not the default, it is not scaled by the number of running threads.
    using Thresholds = std::array<int, 3>;
    const Thresholds& thresholds() const { return thresholds_; }
    void set_thresholds(const Thresholds& thresholds) { thresholds_ = thresholds; }
    // Young collections since the last middle one; middle ones since the last full one.
    size_t middle() const { return middle_; }
    size_t old() const { return old_; }
    // The setting stress: a full collection is due each time that so many containers have been allocated, unless
    // nothing ever is due; 0: off.
    void set_stress(size_t allocations) { stress_ = allocations; }
    // The young generation was emptied otherwise: resets the counts of collections.
    void forget_young() { middle_ = old_ = 0; }

    // What to collect when there are `young` containers more than after the last collection; false
    // if nothing. Nothing is due until `young` exceeds threshold().
    bool due(size_t young, bool generations, Scope* scope);
    bool is_full_due(size_t young, bool generations) {
        Scope scope;
        return due(young, generations, &scope) && scope == Scope::kFull;
    }
    size_t threshold(bool generations) const;
    // A collection of this scope begins, with `young` containers more than after the last one.
    // `let_go`: garbage of any age that was found since the last one began, by which the young count is less.
    void begin(Scope scope, size_t young, size_t let_go = 0);
    // So many threads ran at once when the collection began, including the collecting one.
    void stopped(size_t running) { running_ = running; }
    // A collection ended: of so many objects in its scope, so many were garbage; it took so much processor time, 0 if that
    // is not known. A young one may end in the middle of a full one.
    void end(Scope scope, size_t objects, size_t garbage, double seconds = 0);
    // The full collection that began was abandoned: it is due again with the next young one.
    void abandoned();
    // Whether the young collection that is due is skipped; asked once for each. If so, left_out is called instead of
    // `end`.
    bool leave_out();
    void left_out() { long_lived_pending_ += std::exchange(young_in_flight_, 0); }
    // How much the heap has grown since the last full collection that ended, in per cent of what survived it,
    // with `young` containers more than after the last collection. What a young collection in flight looks at is
    // included: it frees the dead among mutators. Growth before the full collection in flight began
    // is included: it may all be garbage, and a limit on what is allocated during each collection alone would let the
    // heap grow without bound. If little survived, the base is instead the growth when the collection in flight began,
    // at most as many containers as make a full collection due, by CPython's thresholds or by the trigger, and with
    // generations at least kRoom times as many as make a middle one due. So the growth at which a collection begins when
    // it is due is about 100 at most, whatever the trigger is, and leaves room for pacing (pace.hpp).
    size_t growth(size_t young, bool generations) const { return grown(newer(young), generations); }
    // The same in containers.
    size_t newer(size_t young) const {
        return before_ + long_lived_pending_ + young_in_flight_ + young;
    }
    // What it is a part of, in containers.
    size_t base(bool generations) const {
        if (!generations) {
            return std::max(
                {long_lived_total_, std::min(before_, room_at_begin_), kYoungThreshold});
        }
        const size_t middle = kYoungThreshold * running_ * (kMiddleThreshold + 1);
        const size_t due = std::max(middle * (kOldThreshold + 1), room_at_begin_);
        return std::max({long_lived_total_, std::min(before_, due), kRoom * middle});
    }
    bool is_full_in_flight() const { return full_in_flight_; }
    // The growth when the full collection in flight began.
    size_t growth_at_begin(bool generations) const { return grown(before_, generations); }

private:
    size_t added(size_t survivors);

    static constexpr int kMiddleThreshold = 10;
    static constexpr int kOldThreshold = 10;
    static constexpr size_t kSmall = 2;
    static constexpr size_t kRoom = 3;
    // Garbage is little if it is less than one in kLittle objects. Then one young collection is skipped, then 3, then
    // 7, and kMostLeftOut at most. The first one after a full collection is not skipped.
    static constexpr size_t kLittle = 16;
    static constexpr size_t kMostLeftOut = 15;

    size_t grown(size_t objects, bool generations) const {
        return objects * 100 / base(generations);
    }
    // Whether generations and thresholds leave it to the trigger whether a full collection is due.
    bool is_turn_of_full() const;
    size_t room() const { return trigger_->room(long_lived_total_); }

    static bool exceeds(size_t count, int threshold) {
        return threshold < 0 || count > static_cast<size_t>(threshold);
    }

    bool budgeted_;
    std::unique_ptr<Trigger> trigger_;
    Thresholds thresholds_;
    size_t stress_ = 0;
    size_t running_ = 1;
    size_t middle_ = 0;        // young collections since the last middle one
    size_t old_ = 0;           // middle collections since the last full one
    size_t in_a_row_ = 0;      // to be skipped after the last one that was made
    size_t to_leave_out_ = 0;  // of those, still to be skipped
    size_t long_lived_total_ = 0;
    size_t long_lived_pending_ = 0;
    size_t young_in_flight_ = 0;  // in the young or middle collection in flight
    size_t let_go_ = 0;           // before it
    size_t before_ = 0;           // pending and young when the full collection in flight began
    size_t room_at_begin_ = 0;    // of the trigger, then
    // What the trigger is told less what is pending: became part of the heap before the last full collection began.
    size_t became_part_ = 0;
    bool full_in_flight_ = false;
    bool overdue_ = false;  // one was abandoned
};

}  // namespace ouro::collector
