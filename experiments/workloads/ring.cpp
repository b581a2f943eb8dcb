#include "experiments/workloads/ring.hpp"

#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

// `to` becomes the neighbour after `from`.
void link(PyObject* from, PyObject* to) {
    slots_of(from)[kNext] = Py_NewRef(to);
    slots_of(to)[kPrevious] = Py_NewRef(from);
}

}  // namespace

PyObject* new_ring(PyTypeObject* type, uint32_t size) {
    PyObject* first = new_instance(type);
    if (first == nullptr) {
        return nullptr;
    }
    PyObject* last = first;
    for (uint32_t i = 1; i < size; ++i) {
        PyObject* op = new_instance(type);
        if (op == nullptr) {
            Py_DECREF(first);  // what is linked already waits for a collection
            return nullptr;
        }
        link(last, op);
        Py_DECREF(op);
        last = op;
    }
    link(last, first);
    return first;
}

}  // namespace ouro::workloads
