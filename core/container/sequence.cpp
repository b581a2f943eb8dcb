#include "core/container/sequence.hpp"

#include "core/object/compare.hpp"

namespace ouro::object {
namespace {

// Borrowed; a list may change while its items are compared, so the index is checked each time.
PyObject* item_at(PyObject* op, Py_ssize_t i) {
    if (i >= Py_SIZE(op)) {
        return nullptr;
    }
    return PyList_Check(op) ? PyList_GET_ITEM(op, i) : PyTuple_GET_ITEM(op, i);
}

}  // namespace

PyObject* compare_sequences(PyObject* a, PyObject* b, int operation) {
    const bool same_kind = PyList_Check(a) ? PyList_Check(b) : PyTuple_Check(a) && PyTuple_Check(b);
    if (!same_kind) {
        return Py_NewRef(Py_NotImplemented);
    }
    for (Py_ssize_t i = 0;; ++i) {
        PyObject* x = item_at(a, i);
        PyObject* y = item_at(b, i);
        if (x == nullptr || y == nullptr) {
            return PyBool_FromLong(holds(operation, order_of(Py_SIZE(a), Py_SIZE(b))));
        }
        Py_INCREF(x);
        Py_INCREF(y);
        const int equal = PyObject_RichCompareBool(x, y, Py_EQ);
        int result = equal;
        if (equal == 0) {
            result = operation == Py_EQ || operation == Py_NE
                         ? operation == Py_NE
                         : PyObject_RichCompareBool(x, y, operation);
        }
        Py_DECREF(x);
        Py_DECREF(y);
        if (result < 0) {
            return nullptr;
        }
        if (equal == 0) {
            return PyBool_FromLong(result);
        }
    }
}

}  // namespace ouro::object
