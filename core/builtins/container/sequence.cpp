#include "core/builtins/container/sequence.hpp"

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/list.hpp"
#include "core/object/compare.hpp"
#include "core/object/own.hpp"

namespace ouro::container {
namespace {

// New reference; nullptr beyond the end. A list may change while its items are compared.
object::Own item_at(PyObject* op, Py_ssize_t i) {
    if (PyList_Check(op)) {
        return object::Own(list_item_at(op, i));
    }
    return i < Py_SIZE(op) ? object::Own(Py_XNewRef(PyTuple_GET_ITEM(op, i))) : object::Own();
}

}  // namespace

PyObject* compare_sequences(PyObject* a, PyObject* b, int operation) {
    const bool lists = PyList_Check(a);
    if (lists ? !PyList_Check(b) : !PyTuple_Check(a) || !PyTuple_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const auto size_of = [lists](PyObject* op) {
        return lists ? PyList_GET_SIZE(op) : PyTuple_GET_SIZE(op);
    };
    const bool equality = operation == Py_EQ || operation == Py_NE;
    if (lists && equality && size_of(a) != size_of(b)) {
        return PyBool_FromLong(operation == Py_NE);
    }
    for (Py_ssize_t i = 0;; ++i) {
        const object::Own x = item_at(a, i);
        const object::Own y = item_at(b, i);
        if (!x || !y) {
            return PyBool_FromLong(
                object::holds(operation, object::order_of(size_of(a), size_of(b))));
        }
        const int equal = PyObject_RichCompareBool(x.get(), y.get(), Py_EQ);
        if (equal == 0) {
            return equality ? PyBool_FromLong(operation == Py_NE)
                            : PyObject_RichCompare(x.get(), y.get(), operation);
        }
        if (equal < 0) {
            return nullptr;
        }
    }
}

bool take_search(PyObject* const* args, Py_ssize_t nargs, Py_ssize_t length, Py_ssize_t* start,
                 Py_ssize_t* stop) {
    *start = 0;
    *stop = PY_SSIZE_T_MAX;
    if (!call::check_count("index", nargs, 1, 3)) {
        return false;
    }
    for (Py_ssize_t i = 1; i < nargs; ++i) {
        if (PyIndex_Check(args[i]) == 0) {
            PyErr_SetString(PyExc_TypeError,
                            "slice indices must be integers or have an __index__ method");
            return false;
        }
        const Py_ssize_t bound = PyNumber_AsSsize_t(args[i], nullptr);
        if (bound == -1 && PyErr_Occurred() != nullptr) {
            return false;
        }
        *(i == 1 ? start : stop) = bound < 0 ? std::max(bound + length, Py_ssize_t{0}) : bound;
    }
    return true;
}

}  // namespace ouro::container
