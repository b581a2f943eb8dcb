#include "experiments/workloads/cycles.hpp"

#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/ring.hpp"

namespace ouro::workloads {
namespace {

constexpr uint32_t kSmall = 2;  // the cycle that a chain hangs off
constexpr uint32_t kTen = 10;
constexpr size_t kTail = kRingSlots;

PyObject* new_chain(uint32_t objects) {
    PyTypeObject* type = instance_type(kRingSlots + 1);
    PyObject* list = type == nullptr ? nullptr : PyList_New(1);
    PyObject* last = list == nullptr ? nullptr : new_ring(type, kSmall);
    if (last == nullptr) {
        Py_XDECREF(list);
        return nullptr;
    }
    PyList_SET_ITEM(list, 0, last);
    for (uint32_t i = kSmall; i < objects; ++i) {
        PyObject* op = new_instance(type);
        if (op == nullptr) {
            Py_DECREF(list);
            return nullptr;
        }
        fill_slot(last, i == kSmall ? kTail : kNext, op);
        last = op;
    }
    return list;
}

}  // namespace

PyObject* new_cycles(CycleShape shape, uint32_t objects) {
    switch (shape) {
        case CycleShape::kRing:
            return new_rings(1, objects);
        case CycleShape::kChain:
            return new_chain(objects);
        default:
            return new_rings(objects / kTen, kTen);
    }
}

CycleCounts cycle_counts(CycleShape shape, uint32_t objects) {
    switch (shape) {
        case CycleShape::kRing:
            return {objects, 1, objects};
        case CycleShape::kChain:
            return {objects, objects - kSmall + 1, kSmall};
        default:
            return {objects / kTen * kTen, objects / kTen, kTen};
    }
}

}  // namespace ouro::workloads
