// Condemning: marks objects that are known to be garbage and pins them, so that they stay whole until they are
// reclaimed. Runs in the pause that found them to be garbage.
#pragma once

#include <span>

#include "core/collector/candidates.hpp"

namespace ouro::collector {

// The garbage of one collection. The collector owns a reference to each object of all lists but
// `kept`.
struct Condemned {
    Candidates dead;       // not cyclic garbage: the last reference waited in a merge queue
    Candidates garbage;    // to be reclaimed
    Candidates kept;       // uncollectable: objects with tp_del and what they reach
    Candidates legacy;     // those of `kept` that are reported: by default those with tp_del
    Candidates called;     // weak references whose callbacks are due
    Candidates survivors;  // of the garbage, what finalizers made reachable again
};

// The pin: references of the collector's own to each condemned object, so that no slot is reused.
inline constexpr uint32_t kPins = 1;

// Gives each of `garbage` the condemned mark, takes out what is uncollectable, kills the weak
// references to the rest, and pins each. Throws std::bad_alloc; then the caller clears the marks
// of `garbage` and drops the references of `legacy` and `called`.
void condemn(Condemned& condemned);

// The same for one component of a set, and for a component that is kept; each in the pause that tested the
// component. Throw std::bad_alloc with nothing changed.
void condemn_component(std::span<PyObject* const> objects, Candidates& called);
void keep_component(std::span<PyObject* const> objects, Condemned& condemned);

// Condemns a component of which nothing but marks and counts must change for it: nothing has a finalizer, nothing is a
// weak reference or has one. False: it is not so, and nothing has changed. In the stop of the thread whose word is
// `stopper`, by any thread that works in it, several at once.
bool condemn_if_inert(std::span<PyObject* const> objects, uint32_t stopper);

}  // namespace ouro::collector
