#include "experiments/workloads/young.hpp"

#include <new>

#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/ring.hpp"

namespace ouro::workloads {
namespace {

constexpr size_t kToOld = kRingSlots;

// Knuth's multiplicative hash: consecutive numbers lead to places all over the list.
constexpr uint64_t kScatter = 2654435761;

}  // namespace

YoungAndOld::YoungAndOld(const YoungParameters& parameters)
    : type_(instance_type(kRingSlots + 1)), old_(PyList_New(parameters.old_objects / kRing)),
      held_(PyList_New(parameters.young_objects / kRing)) {
    if (type_ == nullptr || old_ == nullptr || held_ == nullptr) {
        throw std::bad_alloc();
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(old_); ++i) {
        PyObject* ring = new_ring(type_, kRing);
        if (ring == nullptr) {
            throw std::bad_alloc();
        }
        PyList_SET_ITEM(old_, i, ring);
    }
    let_go();
    PyGC_Collect();
}

YoungAndOld::~YoungAndOld() {
    Py_XDECREF(held_);
    Py_XDECREF(old_);
}

void YoungAndOld::make_young(bool reachable) {
    const auto rings = static_cast<uint64_t>(PyList_GET_SIZE(old_));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(held_); ++i) {
        PyObject* ring = new_ring(type_, kRing);
        if (ring == nullptr) {
            throw std::bad_alloc();
        }
        PyObject* op = ring;
        for (uint32_t k = 0; k < kRing; ++k, op = slots_of(op)[kNext]) {
            const auto place = static_cast<Py_ssize_t>(made_++ * kScatter % rings);
            fill_slot(op, kToOld, Py_NewRef(PyList_GET_ITEM(old_, place)));
        }
        if (reachable) {
            PyList_SetItem(held_, i, ring);
        } else {
            Py_DECREF(ring);
        }
    }
}

void YoungAndOld::let_go() {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(held_); ++i) {
        PyList_SetItem(held_, i, Py_NewRef(Py_None));
    }
}

}  // namespace ouro::workloads
