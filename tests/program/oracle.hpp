// The judge: is told of all that the library does - events of a collection, finalizers, callbacks,
// clears, deallocations - and compares it, when it happens, with what the model says must and may
// happen. A difference ends the program with a report.
//
//     condemned        after the first pause, exactly the garbage, less what objects with tp_del reach
//     weak references  to and among the condemned are dead before any code runs
//     callbacks        of those that are not condemned, once each, before any finalizer
//     finalizers       of all condemned that were not finalized, once each, on whole objects
//     let go           when they have run, what of the condemned nothing refers to any more
//     survivors        what finalizers made reachable again, and what it reaches
//     clears           of all the others, once each, none before all finalizers ran
//     deallocation     only of what nothing refers to; none of the other condemned before all are cleared
#pragma once

#include <cstddef>

#include "tests/program/shadow.hpp"

namespace ouro::program {

// What programs did, so that it is seen when they do nothing of interest.
#define OURO_PROGRAM_COUNTS(X)                                       \
    X(programs, "run")                                               \
    X(steps, "taken, by procedures too")                             \
    X(young, "collections of each scope")                            \
    X(middle, "")                                                    \
    X(full, "")                                                      \
    X(local, "")                                                     \
    X(left_out, "young ones that looked at nothing")                 \
    X(condemned, "objects")                                          \
    X(condemned_young, "of them, by a young or middle collection")   \
    X(condemned_local, "of them, by a local collection")             \
    X(resurrected, "by finalizers of a collection")                  \
    X(let_go, "when finalizers had dropped them")                    \
    X(uncollectable, "for a tp_del")                                 \
    X(finalized, "in collections and in deallocations")              \
    X(called_back, "weak references")                                \
    X(cleared, "by a collection")                                    \
    X(reclaimed_early, "of the condemned, while others were tested") \
    X(deallocated, "")                                               \
    X(weak_killed, "weak references, by a collection")               \
    X(revived_dying, "by finalizers of a deallocation")              \
    X(moved, "references, without a change of any count")            \
    X(resized, "")                                                   \
    X(visited, "")                                                   \
    X(raised, "exceptions in finalizers, callbacks and clears")      \
    X(upgraded, "weak references, to references")
struct Counts {
#define X(name, text) size_t name = 0;
    OURO_PROGRAM_COUNTS(X)
#undef X
    void add(const Counts& other);
    bool operator==(const Counts&) const = default;
};

class Oracle {
public:
    // ages_at_once: survivors of a young collection are old.
    Oracle(Shadow& shadow, bool ages_at_once) : shadow_(shadow), ages_at_once_(ages_at_once) {}

    void on_event(const OuroEvent& event);

    // The library, or the program by hand, is about to call a finalizer or a clear of this node if
    // that is due; returns who was expected before, for expect_again.
    int expect(int node);
    void expect_again(int node) { expected_ = node; }

    void finalizer_begins(int node);
    void clear_begins(int node);
    void deallocation_begins(int node);
    // Around PyObject_ClearWeakRefs of a dying object. The first returns whose callbacks are due.
    std::vector<int> weak_references_die(int node);
    void weak_references_died(int node, const std::vector<int>& due);
    void callback_begins(int weak, int callback);
    // The object has another address; what was at the old one is not it.
    void moved(int node);

    bool collecting() const { return stage_ != Stage::kNone; }
    // Whether the condemned may not be shown to anybody.
    bool condemned_are_hidden() const { return stage_ != Stage::kNone && stage_ < Stage::kCleared; }
    size_t cycles() const { return cycles_; }
    unsigned generation() const { return generation_; }
    // What PyGC_Collect must return for the last cycle.
    size_t found() const { return found_; }

    Counts counts;

private:
    // kTested: what is apart may be reclaimed, before all is tested.
    enum class Stage { kNone, kTested, kCondemned, kFinalized, kCleared };

    void begin_cycle();
    void tested();
    void note_callbacks_due();
    void cleared_early();
    void released_early();
    void condemn(const OuroEvent& event);
    void compare_condemned(const Set& sure, const Set& possible, const char* when);
    void kill_weak_references();
    void callbacks_ran(int because);
    void finalizers_ran();
    void test_again(const OuroEvent& event);
    void cleared();
    void released();
    void end_cycle(const OuroEvent& event);
    void left_out(const OuroEvent& event);
    void check_uncollectable();
    void grow_older();

    Shadow& shadow_;
    const bool ages_at_once_;
    Stage stage_ = Stage::kNone;
    unsigned generation_ = 0;
    bool is_local_ = false;  // the last collection: of any age, and it need not find all garbage
    size_t cycles_ = 0;
    size_t found_ = 0;
    size_t code_ran_ = 0;        // callbacks and finalizers of this cycle
    bool code_may_run_ = false;  // a callback is perhaps due
    bool tested_again_ = false;
    size_t reclaimed_early_ = 0;
    Set garbage_when_tested_;  // surely, before any code ran
    Set surely_kept_, possibly_kept_;
    int expected_ = kNothing;
};

}  // namespace ouro::program
