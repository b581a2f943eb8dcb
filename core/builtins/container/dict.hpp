// What the files of dict share.
#pragma once

#include <utility>

#include "core/builtins/container/hash_table.hpp"

namespace ouro::container {

struct DictEntry {
    Py_hash_t hash;
    PyObject* key;  // nullptr: deleted
    PyObject* value;

    // As CPython's: str alone refers to nothing, and most dicts have no other keys.
    static bool visits(const PyObject* key) { return !PyUnicode_CheckExact(key); }
    int traverse(bool keys, visitproc visit, void* arg) const {
        Py_VISIT(value);
        if (keys) {
            Py_VISIT(key);
        }
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

}  // namespace ouro::container

struct _ouro_dict_table : ouro::container::HashTable<ouro::container::DictEntry> {};

namespace ouro::container {

inline PyDictObject* as_dict(PyObject* op) {
    return reinterpret_cast<PyDictObject*>(op);
}

// False with SystemError.
bool check_dict(PyObject* op);

// Visits the keys that the traversal of a dict leaves out. In a stop.
void visit_left_out_keys(PyObject* dict, visitproc visit, void* arg);

// KeyError whose argument is the key.
void set_key_error(PyObject* key);

// What a dict has for a key with that hash: 1 and a new reference; 0; -1 with an exception.
int get_item(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject** value);

// The item at *position or the first after it, with new references; *position is then behind it. False at the
// end. The dict may change between two calls.
bool next_item(PyObject* dict, Py_ssize_t* position, DictEntry* item);

// The item that was stored first, or last, with new references. False if there is none.
enum class End { kFirst, kLast };
bool item_at(PyObject* dict, End end, DictEntry* item);
// Takes it out; its references are the caller's. False if there is none.
bool pop_item_at(PyObject* dict, End end, DictEntry* item);
// Makes a key's item the first, as which it takes as long as the dict is long, or the last. 1; 0 if it is missing; -1 with
// an exception.
int move_item(PyObject* dict, PyObject* key, Py_hash_t hash, End end);

// Stores a value for a key with that hash; if the key is there already, only with `replace`. 0, or -1 with
// an exception.
int store_item(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* value, bool replace);
// The same, and nobody who watches the dict is told.
int store_untold(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* value, bool replace);

// Adds items whose keys are all different to an empty dict. False with MemoryError: some are in it.
bool append_items(PyObject* dict, const DictEntry* items, size_t count);

// Stores the items of `other`, a dict whose type iterates as dict does, a mapping with keys(), or pairs. False
// with an exception.
bool update(PyObject* dict, PyObject* other);
// The same with what dict() and dict.update() are given: at most one object, and values by name. kwargs may be
// nullptr.
bool update_from_arguments(PyObject* dict, const char* function, PyObject* const* args,
                           Py_ssize_t nargs, PyObject* kwargs);

// What calling a class, dict or one derived from it, gives, filled with keys from an iterable and one value for all.
PyObject* made_from_keys(PyObject* type, PyObject* keys, PyObject* value);

// What popitem returns: the item at that end, taken out, as a pair; nullptr with KeyError of that text if there is none.
PyObject* pop_pair(PyObject* dict, End end, const char* if_empty);

// The type's slots and methods.
int dict_traverse(PyObject* op, visitproc visit, void* arg);
int dict_clear(PyObject* op);
void dict_dealloc(PyObject* op);
PyObject* dict_iter(PyObject* op);
PyObject* dict_reversed(PyObject* op, PyObject*);
extern PyMethodDef dict_methods[];

// What iterators look at, under the dict's lock.
inline std::pair<_ouro_dict_table*, Py_ssize_t> table_and_size(PyObject* dict) {
    return {as_dict(dict)->ma_table, as_dict(dict)->ma_used};
}

// Iterators over the values and the items, and backwards; the views that have them. New references.
PyObject* iterate_values(PyObject* dict);
PyObject* iterate_items(PyObject* dict);
PyObject* iterate_values_backwards(PyObject* dict);
PyObject* iterate_items_backwards(PyObject* dict);
PyObject* new_view(PyTypeObject* type, PyObject* dict);
inline PyObject* dict_of_view(PyObject* view) {
    return reinterpret_cast<PyObject*>(reinterpret_cast<_PyDictViewObject*>(view)->dv_dict);
}
PyObject* keys_view(PyObject* dict, PyObject*);
PyObject* values_view(PyObject* dict, PyObject*);
PyObject* items_view(PyObject* dict, PyObject*);

}  // namespace ouro::container
