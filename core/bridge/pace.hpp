// How much of a full collection is done now: the control law of the bridge.
//
// A cycle begins when g N objects have become old since the last one began, where N objects were old then, or as many
// as CPython would have allocated between two full collections at least, if those are more: the next one is `due`. g is
// kGrowth where that part of what was old was found to be garbage, or more, and rises to kMostGrowth where nothing was: a
// heap that only grows is not gone over for nothing. The work of a cycle is paid for by the objects that become old
// meanwhile, and done when kRoom of `due` have. With `left` the work still to be done, in ns, by the costs of an object
// that were measured, each owes
//
//     left / (kRoom due - those that have become old already)
//
// and never less than those before it in the same cycle: if costs were underestimated the rate rises, and the end of a
// cycle, when little is left, does not drag on.
//
// It is paid in slices of kUsualSliceNs, that come the more often the more is owed: one operation in a hundred of a program
// feels one, so they are as short as what CPython adds to each allows, some 3 us. The less of the time is the program's
// the longer they are, since it then feels one in every operation, and what they cost is how often the caches change
// hands. Where they cannot come often enough longer ones are made, too, up to half a budget more. For one that is too long
// for what is left of the collector's share of 10 ms the next is waited for, rather than made in bits.
//
// Memory: what dies during a cycle is found by the next. If all that becomes old dies, the heap is at most
// N (1 + g (1 + kRoom)) where CPython's, which stops when it has grown by a quarter, is N (1 + 1/4). Work: N for each g N
// objects.
//
// The program keeps a share of any 10 ms, kProgramsShare. Where garbage is made faster than it can be found so, less: what
// becomes old during a cycle is made in proportion to u / (1 - u), with u the part of the time that was the program's, and
// should be `due` in all, so that the next cycle begins when this one ends. If it was x due, the next is given the share
// v with
//
//     v / (1 - v) = u / (1 - u) / x
//
// but kLeastShare at least. Within a cycle the share falls from there to kLeastShare, the more the later it is and the more
// garbage it or the last one found, and where the heap grows by a large part of itself meanwhile, on to kLastShare: a
// program is slowed down, and does not run out of memory.
//
// How far: let a program that keeps a share u of the time make a objects a second of it that die old. With c1 the cost of
// tracing one that is alive and c2 that of finding and freeing a dead one, a cycle beside N alive lasts
// (c1 + c2 g) N / (1 - u), and in that time g N die, so that
//
//     g = a u / (1 - u) (c1 + c2 g)
//
// and N (1 + 2 g) is the peak. Where a c2 u / (1 - u) is 1 or more there is no such g: the heap grows until u falls.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bridge/cycle.hpp"

namespace ouro::bridge {

class Pace {
public:
    explicit Pace(int64_t budget_ns) : budget_ns_(budget_ns) {}

    void set_budget(int64_t ns) { budget_ns_ = ns; }
    // What is old when the bridge is enabled, or after a full collection that was made at once.
    void restart(size_t old_objects);
    // So many objects have become old.
    void promoted(size_t objects);
    // A cycle is due, unless one is in flight: one for fewer than `least` objects would not be worth its while.
    bool is_due(double least) const {
        return static_cast<double>(since_begin_) >= std::max(least, growth_ * old_);
    }
    void begin(double least);
    // It has ended. `utilization`: the program's share of the time since it began.
    void end(const Cycle::Report& report, double utilization);

    // What has been measured: so many objects of a stage, or of garbage handed over, took so long.
    void measured(Stage stage, size_t objects, int64_t ns);

    // How long the next slice may be, or the time for what is handed over, with so much of the current pause gone and
    // the program's share of the last 10 ms. 0: none.
    int64_t allowance_ns(const Cycle& cycle, int64_t pause_so_far_ns, double utilization);
    // It took so long.
    void paid(int64_t ns);
    // Of garbage, handed over by that stage, in that time.
    size_t objects_in(int64_t ns, Stage stage) const;
    // How many objects the nursery takes, so that its collection is half a budget; and what one of so many took.
    size_t nursery() const { return static_cast<size_t>(nursery_); }
    void nursery_took(size_t objects, int64_t ns);
    // After so many allocations CPython should begin the next collection of young objects, at most `usual`. With a cycle
    // in flight: the more is to be paid, the more often, so that what is paid at once stays about kUsualSliceNs.
    // And soon, where `waiting` young objects are more than one takes, and are collected in parts.
    int next_after(int usual, bool in_cycle, size_t waiting) const {
        // Each other one at least is not for the nursery, and has time for a slice.
        const double most = in_cycle ? std::min(period_, nursery_ / 2) : nursery_;
        const int next = std::min(usual, static_cast<int>(most));
        return waiting >= nursery() ? std::min(next, kBetweenParts) : next;
    }

    int64_t budget_ns() const { return budget_ns_; }
    size_t old_objects() const { return static_cast<size_t>(old_) + since_begin_; }
    // What a full collection at once of all that is old would take, by what marking has cost.
    int64_t full_ns() const;

private:
    int64_t left_ns(const Cycle& cycle) const;
    double programs_share(const Cycle& cycle) const;
    double cost(Stage stage) const { return cost_ns_[static_cast<size_t>(stage)]; }

    // Allocations between two slices: fewer while more is owed than one pays, more while it is less, or while none may be
    // made. A collection of no objects costs some 3 us.
    static constexpr double kLeastPeriod = 50;
    static constexpr double kMostPeriod = 1500;
    static constexpr double kSooner = 0.8;
    static constexpr double kLater = 1.1;
    static constexpr double kLaterForNone = 1.2;
    static constexpr double kLaterForNothing = 1.5;  // is owed
    static constexpr double kAlmostLeast = 1.3 * kLeastPeriod;
    static constexpr int kBetweenParts = 100;
    static constexpr double kUsualSliceNs = 40'000;
    // By so many times itself, if nothing were left to the program.
    static constexpr double kLonger = 6;
    static constexpr double kLeastNursery = 700;  // CPython's own young generation until 3.12
    static constexpr double kMostNursery = 10'000;
    // How much the last nursery counts for what an object of the next costs. One that took long is believed sooner: the
    // next may be like it.
    static constexpr double kSlowerCounts = 0.3;
    static constexpr double kFasterCounts = 0.05;
    static constexpr int64_t kLeastSliceNs = 15'000;
    static constexpr int64_t kWindowNs = 10'000'000;
    static constexpr double kProgramsShare = 0.64;
    static constexpr double kLeastShare = 0.3;
    // Where what becomes old during a cycle is garbage, and is this much of what is old (or of a heap for which `least`
    // would be g), the program begins to lose the rest of its share, and has lost it at the second.
    static constexpr double kRunsAway = 0.25;
    static constexpr double kRanAway = 0.75;
    static constexpr double kLastShare = 0.1;
    // A cycle is late, if it or the last one found much garbage, when so many of `due` objects have become old; and if not.
    static constexpr double kLate = 0.5;
    static constexpr double kTooLate = 3;
    static constexpr double kMuchGarbage = 0.15;
    static constexpr double kGrowth = 0.12;  // g
    static constexpr double kMostGrowth = 0.3;
    static constexpr double kRoom = 0.6;

    int64_t budget_ns_;
    double old_ = 0;          // objects when the last cycle began, less the garbage that it found
    size_t since_begin_ = 0;  // became old since it did
    double untraced_share_ = 0.2;          // of what is old
    double untraced_garbage_share_ = 0.5;  // of this: found to be, without counting and marking
    double candidates_share_ = 0.05;
    double refused_share_ = 0;  // left by closures
    double garbage_share_ = 0;  // of the objects of the last cycle
    double growth_ = kGrowth;
    double due_ = 0;                 // objects, after which the next cycle begins
    double room_ = 0;                // after which this one should have ended
    double share_ = kProgramsShare;  // v
    double owed_ns_ = 0;
    double rate_ = 0;     // what an object owes, in ns
    double work_ns_ = 0;  // of the cycle in flight, as it was estimated at most
    double period_ = kMostPeriod;
    double nursery_ = kLeastNursery;
    double nursery_object_ns_ = 200;
    double accounted_ = 0;  // of since_begin_: what they owe has been added
    // An object, of each stage: before anything has been measured.
    std::array<double, kStages> cost_ns_ = {0, 80, 300, 60, 0, 60, 300, 40, 60, 60, 300, 1};
};

}  // namespace ouro::bridge
