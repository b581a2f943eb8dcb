// dict: items of another mapping, or of pairs.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/dict.hpp"
#include "core/builtins/container/dict_items.hpp"
#include "core/builtins/container/dict_watch.hpp"
#include "core/builtins/container/for_each.hpp"
#include "core/builtins/container/references.hpp"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

bool store(PyObject* op, PyObject* key, PyObject* value, bool replace) {
    const Py_hash_t hash = PyObject_Hash(key);
    return hash != -1 && container::store_item(op, key, hash, value, replace) == 0;
}

// Of a dict that iterates as dict does: what it has at one moment, for storing may run code that changes it.
bool merge_dict(PyObject* op, PyObject* other, bool replace) {
    container::DictItems items;
    if (!items.copy(other)) {
        return false;
    }
    const bool told = container::are_dicts_watched() && container::tell_of_clone(op, other);
    const auto store_one = told ? container::store_untold : container::store_item;
    for (const container::DictEntry& item : items) {
        if (store_one(op, item.key, item.hash, item.value, replace) < 0) {
            return false;
        }
    }
    return true;
}

bool merge_mapping(PyObject* op, PyObject* other, bool replace) {
    PyObject* keys = PyMapping_Keys(other);
    if (keys == nullptr) {
        return false;
    }
    const bool good = container::for_each(keys, [=](PyObject* key) {
        const int there = replace ? 0 : PyDict_Contains(op, key);
        if (there != 0) {
            return there > 0;
        }
        PyObject* value = PyObject_GetItem(other, key);
        const bool stored = value != nullptr && store(op, key, value, true);
        Py_XDECREF(value);
        return stored;
    });
    Py_DECREF(keys);
    return good;
}

bool merge_pair(PyObject* op, PyObject* pair, Py_ssize_t number, bool replace) {
    const object::Own fast(PySequence_Fast(pair, ""));
    if (!fast) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_Format(PyExc_TypeError,
                         "cannot convert dictionary update sequence element #%zd to a sequence",
                         number);
        }
        return false;
    }
    // A list may change as soon as it is not locked.
    container::References items;
    if (!items.copy(fast.get(), 0, PY_SSIZE_T_MAX)) {
        return false;
    }
    if (items.count() != 2) {
        PyErr_Format(PyExc_ValueError,
                     "dictionary update sequence element #%zd has length %zd; 2 is required",
                     number, items.count());
        return false;
    }
    return store(op, items.items()[0], items.items()[1], replace);
}

}  // namespace

int PyDict_Merge(PyObject* op, PyObject* other, int replace) {
    if (!container::check_dict(op)) {
        return -1;
    }
    if (other == nullptr) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (op == other) {
        return 0;
    }
    const bool is_plain = PyDict_Check(other) && Py_TYPE(other)->tp_iter == container::dict_iter;
    const bool good =
        is_plain ? merge_dict(op, other, replace != 0) : merge_mapping(op, other, replace != 0);
    return good ? 0 : -1;
}

int PyDict_Update(PyObject* op, PyObject* other) {
    return PyDict_Merge(op, other, 1);
}

int PyDict_MergeFromSeq2(PyObject* op, PyObject* pairs, int replace) {
    if (!container::check_dict(op)) {
        return -1;
    }
    Py_ssize_t number = 0;
    const bool good = container::for_each(
        pairs, [&](PyObject* pair) { return merge_pair(op, pair, number++, replace != 0); });
    return good ? 0 : -1;
}

bool container::update(PyObject* op, PyObject* other) {
    PyObject* keys = nullptr;
    const int is_mapping =
        PyDict_CheckExact(other) ? 1 : PyObject_GetOptionalAttrString(other, "keys", &keys);
    Py_XDECREF(keys);
    if (is_mapping < 0) {
        return false;
    }
    return (is_mapping > 0 ? PyDict_Merge(op, other, 1) : PyDict_MergeFromSeq2(op, other, 1)) == 0;
}

bool container::update_from_arguments(PyObject* op, const char* function, PyObject* const* args,
                                      Py_ssize_t nargs, PyObject* kwargs) {
    if (!call::check_count(function, nargs, 0, 1) || (nargs > 0 && !update(op, args[0]))) {
        return false;
    }
    if (kwargs == nullptr) {
        return true;
    }
    return PyArg_ValidateKeywordArguments(kwargs) != 0 && PyDict_Merge(op, kwargs, 1) == 0;
}
