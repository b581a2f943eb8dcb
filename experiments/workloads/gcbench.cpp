#include "experiments/workloads/gcbench.hpp"

#include <new>
#include <stdexcept>

#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

constexpr size_t kLeft = 0;
constexpr size_t kRight = 1;
constexpr size_t kSlots = 2;
constexpr unsigned kDeeper = 2;  // than what lives long is the tree that dies first

uint64_t nodes_of(unsigned depth) {
    return (uint64_t{1} << (depth + 1)) - 1;
}

PyObject* new_node(PyTypeObject* type) {
    PyObject* node = new_instance(type);
    if (node == nullptr) {
        throw std::bad_alloc();
    }
    return node;
}

// From the root down: each node is reachable before its children are made.
void populate(PyTypeObject* type, unsigned depth, PyObject* node) {
    if (depth == 0) {
        return;
    }
    for (const size_t side : {kLeft, kRight}) {
        fill_slot(node, side, new_node(type));
    }
    for (const size_t side : {kLeft, kRight}) {
        populate(type, depth - 1, slots_of(node)[side]);
    }
}

// From the leaves up.
PyObject* make_tree(PyTypeObject* type, unsigned depth) {
    if (depth == 0) {
        return new_node(type);
    }
    PyObject* left = make_tree(type, depth - 1);
    PyObject* right = make_tree(type, depth - 1);
    PyObject* node = new_node(type);
    fill_slot(node, kLeft, left);
    fill_slot(node, kRight, right);
    return node;
}

}  // namespace

GcBench::GcBench(unsigned depth, uint32_t array)
    : depth_(depth), array_size_(array), type_(instance_type(kSlots, "workload.Node")) {
    if (type_ == nullptr) {
        throw std::bad_alloc();
    }
    tree_ = new_node(type_);
    populate(type_, depth_, tree_);
    array_ = PyList_New(array_size_);
    if (array_ == nullptr) {
        throw std::bad_alloc();
    }
    PyObject* zero = PyFloat_FromDouble(0);
    if (zero == nullptr) {
        throw std::bad_alloc();
    }
    for (uint32_t i = 0; i < array_size_; ++i) {
        PyObject* number = i < set() ? PyFloat_FromDouble(1.0 / (i + 1)) : Py_NewRef(zero);
        if (number == nullptr) {
            throw std::bad_alloc();
        }
        PyList_SET_ITEM(array_, i, number);
    }
    Py_DECREF(zero);
}

GcBench::~GcBench() {
    Py_XDECREF(tree_);
    Py_XDECREF(array_);
}

size_t GcBench::live() const {
    return nodes_of(depth_) + 1;
}

uint64_t GcBench::trees_of(unsigned depth) {
    const uint64_t trees = 2 * nodes_of(depth_ + kDeeper) / nodes_of(depth);
    for (uint64_t i = 0; i < trees; ++i) {
        PyObject* root = new_node(type_);
        populate(type_, depth, root);
        Py_DECREF(root);
    }
    for (uint64_t i = 0; i < trees; ++i) {
        Py_DECREF(make_tree(type_, depth));
    }
    return 2 * trees * nodes_of(depth);
}

uint64_t GcBench::round() {
    Py_DECREF(make_tree(type_, depth_ + kDeeper));
    uint64_t nodes = nodes_of(depth_ + kDeeper);
    for (unsigned depth = kLeastDepth; depth <= depth_; depth += 2) {
        nodes += trees_of(depth);
    }
    const uint32_t last = set() - 1;
    if (slots_of(tree_)[kLeft] == nullptr ||
        PyFloat_AsDouble(PyList_GET_ITEM(array_, last)) != 1.0 / (last + 1)) {
        throw std::runtime_error("the long-lived tree or array changed");
    }
    return nodes;
}

}  // namespace ouro::workloads
