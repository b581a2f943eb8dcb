// Finalizers of the condemned. The world runs: they are arbitrary code and may make objects
// reachable again, or break what held them up. What nothing refers to any more but the collector is let go: it
// dies of its count, as it would have done at once had the collector not pinned it, and is no garbage of this
// collection's. So it is with an object that cuts the cycle it is in.
#pragma once

#include <cstddef>

#include "core/collector/candidates.hpp"
#include "core/collector/deadline.hpp"

namespace ouro::collector {

// One run over the condemned:
//
//     Finalization finalization(condemned);
//     while (!finalization.run(deadline)) { others run }
//     // `condemned` is what is left of it
//
// Each is let go as soon as that is seen: when a finalizer has run, what its object referred to before and
// then the object; what those refer to that are let go; in its turn; the rest when all finalizers have run.
// Letting go is safe whenever it happens: the object is not the collection's any more, and its references count
// from outside in the second test.
class Finalization {
public:
    // The list outlives it and is its own until the run is over. It is put in the order of addresses, or
    // nearly so, if a finalizer is called.
    explicit Finalization(Candidates& condemned) : condemned_(condemned) {}

    // Calls tp_finalize of each object that has one and was not finalized before. Until the deadline; true when
    // all is done.
    bool run(Deadline& deadline);
    // Finalizers.
    size_t called() const { return called_; }
    size_t let_go() const { return let_go_; }
    // Then the condemned must be tested again.
    bool code_ran() const { return called_ + let_go_ > 0; }

private:
    void visit(size_t at);
    bool follow_fallen(Deadline& deadline);
    void let_go(size_t at);
    void list_referents(PyObject* op);
    void sort();
    size_t find(const PyObject* op) const;

    Candidates& condemned_;
    Candidates fallen_;  // what may be pinned no more; the next one last. Perhaps gone
    const PyObject* finalized_ = nullptr;  // just now
    size_t next_ = 0;                      // in the list
    bool sorted_ = false;                  // before that, and from there on:
    size_t sorted_apart_ = 0;
    size_t called_ = 0;
    size_t let_go_ = 0;
    size_t let_go_before_ = 0;  // when the last look began
    bool looks_again_ = false;  // all have been finalized
    uint32_t work_ = 1;         // of the last step
};

}  // namespace ouro::collector
