// Condemning: from here on the objects are known to be garbage, and stay whole until they are
// reclaimed. Runs in the pause that established it.
#pragma once

#include <span>

#include "core/collector/candidates.hpp"

namespace ouro::collector {

// What becomes of one cycle's garbage. The collector owns a reference to each object of all lists but
// `kept`.
struct Condemned {
    Candidates dead;       // no garbage: the last reference was one that waited in a merge queue
    Candidates garbage;    // to be reclaimed
    Candidates kept;       // uncollectable: objects with tp_del and what they reach
    Candidates legacy;     // of those, the ones that are reported, as a rule those with tp_del
    Candidates called;     // weak references whose callbacks are due
    Candidates survivors;  // of the garbage, what finalizers made reachable again
};

// References of the collector's own to each condemned object, so that no slot is reused.
inline constexpr uint32_t kPins = 1;

// Gives each of `garbage` the condemned mark, takes out what is uncollectable, kills the weak
// references to the rest, and takes a reference to each. Throws std::bad_alloc; then the
// caller takes the marks of `garbage` away and drops the references on `legacy` and `called`.
void condemn(Condemned& condemned);

// The same for a component of a set that is condemned piece by piece, and for one that is kept; each in
// the pause that tested it. Throw std::bad_alloc with nothing changed.
void condemn_component(std::span<PyObject* const> objects, Candidates& called);
void keep_component(std::span<PyObject* const> objects, Condemned& condemned);

}  // namespace ouro::collector
