#include "core/bridge/traversal.hpp"

#include <algorithm>

#include "core/bridge/deque_items.hpp"

namespace ouro::bridge {
namespace {

// Items of a container that is visited in parts, and of a part.
constexpr Py_ssize_t kLarge = 256;
constexpr Py_ssize_t kPart = 64;
constexpr uint32_t kPartUnits = 128;

}  // namespace

Py_ssize_t Traversal::resumed(const PyObject* op) {
    const Py_ssize_t next = of_ == op ? next_ : 0;
    of_ = nullptr;
    return next;
}

bool Traversal::interrupt(const PyObject* op, Py_ssize_t next) {
    of_ = op;
    next_ = next;
    return false;
}

bool Traversal::visit_items(PyObject* op, PyObject* const* items, visitproc visit, void* arg,
                            collector::Deadline& deadline) {
    const Py_ssize_t size = Py_SIZE(op);
    for (Py_ssize_t i = resumed(op); i < size;) {
        for (const Py_ssize_t end = std::min(i + kPart, size); i < end; ++i) {
            if (items[i] != nullptr) {
                visit(items[i], arg);
            }
        }
        if (i < size && deadline.has_passed(kPartUnits)) {
            return interrupt(op, i);
        }
    }
    return true;
}

bool Traversal::visit_dict(PyObject* op, visitproc visit, void* arg,
                           collector::Deadline& deadline) {
    PyObject* key;
    PyObject* value;
    Py_ssize_t next = resumed(op);
    for (Py_ssize_t seen = 1; PyDict_Next(op, &next, &key, &value) != 0; ++seen) {
        visit(key, arg);
        visit(value, arg);
        if (seen % kPart == 0 && deadline.has_passed(kPartUnits)) {
            return interrupt(op, next);
        }
    }
    return true;
}

// Entries as <Python.h> declares them. That of a deleted key refers to an object of set's own, which is no container.
bool Traversal::visit_set(PyObject* op, visitproc visit, void* arg, collector::Deadline& deadline) {
    const auto* set = reinterpret_cast<const PySetObject*>(op);
    for (Py_ssize_t i = resumed(op); i <= set->mask;) {
        for (const Py_ssize_t end = std::min(i + kPart, set->mask + 1); i < end; ++i) {
            if (PyObject* key = set->table[i].key) {
                visit(key, arg);
            }
        }
        if (i <= set->mask && deadline.has_passed(kPartUnits)) {
            return interrupt(op, i);
        }
    }
    return true;
}

bool Traversal::visit_deque(PyObject* op, visitproc visit, void* arg,
                            collector::Deadline& deadline) {
    const Py_ssize_t size = Py_SIZE(op);
    Py_ssize_t i = resumed(op);
    if (i >= size) {
        return true;
    }
    for (DequeItems items(op, i); i < size;) {
        for (const Py_ssize_t end = std::min(i + kPart, size); i < end; ++i) {
            visit(items.next(), arg);
        }
        if (i < size && deadline.has_passed(kPartUnits)) {
            return interrupt(op, i);
        }
    }
    return true;
}

bool Traversal::traverse(PyObject* op, visitproc visit, void* arg, collector::Deadline& deadline) {
    PyTypeObject* type = Py_TYPE(op);
    if (type == &PyList_Type && PyList_GET_SIZE(op) > kLarge) {
        return visit_items(op, reinterpret_cast<PyListObject*>(op)->ob_item, visit, arg, deadline);
    }
    if (type == &PyTuple_Type && PyTuple_GET_SIZE(op) > kLarge) {
        return visit_items(op, reinterpret_cast<PyTupleObject*>(op)->ob_item, visit, arg, deadline);
    }
    if (type == &PyDict_Type && PyDict_GET_SIZE(op) > kLarge) {
        return visit_dict(op, visit, arg, deadline);
    }
    if ((type == &PySet_Type || type == &PyFrozenSet_Type) && PySet_GET_SIZE(op) > kLarge) {
        return visit_set(op, visit, arg, deadline);
    }
    if (is_deque(op) && Py_SIZE(op) > kLarge) {
        return visit_deque(op, visit, arg, deadline);
    }
    type->tp_traverse(op, visit, arg);
    return true;
}

}  // namespace ouro::bridge
