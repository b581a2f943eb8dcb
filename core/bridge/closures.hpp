// The exact test of candidates by closures: a candidate with all the candidates that it reaches is garbage if nothing
// outside refers to any of them.
//
// Sound for any set (core/collector/README.md, "Why it is sound"): the counts of all members together are never less
// than the references among them, and equal only if there is no other reference. Counts are read and references
// traversed in one go, while nothing else runs. No count of each member is needed, no order, no memory that grows with
// the heap; nearly all garbage is of many small structures, and passes. What does not is left to Leftover.
#pragma once

#include <Python.h>

#include "core/bridge/address_table.hpp"
#include "core/bridge/old_list.hpp"
#include "core/heap/pages.hpp"

namespace ouro::bridge {

class Closures {
public:
    // Objects of a closure, at most; a larger one is refused.
    static constexpr size_t kMost = 2000;

    Closures(OldList& list, AddressTable& table) : list_(list), table_(table) {}

    // Pre: the mark pass is over: bytes are marks. Throws std::bad_alloc.
    void begin();
    // Tests closures until about `objects` objects have passed or the deadline, and moves what has passed to `garbage`,
    // a list of CPython's. Returns how many have passed. Throws std::bad_alloc: then nothing more is known.
    size_t test(size_t objects, collector::Deadline& deadline, GcHead* garbage);
    // Every candidate has been tested.
    bool is_done() const { return done_; }
    size_t refused() const { return refused_; }
    size_t bytes() const { return (members_.capacity()) * sizeof(PyObject*); }

private:
    enum class Found { kGarbage, kRefused, kLarge };

    Found form(PyObject* first, collector::Deadline& deadline);
    bool has_callback_outside(PyObject* op) const;
    void mark_members(int8_t mark);
    static int visit(PyObject* op, void* arg);

    OldList& list_;
    AddressTable& table_;
    heap::PageVector<PyObject*> members_;
    size_t references_ = 0;  // among the members
    bool touches_large_ = false;
    size_t again_ = 0;    // visits of members that were refused before
    size_t refused_ = 0;  // objects
    bool done_ = false;
};

}  // namespace ouro::bridge
