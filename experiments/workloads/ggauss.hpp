// The `ggauss` workload, after the torture test of Bacon and Rajan (ECOOP 2001), which does nothing but make
// cyclic garbage, of all the shapes that random graphs have: a node refers to others whose distance from it is
// Gaussian, so that neighbours refer to neighbours, and references change all the time. Stands for no program:
// for what a collector of cycles fears, components of every size that hang together and change while they
// are looked at.
//
// As theirs is not published, this is one of that description: a live set of graphs of `nodes` each, each held
// by a list of its nodes; an operation makes a new graph, changes `mutations` references for each of its
// nodes in graphs that live, and puts it in the place of any of them. What is dropped is dropped whole: what
// no node refers to, and what hangs on that, is freed by counting, the rest is the collector's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"
#include "experiments/workloads/edges.hpp"
#include "experiments/workloads/load.hpp"

namespace ouro::workloads {

struct GaussParameters {
    uint32_t live = 100'000;  // nodes that live; a remainder of `nodes` is left out
    uint32_t nodes = 1000;    // of a graph
    uint32_t degree = 3;      // references of a node
    uint32_t deviation = 10;  // of the distances, the standard one
    uint32_t mutations = 4;   // references that are changed for each node that is made
    uint64_t seed = 1;
};

// How far a neighbour is: a sum of four uniform numbers, which is nearly Gaussian, and the same everywhere.
int64_t gaussian_distance(Random& random, uint32_t deviation);

class GaussianGraphs final : public Load {
public:
    // Throws std::bad_alloc. Pre: 0 < nodes <= live; degree > 0.
    explicit GaussianGraphs(const GaussParameters& parameters);
    ~GaussianGraphs() override { drop(); }

    void step() override;
    void drop() override;
    size_t live() const override { return size_t{graphs_} * parameters_.nodes; }
    size_t unreachable() const override { return unreachable_.get(); }

private:
    PyObject* new_graph();
    void mutate();
    uint32_t neighbour(uint32_t node);

    GaussParameters parameters_;
    Random random_;
    uint32_t graphs_;
    PyTypeObject* type_;
    PyObject* root_;
    OwnCount unreachable_;
};

}  // namespace ouro::workloads
