// When a collection is due. CPython's policy (3.13, Python/gc.c): the young generation when
// allocations exceed deallocations of containers by 2,000 since the last collection, the middle one
// after ten young ones, everything after ten middle ones if the objects that became old since the
// last full collection are more than a quarter of those that survived it. With generations=off,
// that of the free-threaded build: everything, when the excess is over 2,000 and a quarter of what
// survived the last time.
//
// Where threads run side by side a young collection stops them all. N threads that share a limit
// would each be stopped N times as often as one that is alone, for N times the objects; so each that
// has a core to run on adds kYoungOfEach to the limit. (gcbench in two threads, against two
// processes: 0.6 with 2,000 in all, 1.2 with 8,000 of each, which is some 0.6 ms of pause.)
#pragma once

#include <cstddef>

#include "core/event/cycle.hpp"

namespace ouro::collector {

using event::Scope;

class Policy {
public:
    static constexpr size_t kYoungThreshold = 2000;
    static constexpr size_t kYoungOfEach = 8000;  // of several running threads

    // What to collect when there are `young` containers more than after the last collection; false
    // if nothing. Nothing is due before there are more than threshold().
    bool due(size_t young, bool generations, Scope* scope) const;
    size_t threshold(bool generations) const;
    // A collection of this scope begins.
    void begin(Scope scope);
    // So many threads ran at once when it began, the collecting one among them.
    void stopped(size_t running) { running_ = running; }
    // It ended and left so many survivors in its scope.
    void end(Scope scope, size_t survivors);

private:
    static constexpr size_t kMiddleThreshold = 10;
    static constexpr size_t kOldThreshold = 10;

    size_t running_ = 1;
    size_t middle_ = 0;  // young collections since the last of the middle
    size_t old_ = 0;     // middle collections since the last full one
    size_t long_lived_total_ = 0;
    size_t long_lived_pending_ = 0;
};

}  // namespace ouro::collector
