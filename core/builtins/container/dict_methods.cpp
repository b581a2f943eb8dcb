// dict: its methods.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/for_each.hpp"

using namespace ouro;

namespace {

PyObject* get(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    if (!call::check_count("get", nargs, 1, 2)) {
        return nullptr;
    }
    PyObject* value;
    return PyDict_GetItemRef(op, args[0], &value) == 0 ? Py_NewRef(nargs > 1 ? args[1] : Py_None)
                                                       : value;
}

PyObject* set_default(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    if (!call::check_count("setdefault", nargs, 1, 2)) {
        return nullptr;
    }
    PyObject* value;
    PyDict_SetDefaultRef(op, args[0], nargs > 1 ? args[1] : Py_None, &value);
    return value;
}

PyObject* pop(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    if (!call::check_count("pop", nargs, 1, 2)) {
        return nullptr;
    }
    PyObject* value;
    if (PyDict_Pop(op, args[0], &value) != 0) {
        return value;
    }
    if (nargs > 1) {
        return Py_NewRef(args[1]);
    }
    container::set_key_error(args[0]);
    return nullptr;
}

PyObject* pop_item(PyObject* op, PyObject*) {
    return container::pop_pair(op, container::End::kLast, "popitem(): dictionary is empty");
}

PyObject* clear(PyObject* op, PyObject*) {
    PyDict_Clear(op);
    return Py_NewRef(Py_None);
}

PyObject* copy(PyObject* op, PyObject*) {
    return PyDict_Copy(op);
}

PyObject* update_all(PyObject* op, PyObject* args, PyObject* kwargs) {
    return container::update_from_arguments(op, "update", &PyTuple_GET_ITEM(args, 0),
                                            PyTuple_GET_SIZE(args), kwargs)
               ? Py_NewRef(Py_None)
               : nullptr;
}

PyObject* contains(PyObject* op, PyObject* key) {
    const int found = PyDict_Contains(op, key);
    return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyObject* subscript(PyObject* op, PyObject* key) {
    return PyDict_Type.tp_as_mapping->mp_subscript(op, key);
}

PyObject* from_keys(PyObject* type, PyObject* const* args, Py_ssize_t nargs) {
    return call::check_count("fromkeys", nargs, 1, 2)
               ? container::made_from_keys(type, args[0], nargs > 1 ? args[1] : Py_None)
               : nullptr;
}

}  // namespace

PyObject* container::made_from_keys(PyObject* type, PyObject* keys, PyObject* value) {
    PyObject* made = PyObject_CallNoArgs(type);
    if (made == nullptr) {
        return nullptr;
    }
    const auto set = PyDict_CheckExact(made) ? PyDict_SetItem : PyObject_SetItem;
    if (!for_each(keys, [=](PyObject* key) { return set(made, key, value) == 0; })) {
        Py_CLEAR(made);
    }
    return made;
}

PyObject* container::pop_pair(PyObject* dict, End end, const char* if_empty) {
    // Made first: what is taken out is not lost for want of memory.
    PyObject* pair = PyTuple_New(2);
    if (pair == nullptr) {
        return nullptr;
    }
    DictEntry item;
    if (!pop_item_at(dict, end, &item)) {
        Py_DECREF(pair);
        PyErr_SetString(PyExc_KeyError, if_empty);
        return nullptr;
    }
    PyTuple_SET_ITEM(pair, 0, item.key);
    PyTuple_SET_ITEM(pair, 1, item.value);
    return pair;
}

PyMethodDef container::dict_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")},
    {"__contains__", contains, METH_O | METH_COEXIST, "Whether the dict has the key."},
    {"__getitem__", subscript, METH_O | METH_COEXIST, "x.__getitem__(y) is x[y]."},
    {"get", _PyCFunction_CAST(get), METH_FASTCALL,
     "get($self, key, default=None, /)\n--\n\nThe key's value, or the default."},
    {"setdefault", _PyCFunction_CAST(set_default), METH_FASTCALL,
     "setdefault($self, key, default=None, /)\n--\n\nThe key's value; if there is none, the "
     "default, "
     "which is then stored."},
    {"pop", _PyCFunction_CAST(pop), METH_FASTCALL,
     "Removes the key and returns its value, or the default; without one, a missing key is a "
     "KeyError."},
    {"popitem", pop_item, METH_NOARGS,
     "popitem($self, /)\n--\n\nRemoves the item that was stored last and returns it as a pair."},
    {"keys", keys_view, METH_NOARGS, "A view of the keys."},
    {"items", items_view, METH_NOARGS, "A view of the items."},
    {"values", values_view, METH_NOARGS, "A view of the values."},
    {"update", _PyCFunction_CAST(update_all), METH_VARARGS | METH_KEYWORDS,
     "Stores the items of a mapping or of an iterable of pairs, and those given by name."},
    {"fromkeys", _PyCFunction_CAST(from_keys), METH_FASTCALL | METH_CLASS,
     "fromkeys($type, iterable, value=None, /)\n--\n\nA new dict with keys from an iterable and "
     "one "
     "value for all."},
    {"clear", clear, METH_NOARGS, "Removes all items."},
    {"copy", copy, METH_NOARGS, "A new dict with the same items."},
    {"__reversed__", dict_reversed, METH_NOARGS,
     "__reversed__($self, /)\n--\n\nAn iterator over the keys, the last first."},
    {}};
