// Finalizers of the condemned. The world runs: they are arbitrary code. They may make objects reachable again, or
// break a cycle. An object that nothing but the collector's pin refers to any more is unpinned (let_go): it is
// deallocated because its count is zero, as it would have been at once without the pin, and is no garbage of this
// collection's. That happens to an object whose finalizer breaks its own cycle.
#pragma once

#include <cstddef>
#include <span>

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

// Whether one is of a type with tp_finalize.
bool have_finalizers(std::span<PyObject* const> objects);

// One run over the condemned:
//
//     Finalization finalization(condemned);
//     while (!finalization.run(deadline)) { others run }
//     // `condemned` has lost the objects that were unpinned
//
// When a finalizer has run, what its object referred to before is checked, then the object, then what each unpinned
// object refers to. Every object is also checked in its turn, and all again when all finalizers have run. Unpinning is
// safe at any time: the object is not the collection's any more, and its references count as references from outside
// in the second test.
class Finalization {
public:
    // The list outlives it, and no one else uses it until the run is over. It is sorted by address, or nearly so (in
    // two parts), if a finalizer is called or an object unpinned.
    explicit Finalization(Candidates& condemned) : condemned_(condemned) {}

    // Calls tp_finalize of each object that has one and was not finalized before. Until the deadline; true when
    // all is done.
    bool run(Deadline& deadline);
    // Finalizers called, and objects unpinned.
    size_t called() const { return called_; }
    size_t let_go() const { return let_go_; }
    // Whether user code ran: then the condemned must be tested again.
    bool code_ran() const { return called_ + let_go_ > 0; }

private:
    void visit(size_t at);
    bool follow_fallen(Deadline& deadline);
    void let_go(size_t at);
    void list_referents(PyObject* op);
    void sort();
    size_t find(const PyObject* op) const;

    Candidates& condemned_;
    Candidates fallen_;  // to be checked, the next one last; some may be unpinned already
    const PyObject* finalized_ = nullptr;  // just now
    size_t next_ = 0;                      // in the list
    bool sorted_ = false;                  // before that, and from there on:
    size_t sorted_apart_ = 0;
    size_t called_ = 0;
    size_t let_go_ = 0;
    size_t let_go_before_ = 0;  // when the last round of checks began
    bool looks_again_ = false;  // all have been finalized
    uint32_t work_ = 1;         // of the last step
};

}  // namespace ouro::collector
