// The references of lists and tuples, read without calling their handlers.
#pragma once

#include <cstddef>
#include <optional>

#include "core/builtins/container/sequence.hpp"

namespace ouro::collector {

using container::Items;

// Nothing if `handler`, op's own, is not that of list or tuple.
inline std::optional<Items> items_of(PyObject* op, traverseproc handler) {
    if (handler == PyList_Type.tp_traverse) {
        return container::items_of(reinterpret_cast<PyListObject*>(op));
    }
    if (handler == PyTuple_Type.tp_traverse) {
        return Items{reinterpret_cast<PyTupleObject*>(op)->ob_item,
                     static_cast<size_t>(Py_SIZE(op))};
    }
    return std::nullopt;
}

}  // namespace ouro::collector
