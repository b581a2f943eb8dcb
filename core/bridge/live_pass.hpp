// What the modules and the running frames reach is alive, whatever counts say: one traversal of it, instead of the two
// that counting and marking take (mark_pass.hpp). What it does not reach, garbage and what only C code holds, is left to
// these.
//
// CPython's list is the work list, used as a stack: what is reached is moved to directly behind the object that is being
// traversed, and is traversed next. So whoever goes over it later finds it in depth-first order, which is as good as that of
// allocation: what is traversed together lies together, and what refers comes first. Where something comes before all that
// refers to it, a full collection of CPython's moves it to the end, with all that only it reaches, breadth-first, and each
// later one takes two to three times as long. So what has been traced is at the front, while the rest is still to come, and
// what was reached from a call that has returned, and not from what lives longer, is little.
//
// What is reached while it is young becomes old. In slices, between which the program runs: what has been reached is kept
// until the next collection even if it dies meanwhile.
#pragma once

#include "core/bridge/address_table.hpp"
#include "core/bridge/old_list.hpp"
#include "core/bridge/traversal.hpp"
#include "core/collector/deadline.hpp"
#include "core/collector/delay_ring.hpp"

namespace ouro::bridge {

class LivePass {
public:
    LivePass(OldList& list, AddressTable& table) : list_(list), table_(table) {}

    // False with an exception.
    bool make();
    // Asks which frames run. May run audit hooks, that is, any code; no collection may begin meanwhile.
    void ask_for_frames();
    // Visits the roots: modules, the frames that were asked for, and what is frozen, which stays in its list. False, with
    // nothing done, if more than a few objects are frozen: what they refer to cannot be known in time; or if there are
    // other interpreters, whose frames would be shown with the main one's. Pre: the bytes of the table are zero, the
    // list has begun.
    bool begin(const GcHead* frozen);
    // Until it is true.
    bool trace(collector::Deadline& deadline);

    size_t passed() const { return passed_; }

private:
    struct Reached {
        int8_t* mark;
        PyObject* op;
    };

    static int visit(PyObject* op, void* arg);
    void reach(Reached reached);
    void move(GcHead* head);
    void flush();

    bool visit_roots(const GcHead* frozen);

    PyObject* current_frames_ = nullptr;
    PyObject* frames_ = nullptr;  // from ask_for_frames to begin
    OldList& list_;
    AddressTable& table_;
    Traversal traversal_;
    collector::DelayRing<Reached, 32> reached_;  // their marks are on the way
    collector::DelayRing<GcHead*, 16> to_move_;  // their neighbours are
    GcHead* place_ = nullptr;                    // before which what is reached goes
    uint32_t moved_ = 0;                         // since the time was looked at
    size_t passed_ = 0;
};

}  // namespace ouro::bridge
