#include "core/collector/exact_test.hpp"

#include "core/collector/rescue.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// count[slot] of a member is the number of references to it that are not yet accounted for.
uint32_t& outside_references(const PyObject* op) {
    return heap::tables.count[heap::slot_of(op)];
}

int subtract_reference(PyObject* op, void*) {
    if (is_condemned(op)) {
        --outside_references(op);
    }
    return 0;
}

bool always_live(PyObject* op) {
    return !object::is_tracked(op) || OURO_IS_IMMORTAL(op->ob_biased, op->ob_shared);
}

}  // namespace

void exact_test(Candidates& set, uint32_t pins, Candidates& survivors) {
    survivors.reserve(set.size());  // nothing below allocates
    for (PyObject* op : set) {
        outside_references(op) += static_cast<uint32_t>(Py_REFCNT(op)) - pins;
    }
    for (PyObject* op : set) {
        if (!always_live(op)) {
            Py_TYPE(op)->tp_traverse(op, subtract_reference, nullptr);
        }
    }
    for (PyObject* op : set) {
        if (outside_references(op) != 0 || always_live(op)) {
            rescue(op, survivors);
        }
        outside_references(op) = 0;
    }
    rescue_reachable(set, survivors);
}

}  // namespace ouro::collector
