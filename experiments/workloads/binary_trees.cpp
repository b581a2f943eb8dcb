#include "experiments/workloads/binary_trees.hpp"

#include <new>
#include <stdexcept>

#include "experiments/workloads/description.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

constexpr size_t kLeft = 0;
constexpr size_t kRight = 1;
constexpr size_t kParent = 2;

uint64_t nodes_of(uint32_t depth) {
    return (uint64_t{2} << depth) - 1;
}

// Of each depth.
uint64_t trees_of(uint32_t depth, uint32_t greatest) {
    return uint64_t{1} << (greatest - depth + BinaryTrees::kLeastDepth);
}

uint64_t counted(PyObject* node) {
    uint64_t count = 1;
    for (const size_t side : {kLeft, kRight}) {
        if (PyObject* below = slots_of(node)[side]; below != nullptr) {
            count += counted(below);
        }
    }
    return count;
}

}  // namespace

BinaryTrees::BinaryTrees(const BinaryTreesParameters& parameters)
    : parameters_(parameters),
      type_(instance_type(parameters.parents ? 3 : 2, "workload.TreeNode")) {
    if (type_ == nullptr) {
        throw std::bad_alloc();
    }
    long_lived_ = new_tree(parameters_.depth);
}

uint64_t BinaryTrees::trees(uint32_t greatest) {
    uint64_t count = 1;
    for (uint32_t depth = kLeastDepth; depth <= greatest; depth += 2) {
        count += trees_of(depth, greatest);
    }
    return count;
}

PyObject* BinaryTrees::new_tree(uint32_t depth) {
    PyObject* left = depth == 0 ? nullptr : new_tree(depth - 1);
    PyObject* right = depth == 0 ? nullptr : new_tree(depth - 1);
    PyObject* node = new_instance(type_);
    if (node == nullptr) {
        throw std::bad_alloc();
    }
    fill_slot(node, kLeft, left);
    fill_slot(node, kRight, right);
    if (parameters_.parents && depth > 0) {
        fill_slot(left, kParent, Py_NewRef(node));
        fill_slot(right, kParent, Py_NewRef(node));
    }
    return node;
}

uint32_t BinaryTrees::next_depth() {
    if (depth_ == 0) {
        depth_ = kLeastDepth;
        left_ = trees_of(depth_, parameters_.depth);
        return parameters_.depth + 1;
    }
    if (left_ == 0) {
        depth_ = depth_ + 2 <= parameters_.depth ? depth_ + 2 : kLeastDepth;
        left_ = trees_of(depth_, parameters_.depth);
    }
    --left_;
    return depth_;
}

void BinaryTrees::step() {
    const uint32_t depth = next_depth();
    PyObject* tree = new_tree(depth);
    const uint64_t nodes = counted(tree);
    unreachable_.add(nodes);
    Py_DECREF(tree);
    if (nodes != nodes_of(depth)) {
        throw std::runtime_error("a tree has not the nodes that it should have");
    }
}

void BinaryTrees::drop() {
    if (long_lived_ != nullptr) {
        unreachable_.add(live());
        Py_CLEAR(long_lived_);
    }
}

size_t BinaryTrees::live() const {
    return nodes_of(parameters_.depth);
}

namespace {

const Described binary_trees({
    .name = "binary-trees",
    .summary = "trees of all sizes are built, counted and dropped; the Benchmarks Game's",
    .parameters = {Parameter::number("depth", 16, BinaryTrees::kLeastDepth, 24,
                                     "of the tree that lives long"),
                   Parameter::toggle("parents", "each node refers to the one above it: a tree is "
                                                "one component of garbage")},
    .size = "depth",
    .make = [](const Values& values, uint64_t) -> std::unique_ptr<Load> {
        return std::make_unique<BinaryTrees>(
            BinaryTreesParameters{.depth = values.at("depth"), .parents = values.at("parents")});
    },
    .operations = [](const Values& values) { return BinaryTrees::trees(values.at("depth")); },
    .script = "binary_trees.py",
    .seconds =
        [](Kind kind, const Values& values) {
            const bool interpreter = kind != Kind::kOurs;
            const uint32_t depth = values.at("depth");
            return 0.1 + (interpreter ? 1.0e-6 : 0.15e-6) * 8 * (depth - 2) *
                             static_cast<double>(nodes_of(depth));
        },
    .bytes =
        [](Kind, const Values& values) {
            return (values.at("parents") ? 150 : 90) *
                   static_cast<double>(nodes_of(values.at("depth")));
        },
    .objects = [](const Values& values) { return nodes_of(values.at("depth")); },
    .title =
        [](const Values& values) {
            return std::string(values.at("parents").get<bool>() ? "binary-trees:parents"
                                                                : "binary-trees");
        },
    .not_covered = "trees that one thread builds, counts and drops; no other work, no sharing",
});

}  // namespace

}  // namespace ouro::workloads
