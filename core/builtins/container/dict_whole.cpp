// dict: lists of what is in it, and copies.
#include "core/builtins/container/dict_items.hpp"

using namespace ouro;

namespace {

using Entry = container::DictEntry;

// A list with what `make` makes of each item: a new reference, or nullptr with an exception.
template <class Make>
PyObject* list_of(PyObject* dict, Make make) {
    container::DictItems items;
    if (!container::check_dict(dict) || !items.copy(dict)) {
        return nullptr;
    }
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(items.size()));
    if (list == nullptr) {
        return nullptr;
    }
    Py_ssize_t i = 0;
    for (const Entry& item : items) {
        PyObject* made = make(item);
        if (made == nullptr) {
            Py_DECREF(list);
            return nullptr;
        }
        PyList_SET_ITEM(list, i++, made);
    }
    return list;
}

}  // namespace

PyObject* PyDict_Keys(PyObject* op) {
    return list_of(op, [](const Entry& item) { return Py_NewRef(item.key); });
}

PyObject* PyDict_Values(PyObject* op) {
    return list_of(op, [](const Entry& item) { return Py_NewRef(item.value); });
}

PyObject* PyDict_Items(PyObject* op) {
    return list_of(op, [](const Entry& item) { return PyTuple_Pack(2, item.key, item.value); });
}

PyObject* PyDict_Copy(PyObject* op) {
    container::DictItems items;
    if (!container::check_dict(op) || !items.copy(op)) {
        return nullptr;
    }
    PyObject* copy = PyDict_New();
    if (copy != nullptr && !container::append_items(copy, items.begin(), items.size())) {
        Py_CLEAR(copy);
    }
    return copy;
}
