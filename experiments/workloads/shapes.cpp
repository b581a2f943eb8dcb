#include "experiments/workloads/shapes.hpp"

#include "experiments/workloads/ring.hpp"

namespace ouro::workloads {

PyObject* new_linked_cycles(uint32_t cycles, uint32_t links) {
    return new_rings(cycles, links + 1);
}

PyObject* new_nested_lists(uint32_t levels) {
    PyObject* inner = PyList_New(0);
    for (uint32_t n = 1; inner != nullptr && n < levels; ++n) {
        PyObject* outer = PyList_New(n);
        for (uint32_t i = 0; outer != nullptr && i < n; ++i) {
            PyList_SET_ITEM(outer, i, Py_NewRef(inner));
        }
        Py_DECREF(inner);
        inner = outer;
    }
    return inner;
}

}  // namespace ouro::workloads
