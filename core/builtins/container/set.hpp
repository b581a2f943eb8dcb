// What the files of set and frozenset share.
#pragma once

#include "core/builtins/container/hash_table.hpp"

namespace ouro::container {

struct SetEntry {
    Py_hash_t hash;
    PyObject* key;  // nullptr: deleted

    static bool visits(const PyObject*) { return true; }  // as CPython's
    int traverse(bool keys, visitproc visit, void* arg) const {
        if (keys) {
            Py_VISIT(key);
        }
        return 0;
    }
    void drop() const { Py_DECREF(key); }
    void forget() { OURO_STORE_FIELD(&key, nullptr); }
};

}  // namespace ouro::container

struct _ouro_set_table : ouro::container::HashTable<ouro::container::SetEntry> {};

namespace ouro::container {

inline PySetObject* as_set(PyObject* op) {
    return reinterpret_cast<PySetObject*>(op);
}

// A set of that type with what an iterable gives, which may be nullptr. New reference, or nullptr with an
// exception.
PyObject* new_set(PyTypeObject* type, PyObject* iterable);

// One element and its hash. Add: 0, or -1 with an exception. Has: 1, 0, or -1. Remove: 1; 0 if it is
// missing; -1. They lock the set.
int add_element(PyObject* set, PyObject* key, Py_hash_t hash);
int has_element(PyObject* set, PyObject* key, Py_hash_t hash);
int remove_element(PyObject* set, PyObject* key, Py_hash_t hash);

// The same by the element alone; a set stands for the frozenset that equals it. -1 with TypeError if it cannot be
// hashed.
int has_key(PyObject* set, PyObject* key);
int remove_key(PyObject* set, PyObject* key);

// The element at *position or the first after it, with a new reference; *position is then behind it. False at the
// end. The set may change between two calls.
bool next_element(PyObject* set, Py_ssize_t* position, SetEntry* element);

// Empties a set that others may be reading.
void clear_elements(PyObject* set);

// Change a set by what an iterable gives: add it; remove it; remove what is there, and add what is not; remove all
// else. False with an exception.
bool add_to_set(PyObject* set, PyObject* iterable);
bool subtract_from_set(PyObject* set, PyObject* iterable);
bool toggle_in_set(PyObject* set, PyObject* iterable);
bool keep_in_set(PyObject* set, PyObject* iterable);

// New sets, frozensets if `set` is one: what an iterable gives that is in it, what is in it alone. nullptr with an
// exception.
PyObject* set_intersection(PyObject* set, PyObject* iterable);
PyObject* set_difference(PyObject* set, PyObject* iterable);

// Is each element of a in b, which are sets? 1, 0, or -1 with an exception.
int is_subset(PyObject* a, PyObject* b);

// Which of the two a set is, whatever derives from it.
inline PyTypeObject* plain_set_type(PyObject* op) {
    return PySet_Check(op) ? &PySet_Type : &PyFrozenSet_Type;
}

// The types' slots and methods.
int set_traverse(PyObject* op, visitproc visit, void* arg);
int set_clear(PyObject* op);
void set_dealloc(PyObject* op);
Py_hash_t frozenset_hash(PyObject* op);
PyObject* set_iter(PyObject* op);
extern PyMethodDef set_methods[];
extern PyMethodDef frozenset_methods[];

}  // namespace ouro::container
