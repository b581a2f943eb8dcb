// When a collection is due. CPython's policy (3.13, Python/gc.c): the young generation when
// allocations exceed deallocations of containers by 2,000 since the last collection, the middle one
// after ten young ones, everything after ten middle ones if the objects that became old since the
// last full collection are more than a quarter of those that survived it. With generations=off,
// that of the free-threaded build: everything, when the excess is over 2,000 and a quarter of what
// survived the last time.
//
// Under an engine whose pauses have a budget there is no collection of the middle generation, which would
// be one pause of ten times as many objects: survivors of a young collection are old. Everything is due
// after as many young collections as in CPython's policy; but already where one of the middle would be if
// what became old is kSmall times what survived the last time. (Else garbage beside a small heap, which one of
// the middle would have found, waits for ten times as many allocations: a queue of a thousand entries of 10 kB
// took 2 GiB where stw took 0.24.) And where a young collection has found little, the next ones that are due
// are left out: what is young becomes old unseen, and what is garbage of it is found with everything. Of a
// cache whose entries live long they find nothing: to look took 33 ns an object, in a stop, which with 1.2 M
// objects a second was more than half of all that mutators were stopped.
//
// Where threads run side by side a young collection stops them all. N threads that share a limit
// would each be stopped N times as often as one that is alone, for N times the objects; so each that
// has a core to run on adds kYoungOfEach to the limit. (gcbench in two threads, against two
// processes: 0.6 with 2,000 in all, 1.2 with 8,000 of each, which is some 0.6 ms of pause.) With a budget
// it adds 2,000.
//
// With stress=N all of this is set aside: everything, with each Nth allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/event/cycle.hpp"

namespace ouro::collector {

using event::Scope;

class Policy {
public:
    static constexpr size_t kYoungThreshold = 2000;
    static constexpr size_t kYoungOfEach = 8000;  // of several running threads

    // `budgeted`: pauses have a budget. `young`: the first of the thresholds, at most INT_MAX.
    explicit Policy(bool budgeted = false, size_t young = kYoungThreshold)
        : budgeted_(budgeted),
          thresholds_{static_cast<int>(young), kMiddleThreshold, kOldThreshold} {}

    // Python's gc.get_threshold and gc.set_threshold: more than so many containers; more than so many young
    // collections since the last of the middle; and as many of these since the last full one. Of the first, 0
    // and less: nothing is ever due. A first one that is not the default is the limit however many threads run.
    using Thresholds = std::array<int, 3>;
    const Thresholds& thresholds() const { return thresholds_; }
    void set_thresholds(const Thresholds& thresholds) { thresholds_ = thresholds; }
    // Young collections since the last of the middle, and these since the last full one.
    size_t middle() const { return middle_; }
    size_t old() const { return old_; }
    // Everything is due with each last one of so many containers allocated, but where nothing ever is; of
    // 0 nothing changes.
    void set_stress(size_t allocations) { stress_ = allocations; }
    // What was young is no collection's any more.
    void forget_young() { middle_ = old_ = 0; }

    // What to collect when there are `young` containers more than after the last collection; false
    // if nothing. Nothing is due before there are more than threshold().
    bool due(size_t young, bool generations, Scope* scope) const;
    size_t threshold(bool generations) const;
    // A collection of this scope begins, with `young` containers more than after the last one.
    void begin(Scope scope, size_t young);
    // So many threads ran at once when it began, the collecting one among them.
    void stopped(size_t running) { running_ = running; }
    // It ended: of so many objects in its scope, so many were garbage. A young one may end in the middle of a
    // full one.
    void end(Scope scope, size_t objects, size_t garbage);
    // Whether the young collection that is due is left out; asked once for each. Then, of so many young
    // objects, `left_out`, instead of `end`.
    bool leave_out();
    void left_out(size_t young) { long_lived_pending_ += young; }
    // How much the heap has grown since the last full collection that ended, in per cent of what survived that,
    // with `young` containers more than after the last young one. What was there when a full one began counts,
    // too: it may all be garbage, and a limit to what is allocated during each would let the heap grow without
    // end. Of a heap that is small next to what makes a full collection due, in per cent of that, as far as it
    // has grown old, and at least of kRoom times what makes one of the middle due.
    size_t growth(size_t young, bool generations) const {
        return grown(before_ + long_lived_pending_ + young, generations);
    }
    // The same when the full collection that goes on began.
    size_t growth_at_begin(bool generations) const { return grown(before_, generations); }

private:
    static constexpr int kMiddleThreshold = 10;
    static constexpr int kOldThreshold = 10;
    static constexpr size_t kSmall = 2;
    static constexpr size_t kRoom = 3;
    // Less than one in so many is little; then one is left out, then 3, 7, and at most so many. After a full
    // collection one looks.
    static constexpr size_t kLittle = 16;
    static constexpr size_t kMostLeftOut = 15;

    size_t grown(size_t objects, bool generations) const {
        if (!generations) {
            return objects * 100 / std::max(long_lived_total_, kYoungThreshold);
        }
        const size_t middle = kYoungThreshold * running_ * (kMiddleThreshold + 1);
        const size_t everything = middle * (kOldThreshold + 1);
        return objects * 100 /
               std::max({long_lived_total_, std::min(before_, everything), kRoom * middle});
    }

    static bool exceeds(size_t count, int threshold) {
        return threshold < 0 || count > static_cast<size_t>(threshold);
    }

    bool budgeted_;
    Thresholds thresholds_;
    size_t stress_ = 0;
    size_t running_ = 1;
    size_t middle_ = 0;        // young collections since the last of the middle
    size_t old_ = 0;           // middle collections since the last full one
    size_t in_a_row_ = 0;      // are left out between two that look
    size_t to_leave_out_ = 0;  // of those
    size_t long_lived_total_ = 0;
    size_t long_lived_pending_ = 0;
    size_t before_ = 0;  // as pending, before the full collection that has not ended
};

}  // namespace ouro::collector
