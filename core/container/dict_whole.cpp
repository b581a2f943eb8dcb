// dict: what reads all of its items at once. It works on a copy of them: other code, and other threads, may
// change the dict as soon as anything is allocated, hashed or compared.
#include "core/container/dict.hpp"

using namespace ouro;

namespace {

using Entry = object::DictEntry;

// The items of a dict at one moment, with references to keys and values.
class Items {
public:
    Items() = default;
    ~Items() {
        for (size_t i = 0; i < count_; ++i) {
            items_[i].drop();
        }
        PyMem_Free(items_);
    }
    Items(const Items&) = delete;
    Items& operator=(const Items&) = delete;

    // Once. False with MemoryError.
    bool copy(PyObject* dict) {
        const mutator::Guard guard(dict);
        const auto used = static_cast<size_t>(object::as_dict(dict)->ma_used);
        if (used == 0) {
            return true;
        }
        items_ = PyMem_New(Entry, used);
        if (items_ == nullptr) {
            PyErr_NoMemory();
            return false;
        }
        Py_ssize_t position = 0;
        while (const Entry* entry =
                   object::next_entry(object::as_dict(dict)->ma_table, &position)) {
            items_[count_++] = {entry->hash, Py_NewRef(entry->key), Py_NewRef(entry->value)};
        }
        return true;
    }

    const Entry* begin() const { return items_; }
    const Entry* end() const { return items_ + count_; }
    size_t size() const { return count_; }

private:
    Entry* items_ = nullptr;
    size_t count_ = 0;
};

// A list with what `make` makes of each item: a new reference, or nullptr with an exception.
template <class Make>
PyObject* list_of(PyObject* dict, Make make) {
    Items items;
    if (!object::check_dict(dict) || !items.copy(dict)) {
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
    Items items;
    if (!object::check_dict(op) || !items.copy(op)) {
        return nullptr;
    }
    PyObject* copy = PyDict_New();
    if (copy != nullptr && !object::append_items(copy, items.begin(), items.size())) {
        Py_CLEAR(copy);
    }
    return copy;
}

int PyDict_Merge(PyObject* op, PyObject* other, int replace) {
    if (!object::check_dict(op)) {
        return -1;
    }
    if (other == nullptr) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!PyDict_Check(other)) {
        PyErr_Format(PyExc_AttributeError, "'%.200s' object has no attribute 'keys'",
                     Py_TYPE(other)->tp_name);
        return -1;
    }
    if (op == other) {
        return 0;
    }
    Items items;
    if (!items.copy(other)) {
        return -1;
    }
    for (const Entry& item : items) {
        if (object::store_item(op, item.key, item.hash, item.value, replace != 0) < 0) {
            return -1;
        }
    }
    return 0;
}

int PyDict_Update(PyObject* op, PyObject* other) {
    return PyDict_Merge(op, other, 1);
}
