// The `binary-trees` workload, the program of the Computer Language Benchmarks Game (after GCBench): a tree one
// level deeper than any other, which dies at once, one that lives long, and of every second depth from 4 on
// as many as come to the same number of nodes, built from the leaves up, counted by a walk and dropped. Stands
// for programs that build and throw away structures of all sizes. Counting frees them all; with `parents` each
// node also refers to the one above it, as document trees have it, and each tree is one component of garbage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "Python.h"
#include "experiments/workloads/load.hpp"

namespace ouro::workloads {

struct BinaryTreesParameters {
    uint32_t depth = 16;  // of the one that lives long, and the greatest but one
    bool parents = false;
};

class BinaryTrees final : public Load {
public:
    static constexpr uint32_t kLeastDepth = 4;

    // Throws std::bad_alloc. Pre: depth >= kLeastDepth.
    explicit BinaryTrees(const BinaryTreesParameters& parameters);
    ~BinaryTrees() override { drop(); }

    // Steps of the whole program, with trees of this depth.
    static uint64_t trees(uint32_t greatest);
    // The next tree; after the last the smallest again. Throws std::runtime_error if it has not as many nodes
    // as it should.
    void step() override;
    void drop() override;
    size_t live() const override;
    size_t unreachable() const override { return unreachable_.get(); }

private:
    PyObject* new_tree(uint32_t depth);
    uint32_t next_depth();

    BinaryTreesParameters parameters_;
    PyTypeObject* type_;
    PyObject* long_lived_ = nullptr;
    uint32_t depth_ = 0;  // of the trees that are being made; 0: none was yet
    uint64_t left_ = 0;   // of that depth
    OwnCount unreachable_;
};

}  // namespace ouro::workloads
