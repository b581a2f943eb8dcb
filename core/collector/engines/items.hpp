// The references of lists and tuples, read without calling their handlers.
#pragma once

#include <cstddef>
#include <optional>

#include "core/include/Python.h"

namespace ouro::collector {

struct Items {
    PyObject* const* first;
    size_t count;

    // What the handler would do; a template, so that `visitor` can be inlined.
    template <class Visit>
    void visit(Visit visitor, void* arg) const {
        for (size_t i = 0; i < count; ++i) {
            if (PyObject* op = first[i]) {
                visitor(op, arg);
            }
        }
    }
};

// Nothing if `handler`, op's own, is not that of list or tuple.
inline std::optional<Items> items_of(PyObject* op, traverseproc handler) {
    if (handler == PyList_Type.tp_traverse) {
        return Items{reinterpret_cast<PyListObject*>(op)->ob_item,
                     static_cast<size_t>(Py_SIZE(op))};
    }
    if (handler == PyTuple_Type.tp_traverse) {
        return Items{reinterpret_cast<PyTupleObject*>(op)->ob_item,
                     static_cast<size_t>(Py_SIZE(op))};
    }
    return std::nullopt;
}

}  // namespace ouro::collector
