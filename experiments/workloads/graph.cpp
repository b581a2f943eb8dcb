#include "experiments/workloads/graph.hpp"

#include <new>
#include <vector>

#include "experiments/workloads/edges.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {

BuiltHeap build_random_graph(const GraphParameters& parameters) {
    PyTypeObject* type = instance_type(parameters.degree);
    const uint32_t objects = parameters.objects;
    PyObject* root = PyList_New(objects);
    if (type == nullptr || root == nullptr) {
        throw std::bad_alloc();
    }
    std::vector<PyObject*> nodes(objects);
    for (PyObject*& node : nodes) {
        node = new_instance(type);
        if (node == nullptr) {
            throw std::bad_alloc();
        }
    }
    EdgeGenerator edges(objects, parameters.seed);
    for (PyObject* node : nodes) {
        for (uint32_t i = 0; i < parameters.degree; ++i) {
            fill_slot(node, i, Py_NewRef(nodes[edges.next()]));
        }
    }
    const std::vector<uint32_t> order = root_order(objects, parameters.shuffled, parameters.seed);
    for (uint32_t k = 0; k < objects; ++k) {
        PyList_SET_ITEM(root, k, nodes[order[k]]);  // the reference that new_instance gave
    }
    return {root, objects, size_t{objects} * parameters.degree + objects};
}

void mutate(PyObject* root, const Mutation& change) {
    PyObject* target = Py_NewRef(PyList_GET_ITEM(root, change.to));
    Py_SETREF(slots_of(PyList_GET_ITEM(root, change.from))[change.slot], target);
}

void Mutator::mutate() {
    for (uint64_t i = 0; i < round_; ++i) {
        workloads::mutate(root_, mutations_.next());
    }
}

}  // namespace ouro::workloads
