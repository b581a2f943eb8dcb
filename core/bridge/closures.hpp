// The exact test by closures: an object with all that it reaches, of what is not known to be alive, is garbage if nothing
// outside refers to any of them.
//
// Sound for any set (core/collector/README.md, "Why it is sound"): the counts of all members together are never less
// than the references among them, and equal only if there is no other reference. Counts are read and references
// traversed in one go, while nothing else runs. No count of each member is needed, no order, no memory that grows with
// the heap; nearly all garbage is of many small structures, and passes. What does not is left to Leftover.
#pragma once

#include <Python.h>

#include "core/bridge/address_table.hpp"
#include "core/bridge/marks.hpp"
#include "core/bridge/old_list.hpp"
#include "core/heap/pages.hpp"

namespace ouro::bridge {

class Closures {
public:
    // Objects of a closure, at most; a larger one is refused.
    static constexpr size_t kMost = 2000;

    // What is tested, and what a closure may consist of.
    enum class Of {
        // Old objects that the live pass has not reached, with whatever it has not: most of it is garbage, as a rule, and
        // is spared counting and marking. Given up where most is not. Pre: that pass is over, and bytes are its marks.
        kUntraced,
        // Candidates. Pre: the mark pass is over, and bytes are its marks.
        kCandidates,
    };

    Closures(OldList& list, AddressTable& table) : list_(list), table_(table) {}

    // Throws std::bad_alloc.
    void begin(Of of);
    // Tests closures until about `objects` objects have passed or the deadline, and moves what has passed to `garbage`,
    // a list of CPython's. Returns how many have passed. Throws std::bad_alloc: then nothing more is known.
    size_t test(size_t objects, collector::Deadline& deadline, GcHead* garbage);
    // All have been tested, or most were refused.
    bool is_done() const { return done_; }
    // Objects that were, and that bytes tell of.
    size_t refused() const { return refused_; }
    size_t bytes() const { return (members_.capacity()) * sizeof(PyObject*); }

private:
    enum class Found { kGarbage, kRefused, kLarge };

    bool may_be_member(int8_t mark) const { return mark == untested_ || is_white(mark); }
    GcHead* end() const;
    Found form(PyObject* first);
    bool has_callback_outside(PyObject* op) const;
    void mark_members(int8_t mark);
    static int visit(PyObject* op, void* arg);

    OldList& list_;
    AddressTable& table_;
    heap::PageVector<PyObject*> members_;
    Of of_ = Of::kCandidates;
    int8_t untested_ = kWhite;  // the mark of what has not been
    size_t references_ = 0;     // among the members
    bool touches_large_ = false;
    size_t again_ = 0;    // visits of members that were refused before
    size_t refused_ = 0;  // objects
    size_t passed_ = 0;
    bool done_ = false;
};

}  // namespace ouro::bridge
