// Candidates that no closure of theirs passed for: structures too large to be looked at in one go, what hangs from them,
// and what is alive after all. They are ordered by strongly connected components, referrers first, and let go of one
// component after another, as core/collector/exact_test.hpp does.
//
// Each is pinned by a reference of this list's own until it is its turn, so that addresses stay valid between slices and
// a large structure does not die all at once: what nothing but the pin refers to when its turn comes dies by losing it,
// and what refers to itself is left to CPython's collection.
#pragma once

#include <Python.h>

#include "core/bridge/address_table.hpp"
#include "core/bridge/by_address.hpp"
#include "core/bridge/old_list.hpp"
#include "core/bridge/traversal.hpp"
#include "core/collector/components.hpp"
#include "core/heap/pages.hpp"

namespace ouro::bridge {

class Leftover {
public:
    Leftover(OldList& list, AddressTable& table) : list_(list), table_(table) {}

    // Of what the closures have refused. Throws std::bad_alloc, as all that follows does but unpin.
    void begin(size_t objects);
    // Pins and numbers all that are left.
    bool number(collector::Deadline& deadline);
    bool read(collector::Deadline& deadline);
    bool order(collector::Deadline& deadline);
    // Lets go of components in order, until about `objects` objects of garbage have been, or the deadline: what is
    // garbage goes to `garbage`, a list of CPython's, or dies at once: arbitrary code runs. True when all have been.
    bool release(size_t objects, collector::Deadline& deadline, GcHead* garbage, size_t* found);

    // What is pinned is pinned no more: objects may die, arbitrary code runs. Until the deadline; true when all are.
    bool unpin(collector::Deadline& deadline);

    size_t objects() const { return objects_.size(); }
    // How many of those that were found to be garbage died by losing their pin, CPython's collection not needed; of all
    // cycles.
    size_t died_alone() const { return died_alone_; }
    // Of the largest component that was found to be garbage.
    size_t largest() const { return largest_; }
    size_t bytes() const;

private:
    using Node = collector::Components::Node;
    static constexpr Node kNone = UINT32_MAX;

    Node number_of(const PyObject* op) const;
    void add_edge(PyObject* op);
    void begin_batch();
    bool is_garbage(std::span<const Node> members);
    void note_from_batch(Node to);
    void drop_pin(Node node);
    static int visit_to_read(PyObject* op, void* arg);
    static int visit_to_test(PyObject* op, void* arg);

    OldList& list_;
    AddressTable& table_;
    Traversal traversal_;
    collector::Components components_;
    ByAddress<Node> numbers_;              // from 1
    heap::PageVector<PyObject*> objects_;  // null when not pinned any more
    size_t read_ = 0;
    bool node_is_added_ = false;
    size_t released_ = 0;  // components
    size_t unpinned_ = 0;
    size_t references_ = 0;  // among the members of the component under test
    Node tested_ = 0;        // one of them
    // Of each node: references from components that are handed over together and are not dead yet.
    heap::PageVector<uint32_t> from_batch_;
    heap::PageVector<Node> touched_;  // whose are not zero, once a reference
    // Something of the batch may be alive: a borrowed reference may hide one from outside.
    bool may_be_alive_ = false;
    size_t largest_ = 0;
    size_t died_alone_ = 0;
    bool out_of_memory_ = false;  // in a traversal, which cannot throw
};

}  // namespace ouro::bridge
