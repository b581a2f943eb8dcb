// set and frozenset: 48 bytes and about 4 of metadata; one table of its own holds a hash index and, in
// insertion order, the elements.
#include "core/container/entries.hpp"
#include "core/container/hash_table.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

struct Entry {
    Py_hash_t hash;
    PyObject* key;  // nullptr: deleted

    int traverse(bool keys, visitproc visit, void* arg) const {
        if (keys) {
            Py_VISIT(key);
        }
        return 0;
    }
    void drop() const { Py_DECREF(key); }
    void forget() { OURO_STORE_FIELD(&key, nullptr); }
};

}  // namespace

struct _ouro_set_table : object::HashTable<Entry> {};

namespace {

PySetObject* set(PyObject* op) {
    return reinterpret_cast<PySetObject*>(op);
}

int set_traverse(PyObject* op, visitproc visit, void* arg) {
    return object::traverse_table(&set(op)->table, 0, SIZE_MAX, visit, arg);
}

void set_used(PySetObject* self, Py_ssize_t used) {
    __atomic_store_n(&self->used, used, __ATOMIC_RELAXED);
}

int set_clear(PyObject* op) {
    object::drop_table(&set(op)->table, &set(op)->used);
    return 0;
}

void set_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    if (set(op)->weakreflist != nullptr) {
        PyObject_ClearWeakRefs(op);
    }
    set_clear(op);
    Py_TYPE(op)->tp_free(op);
}

// CPython's: the elements' hashes, scattered and combined so that their order does not matter.
Py_hash_t frozenset_hash(PyObject* op) {
    PySetObject* self = set(op);
    if (const Py_hash_t known = __atomic_load_n(&self->hash, __ATOMIC_RELAXED); known != -1) {
        return known;
    }
    size_t hash = 0;
    Py_ssize_t position = 0;
    while (const Entry* entry = object::next_entry(self->table, &position)) {
        const auto element = static_cast<size_t>(entry->hash);
        hash ^= (element ^ 89869747 ^ element << 16) * 3644798167;
    }
    hash ^= (static_cast<size_t>(self->used) + 1) * 1927868237;
    hash ^= hash >> 11 ^ hash >> 25;
    hash = hash * 69069 + 907133923;
    auto result = static_cast<Py_hash_t>(hash);
    result = result == -1 ? 590923713 : result;
    __atomic_store_n(&self->hash, result, __ATOMIC_RELAXED);
    return result;
}

int contains(PySetObject* self, PyObject* key, Py_hash_t hash) {
    size_t slot;
    return object::find(&self->table, key, hash, &slot);
}

// Are all elements of a in b? 1, 0, or -1 with an exception. Comparing may change both.
int is_subset(PyObject* a, PyObject* b) {
    Py_ssize_t position = 0;
    while (const Entry* entry = object::next_entry(set(a)->table, &position)) {
        PyObject* key = Py_NewRef(entry->key);
        const int found = contains(set(b), key, entry->hash);
        Py_DECREF(key);
        if (found <= 0) {
            return found;
        }
    }
    return 1;
}

// Inclusion: a < b where a is a proper subset of b. A set equals a frozenset with equal elements.
PyObject* set_compare(PyObject* a, PyObject* b, int operation) {
    if (!PyAnySet_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (operation == Py_GT || operation == Py_GE) {
        std::swap(a, b);
        operation = operation == Py_GT ? Py_LT : Py_LE;
    }
    const mutator::GuardTwo guard(a, b);
    const Py_ssize_t in_a = set(a)->used;
    const Py_ssize_t in_b = set(b)->used;
    const bool may_hold = operation == Py_LE   ? in_a <= in_b
                          : operation == Py_LT ? in_a < in_b
                                               : in_a == in_b;
    const int subset = may_hold ? is_subset(a, b) : 0;
    if (subset < 0) {
        return nullptr;
    }
    return PyBool_FromLong(operation == Py_NE ? subset == 0 : subset);
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

int add(PySetObject* self, PyObject* key, Py_hash_t hash) {
    const mutator::Guard guard(self);
    const int found = contains(self, key, hash);
    if (found != 0) {
        return found < 0 ? -1 : 0;
    }
    if (!object::make_room(&self->table, self->used)) {
        return -1;
    }
    self->table->append({hash, Py_NewRef(key)});
    set_used(self, self->used + 1);
    __atomic_store_n(&self->hash, -1, __ATOMIC_RELAXED);
    return 0;
}

// The key at *position of a list, tuple, dict or set, or after it; a new reference, nullptr at the end.
// The iterable may change between two calls.
PyObject* next_key(PyObject* iterable, Py_ssize_t* position) {
    const mutator::Guard guard(iterable);
    PyObject* key = nullptr;
    if (PyList_Check(iterable) || PyTuple_Check(iterable)) {
        const Py_ssize_t i = (*position)++;
        if (i < Py_SIZE(iterable)) {
            key = PyList_Check(iterable) ? PyList_GET_ITEM(iterable, i)
                                         : PyTuple_GET_ITEM(iterable, i);
        }
    } else if (PyDict_Check(iterable)) {
        PyDict_Next(iterable, position, &key, nullptr);
    } else if (const Entry* entry = object::next_entry(set(iterable)->table, position)) {
        key = entry->key;
    }
    return Py_XNewRef(key);
}

bool add_all(PySetObject* self, PyObject* iterable) {
    if (!PyList_Check(iterable) && !PyTuple_Check(iterable) && !PyDict_Check(iterable) &&
        !PyAnySet_Check(iterable)) {
        PyErr_Format(PyExc_TypeError, "'%s' object is not iterable", Py_TYPE(iterable)->tp_name);
        return false;
    }
    Py_ssize_t position = 0;
    while (PyObject* key = next_key(iterable, &position)) {
        const Py_hash_t hash = PyObject_Hash(key);
        const int result = hash == -1 ? -1 : add(self, key, hash);
        Py_DECREF(key);
        if (result < 0) {
            return false;
        }
    }
    return true;
}

PyObject* new_set(PyTypeObject* type, PyObject* iterable) {
    PyObject* op = _PyObject_GC_New(type);
    if (op == nullptr) {
        return nullptr;
    }
    PySetObject* self = set(op);
    self->used = 0;
    self->table = nullptr;
    self->hash = -1;
    self->weakreflist = nullptr;
    object::track(op);
    if (iterable != nullptr && !add_all(self, iterable)) {
        Py_DECREF(op);
        return nullptr;
    }
    return op;
}

constexpr PyTypeObject set_type(const char* name, hashfunc hash) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_basicsize = sizeof(PySetObject),
        .tp_dealloc = set_dealloc,
        .tp_hash = hash,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                    OURO_TPFLAGS_CONCURRENT_TRAVERSE,
        .tp_traverse = set_traverse,
        .tp_clear = set_clear,
        .tp_richcompare = set_compare,
        .tp_weaklistoffset = offsetof(PySetObject, weakreflist),
    };
}

}  // namespace

const object::Entries object::set_entries = {
    .count = [](PyObject* op) { return filled_in(&set(op)->table); },
    .visit = [](PyObject* op, size_t begin, size_t end, visitproc visit,
                void* arg) { return traverse_table(&set(op)->table, begin, end, visit, arg); },
};

constinit PyTypeObject PySet_Type = set_type("set", PyObject_HashNotImplemented);
constinit PyTypeObject PyFrozenSet_Type = set_type("frozenset", frozenset_hash);

PyObject* PySet_New(PyObject* iterable) {
    return new_set(&PySet_Type, iterable);
}

PyObject* PyFrozenSet_New(PyObject* iterable) {
    if (iterable != nullptr && PyFrozenSet_CheckExact(iterable)) {
        return Py_NewRef(iterable);
    }
    return new_set(&PyFrozenSet_Type, iterable);
}

Py_ssize_t PySet_Size(PyObject* op) {
    return is_any_set(op) ? __atomic_load_n(&set(op)->used, __ATOMIC_RELAXED) : -1;
}

int PySet_Contains(PyObject* op, PyObject* key) {
    if (!is_any_set(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        return -1;
    }
    if (mutator::is_free_threaded()) {
        Entry* entry = nullptr;
        const object::Look seen = object::look(&set(op)->table, key, hash, &entry);
        if (seen != object::Look::kUnsure) {
            return seen == object::Look::kFound;
        }
    }
    const mutator::Guard guard(op);
    return contains(set(op), key, hash);
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
    return hash == -1 ? -1 : add(set(op), key, hash);
}

int PySet_Discard(PyObject* op, PyObject* key) {
    if (!is_set(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        return -1;
    }
    PySetObject* self = set(op);
    Entry removed;
    int found;
    {
        const mutator::Guard guard(op);
        size_t slot;
        found = object::find(&self->table, key, hash, &slot);
        if (found > 0) {
            removed = self->table->remove(slot);
            set_used(self, self->used - 1);
        }
    }
    if (found > 0) {
        removed.drop();
    }
    return found;
}

PyObject* PySet_Pop(PyObject* op) {
    if (!is_set(op)) {
        return nullptr;
    }
    PySetObject* self = set(op);
    const mutator::Guard guard(op);
    if (self->used == 0) {
        PyErr_SetString(PyExc_KeyError, "pop from an empty set");
        return nullptr;
    }
    set_used(self, self->used - 1);
    return self->table->pop().key;
}

int PySet_Clear(PyObject* op) {
    if (!is_set(op)) {
        return -1;
    }
    object::clear_table(&set(op)->table, &set(op)->used, op);
    return 0;
}
