// The `cyclotron` workload, after the benchmark of that name with which CPython's developers compare their
// collectors (Schemenauer, 2026): cyclic garbage at a steady rate beside a small live set, from programs whose
// short-lived objects refer to each other and hold memory that no collector counts. It was made when the
// incremental collector of 3.14 let such garbage pile up, and asks for four things: run time, peak of resident
// memory, pauses, and the most garbage that ever waited.
//
//   chain   units of `cycle_size` nodes, one after the other, the last leading to the first
//   tree    units of B-trees with `cycle_size` / 2 records (btree.hpp), each with a reference to itself
//   queue   chains again, but each new one takes the place of the oldest. Of one node with a reference to
//           itself, 10,000 bytes and 1000 places it is Tim Peters' test, which cyclotron has as `run-queue`
//
// Chains and trees are held on a list until `live_objects` are there, then all are dropped. A unit has a
// witness with a finalizer, as cyclotron's have: garbage counts as collected when that is called.
// Parameters and their defaults are cyclotron's; its run goes on until garbage is steady, ours ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"
#include "experiments/workloads/edges.hpp"
#include "experiments/workloads/load.hpp"

namespace ouro::workloads {

enum class CyclotronShape { kChain, kTree, kQueue };

struct CyclotronParameters {
    CyclotronShape shape = CyclotronShape::kChain;
    uint32_t cycle_size = 4;   // objects of a unit
    uint32_t extra_bytes = 0;  // a payload of each chain; the most that a record of a tree has
    uint32_t live_objects = 10'000;  // before they are dropped; of a queue always
    double cyclic_fraction = 1;      // of the units; the others are freed by counting
    uint64_t seed = 1;
};

class Cyclotron final : public Load {
public:
    // Throws std::bad_alloc. Pre: 0 < cycle_size <= live_objects, 0 <= cyclic_fraction <= 1.
    explicit Cyclotron(const CyclotronParameters& parameters);
    ~Cyclotron() override { Py_XDECREF(held_); }

    // A unit.
    void step() override;
    void drop() override;
    // The most that it holds, cycle_size a unit, as all that follows.
    size_t live() const override;
    size_t unreachable() const override { return unreachable_.get(); }
    size_t backlog() const override;

private:
    PyObject* new_chain(bool cyclic);
    PyObject* new_tree(bool cyclic);
    PyObject* new_witness() const;
    void let_go(size_t units);

    CyclotronParameters parameters_;
    Random random_;
    uint32_t cyclic_in_a_million_;
    uint32_t places_;  // units that it holds
    PyTypeObject* node_type_;
    PyObject* held_;  // a list, or None where there is none yet
    uint32_t next_ = 0;
    uint64_t made_ = 0;
    OwnCount unreachable_;
    uint64_t witnessed_before_;
};

}  // namespace ouro::workloads
