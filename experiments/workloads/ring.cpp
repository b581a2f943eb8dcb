#include "experiments/workloads/ring.hpp"

#include <new>

#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

template <typename NextType>
PyObject* make_ring(NextType next_type, uint32_t size) {
    PyObject* first = new_instance(next_type());
    if (first == nullptr) {
        return nullptr;
    }
    PyObject* last = first;
    for (uint32_t i = 1; i < size; ++i) {
        PyObject* op = new_instance(next_type());
        if (op == nullptr) {
            Py_DECREF(first);  // what is linked already waits for a collection
            return nullptr;
        }
        link_ring(last, op);
        Py_DECREF(op);
        last = op;
    }
    link_ring(last, first);
    return first;
}

}  // namespace

void link_ring(PyObject* from, PyObject* to) {
    fill_slot(from, kNext, Py_NewRef(to));
    fill_slot(to, kPrevious, Py_NewRef(from));
}

RingTypes::RingTypes(uint32_t unflagged_percent, uint64_t seed)
    : unflagged_percent_(unflagged_percent), random_(seed ^ 0x5A5A5A5A5A5A5A5A),
      flagged_(instance_type(kRingSlots)),
      unflagged_(instance_type(kRingSlots, "workload.Unflagged", {.flagged = false})) {
    if (flagged_ == nullptr || unflagged_ == nullptr) {
        throw std::bad_alloc();
    }
}

PyObject* new_ring(PyTypeObject* type, uint32_t size) {
    return make_ring([type] { return type; }, size);
}

PyObject* new_ring(RingTypes& types, uint32_t size) {
    return make_ring([&types] { return types.next(); }, size);
}

PyObject* new_rings(uint32_t rings, uint32_t size) {
    PyTypeObject* type = instance_type(kRingSlots);
    PyObject* list = type == nullptr ? nullptr : PyList_New(rings);
    for (uint32_t i = 0; list != nullptr && i < rings; ++i) {
        PyObject* ring = new_ring(type, size);
        if (ring == nullptr) {
            Py_CLEAR(list);
        } else {
            PyList_SET_ITEM(list, i, ring);
        }
    }
    return list;
}

}  // namespace ouro::workloads
