// Garbage that need not wait until all candidates are tested.
//
// Components are tested in topological order, and come in groups: where no reference leads from garbage that has been
// judged to what has not, a group ends (ExactTest::is_closed). No reference connects it with what follows: it is a set
// of its own, for which the test is over. If nothing of it runs code before it is cleared, a finalizer or the callback of
// a weak reference, and no component of it is larger than the cache, it may be cleared and released between two pauses of
// the test: while mutators run anyway, and while it is still in the cache. Nothing that is tested later, or waits for its
// finalizers, reaches it.
#pragma once

#include <span>

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

class Apart {
public:
    // There are so many candidates: so that nothing is moved in a pause. Without memory nothing is apart.
    void begin(size_t candidates);
    // Gives the memory of a long list back until the deadline; true when it is done.
    bool drop(Deadline& deadline) { return drop_shortened(dropping_, deadline, list_); }

    // A component of the group at hand was condemned, which runs code before it is cleared or not. In the pause that did.
    void add(std::span<PyObject* const> objects, bool runs_code);
    // The group at hand waits, with what will belong to it: until the rest is reclaimed.
    void let_group_wait();
    void end_group();

    // What may be reclaimed now.
    std::span<PyObject* const> ready() const { return {list_.data(), ready_}; }
    // To reclaim less is not worth it.
    bool has_enough() const { return ready_ >= kEnough; }
    // It has been.
    void note_reclaimed();
    // How many have been.
    size_t reclaimed() const { return reclaimed_; }

private:
    static constexpr size_t kEnough = 256;

    Candidates list_;  // those of groups that have ended, then those of the one at hand
    size_t ready_ = 0;
    bool group_waits_ = false;
    size_t reclaimed_ = 0;
    bool dropping_ = false;
};

}  // namespace ouro::collector
