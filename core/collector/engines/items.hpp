// The references of lists and tuples, read without calling their handlers.
#pragma once

#include <cstddef>
#include <optional>

#include "core/include/Python.h"

namespace ouro::collector {

struct Items {
    PyObject* const* first;
    size_t count;

    PyObject* at(size_t i) const { return __atomic_load_n(&first[i], __ATOMIC_ACQUIRE); }
    // What the handler would do; a template, so that `visitor` can be inlined.
    template <class Visit>
    void visit(Visit visitor, void* arg) const {
        for (size_t i = 0; i < count; ++i) {
            if (PyObject* op = at(i)) {
                visitor(op, arg);
            }
        }
    }
};

// Of a list that others may be changing: a size that it had while this was its array, so that all items
// below it have been written.
inline Items items_of(const PyListObject* op) {
    for (;;) {
        PyObject** first = __atomic_load_n(&op->ob_item, __ATOMIC_ACQUIRE);
        const Py_ssize_t size = __atomic_load_n(&op->ob_base.ob_size, __ATOMIC_ACQUIRE);
        if (first == __atomic_load_n(&op->ob_item, __ATOMIC_RELAXED)) {
            return {first, first == nullptr ? 0 : static_cast<size_t>(size)};
        }
    }
}

// Nothing if `handler`, op's own, is not that of list or tuple.
inline std::optional<Items> items_of(PyObject* op, traverseproc handler) {
    if (handler == PyList_Type.tp_traverse) {
        return items_of(reinterpret_cast<PyListObject*>(op));
    }
    if (handler == PyTuple_Type.tp_traverse) {
        return Items{reinterpret_cast<PyTupleObject*>(op)->ob_item,
                     static_cast<size_t>(Py_SIZE(op))};
    }
    return std::nullopt;
}

}  // namespace ouro::collector
