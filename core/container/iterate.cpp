#include "core/container/iterate.hpp"

namespace ouro::object {
namespace {

// Appends what `next` returns, new references, up to nullptr; false with an exception.
template <class Next>
bool fill(PyObject* list, Next next) {
    while (PyObject* item = next()) {
        const int error = PyList_Append(list, item);
        Py_DECREF(item);
        if (error < 0) {
            return false;
        }
    }
    if (PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) {
            return false;
        }
        PyErr_Clear();
    }
    return true;
}

bool fill_from_list(PyObject* list, PyObject* op) {
    Py_ssize_t i = 0;
    // Another thread may shorten it, so that there is no item although the size said so.
    return fill(list, [&]() -> PyObject* {
        PyObject* item = i < PyList_Size(op) ? PyList_GetItemRef(op, i) : nullptr;
        if (item == nullptr && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
        }
        ++i;
        return item;
    });
}

bool fill_from_iterator(PyObject* list, PyObject* iterator) {
    const iternextfunc next = Py_TYPE(iterator)->tp_iternext;
    if (next == nullptr) {
        PyErr_Format(PyExc_TypeError, "iter() returned non-iterator of type '%.100s'",
                     Py_TYPE(iterator)->tp_name);
        return false;
    }
    return fill(list, [=] { return next(iterator); });
}

}  // namespace

PyObject* items_of_iterable(PyObject* op, const char* message) {
    // A class derived from one of these two may iterate in its own way.
    const getiterfunc iterate = Py_TYPE(op)->tp_iter;
    if (PyTuple_Check(op) && iterate == PyTuple_Type.tp_iter) {
        return Py_NewRef(op);
    }
    const bool is_list = PyList_Check(op) && iterate == PyList_Type.tp_iter;
    if (!is_list && iterate == nullptr) {
        PyErr_SetString(PyExc_TypeError, message);
        return nullptr;
    }
    PyObject* iterator = is_list ? Py_NewRef(op) : iterate(op);
    PyObject* list = iterator == nullptr ? nullptr : PyList_New(0);
    if (list != nullptr &&
        !(is_list ? fill_from_list(list, op) : fill_from_iterator(list, iterator))) {
        Py_CLEAR(list);
    }
    Py_XDECREF(iterator);
    return list;
}

}  // namespace ouro::object

PyObject* PySequence_Tuple(PyObject* op) {
    if (PyTuple_CheckExact(op)) {
        return Py_NewRef(op);
    }
    PyObject* items = ouro::object::items_of_iterable(op, "object is not iterable");
    if (items == nullptr) {
        return nullptr;
    }
    PyObject* tuple =
        PyTuple_Check(items) ? PyTuple_GetSlice(items, 0, Py_SIZE(items)) : PyList_AsTuple(items);
    Py_DECREF(items);
    return tuple;
}
