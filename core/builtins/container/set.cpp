// set and frozenset, element by element: 48 bytes and about 4 of metadata; one table of its own holds a hash
// index and, in insertion order, the elements.
#include "core/builtins/container/set.hpp"

#include "core/builtins/container/entries.hpp"
#include "core/object/object.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;
using container::as_set;
using Entry = container::SetEntry;

namespace {

void set_used(PySetObject* self, Py_ssize_t used) {
    __atomic_store_n(&self->used, used, __ATOMIC_RELAXED);
}

void forget_hash(PySetObject* self) {
    __atomic_store_n(&self->hash, -1, __ATOMIC_RELAXED);
}

// CPython's: the elements' hashes, scattered and combined so that their order does not matter.
Py_hash_t hash_of_elements(PyObject* op) {
    const mutator::Guard guard(op);
    const PySetObject* self = as_set(op);
    size_t hash = 0;
    Py_ssize_t position = 0;
    while (const Entry* entry = container::next_entry(self->table, &position)) {
        const auto element = static_cast<size_t>(entry->hash);
        hash ^= (element ^ 89869747 ^ element << 16) * 3644798167;
    }
    hash ^= (static_cast<size_t>(self->used) + 1) * 1927868237;
    hash ^= hash >> 11 ^ hash >> 25;
    hash = hash * 69069 + 907133923;
    const auto result = static_cast<Py_hash_t>(hash);
    return result == -1 ? 590923713 : result;
}

// -1 with an exception. Of a set, which has none, that of the frozenset with its elements.
Py_hash_t hash_of_key(PyObject* key) {
    const Py_hash_t hash = PyObject_Hash(key);
    if (hash != -1 || !PySet_Check(key) || PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
        return hash;
    }
    PyErr_Clear();
    return hash_of_elements(key);
}

bool is_any_set(PyObject* op) {
    if (op == nullptr || !PyAnySet_Check(op)) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

bool is_set(PyObject* op) {
    if (op == nullptr || !PySet_Check(op)) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

}  // namespace

namespace ouro::container {

int add_element(PyObject* op, PyObject* key, Py_hash_t hash) {
    PySetObject* self = as_set(op);
    const mutator::Guard guard(op);
    size_t slot;
    const int found = find(&self->table, key, hash, &slot);
    if (found != 0) {
        return found < 0 ? -1 : 0;
    }
    if (!make_room(&self->table, self->used)) {
        return -1;
    }
    self->table->append({hash, Py_NewRef(key)});
    set_used(self, self->used + 1);
    forget_hash(self);
    return 0;
}

int has_element(PyObject* op, PyObject* key, Py_hash_t hash) {
    PySetObject* self = as_set(op);
    if (mutator::is_free_threaded()) {
        Entry* entry = nullptr;
        const Look seen = look(&self->table, key, hash, &entry);
        if (seen != Look::kUnsure) {
            return seen == Look::kFound;
        }
    }
    const mutator::Guard guard(op);
    size_t slot;
    return find(&self->table, key, hash, &slot);
}

int remove_element(PyObject* op, PyObject* key, Py_hash_t hash) {
    PySetObject* self = as_set(op);
    Entry removed;
    int found;
    {
        const mutator::Guard guard(op);
        size_t slot;
        found = find(&self->table, key, hash, &slot);
        if (found > 0) {
            removed = self->table->remove(slot);
            set_used(self, self->used - 1);
            forget_hash(self);
        }
    }
    if (found > 0) {
        removed.drop();
    }
    return found;
}

int has_key(PyObject* op, PyObject* key) {
    const Py_hash_t hash = hash_of_key(key);
    return hash == -1 ? -1 : has_element(op, key, hash);
}

int remove_key(PyObject* op, PyObject* key) {
    const Py_hash_t hash = hash_of_key(key);
    return hash == -1 ? -1 : remove_element(op, key, hash);
}

bool next_element(PyObject* op, Py_ssize_t* position, Entry* element) {
    const mutator::Guard guard(op);
    const Entry* entry = next_entry(as_set(op)->table, position);
    if (entry == nullptr) {
        return false;
    }
    *element = {entry->hash, Py_NewRef(entry->key)};
    return true;
}

void clear_elements(PyObject* op) {
    clear_table(&as_set(op)->table, &as_set(op)->used, op);
    forget_hash(as_set(op));
}

PyObject* new_set(PyTypeObject* type, PyObject* iterable) {
    const bool is_plain = type == &PySet_Type || type == &PyFrozenSet_Type;
    PyObject* op = is_plain ? _PyObject_GC_New(type) : type->tp_alloc(type, 0);
    if (op == nullptr) {
        return nullptr;
    }
    PySetObject* self = as_set(op);
    if (is_plain) {
        self->used = 0;
        self->table = nullptr;
        self->weakreflist = nullptr;
        object::track(op);
    }
    forget_hash(self);
    if (iterable != nullptr && !add_to_set(op, iterable)) {
        Py_DECREF(op);
        return nullptr;
    }
    return op;
}

int set_traverse(PyObject* op, visitproc visit, void* arg) {
    return traverse_table(&as_set(op)->table, 0, SIZE_MAX, visit, arg);
}

int set_clear(PyObject* op) {
    drop_table(&as_set(op)->table, &as_set(op)->used);
    return 0;
}

void set_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    object::clear_weak_references(op, &as_set(op)->weakreflist);
    set_clear(op);
    Py_TYPE(op)->tp_free(op);
}

Py_hash_t frozenset_hash(PyObject* op) {
    PySetObject* self = as_set(op);
    Py_hash_t hash = __atomic_load_n(&self->hash, __ATOMIC_RELAXED);
    if (hash == -1) {
        hash = hash_of_elements(op);
        __atomic_store_n(&self->hash, hash, __ATOMIC_RELAXED);
    }
    return hash;
}

const Entries set_entries = {
    .count = [](PyObject* op) { return filled_in(&as_set(op)->table); },
    .visit = [](PyObject* op, size_t begin, size_t end, visitproc visit,
                void* arg) { return traverse_table(&as_set(op)->table, begin, end, visit, arg); },
};

}  // namespace ouro::container

PyObject* PySet_New(PyObject* iterable) {
    return container::new_set(&PySet_Type, iterable);
}

PyObject* PyFrozenSet_New(PyObject* iterable) {
    if (iterable != nullptr && PyFrozenSet_CheckExact(iterable)) {
        return Py_NewRef(iterable);
    }
    return container::new_set(&PyFrozenSet_Type, iterable);
}

Py_ssize_t PySet_Size(PyObject* op) {
    return is_any_set(op) ? __atomic_load_n(&as_set(op)->used, __ATOMIC_RELAXED) : -1;
}

int PySet_Contains(PyObject* op, PyObject* key) {
    if (!is_any_set(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    return hash == -1 ? -1 : container::has_element(op, key, hash);
}

int PySet_Add(PyObject* op, PyObject* key) {
    if (!is_any_set(op)) {
        return -1;
    }
    if (!PySet_Check(op) && object::references(op) != 1) {
        PyErr_BadInternalCall();
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    return hash == -1 ? -1 : container::add_element(op, key, hash);
}

int PySet_Discard(PyObject* op, PyObject* key) {
    if (!is_set(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    return hash == -1 ? -1 : container::remove_element(op, key, hash);
}

PyObject* PySet_Pop(PyObject* op) {
    if (!is_set(op)) {
        return nullptr;
    }
    PySetObject* self = as_set(op);
    const mutator::Guard guard(op);
    if (self->used == 0) {
        PyErr_SetString(PyExc_KeyError, "pop from an empty set");
        return nullptr;
    }
    set_used(self, self->used - 1);
    forget_hash(self);
    return self->table->pop().key;
}

int PySet_Clear(PyObject* op) {
    if (!is_set(op)) {
        return -1;
    }
    container::clear_elements(op);
    return 0;
}
