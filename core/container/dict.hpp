// What the files of dict share.
#pragma once

#include "core/container/hash_table.hpp"

namespace ouro::object {

struct DictEntry {
    Py_hash_t hash;
    PyObject* key;  // nullptr: deleted
    PyObject* value;

    int traverse(bool keys, visitproc visit, void* arg) const {
        if (keys) {
            Py_VISIT(key);
        }
        Py_VISIT(value);
        return 0;
    }
    void drop() const {
        Py_DECREF(key);
        Py_DECREF(value);
    }
    void forget() {
        OURO_STORE_FIELD(&key, nullptr);
        OURO_STORE_FIELD(&value, nullptr);
    }
};

}  // namespace ouro::object

struct _ouro_dict_table : ouro::object::HashTable<ouro::object::DictEntry> {};

namespace ouro::object {

inline PyDictObject* as_dict(PyObject* op) {
    return reinterpret_cast<PyDictObject*>(op);
}

// False with SystemError.
bool check_dict(PyObject* op);

// Stores a value for a key with that hash; if the key is there already, only with `replace`. 0, or -1 with
// an exception.
int store_item(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* value, bool replace);

// Adds items whose keys are all different to an empty dict. False with MemoryError: some are in it.
bool append_items(PyObject* dict, const DictEntry* items, size_t count);

}  // namespace ouro::object
