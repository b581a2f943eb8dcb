// dict: 32 bytes and about 4 of metadata; one table of its own holds a hash index and, in insertion
// order, the entries.
#include "core/object/entries.hpp"
#include "core/object/errors.hpp"
#include "core/object/hash_table.hpp"
#include "core/object/object.hpp"
#include "core/object/take.hpp"

using namespace ouro;

namespace {

struct Entry {
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

}  // namespace

struct _ouro_dict_table : object::HashTable<Entry> {};

namespace {

PyDictObject* dict(PyObject* op) {
    return reinterpret_cast<PyDictObject*>(op);
}

int find(PyDictObject* self, PyObject* key, Py_hash_t hash, size_t* slot) {
    return object::find(&self->ma_table, key, hash, slot);
}

int dict_traverse(PyObject* op, visitproc visit, void* arg) {
    return object::traverse_table(&dict(op)->ma_table, 0, SIZE_MAX, visit, arg);
}

void set_used(PyDictObject* self, Py_ssize_t used) {
    __atomic_store_n(&self->ma_used, used, __ATOMIC_RELAXED);
}

int dict_clear(PyObject* op) {
    object::drop_table(&dict(op)->ma_table, &dict(op)->ma_used);
    return 0;
}

// What the dict has for a key: 1 and a new reference; 0; -1 with an exception.
int get(PyDictObject* self, PyObject* key, Py_hash_t hash, PyObject** value) {
    *value = nullptr;
    if (mutator::is_free_threaded()) {
        object::Look seen = object::Look::kMissing;
        *value = object::take(
            [&]() -> PyObject** {
                Entry* entry = nullptr;
                seen = object::look(&self->ma_table, key, hash, &entry);
                return seen == object::Look::kFound ? &entry->value : nullptr;
            },
            self);
        if (*value != nullptr || seen == object::Look::kMissing) {
            return *value != nullptr;
        }
    }
    const mutator::Guard guard(self);
    size_t slot;
    const int found = find(self, key, hash, &slot);
    if (found > 0) {
        *value = Py_NewRef(self->ma_table->entries()[self->ma_table->index_at(slot)].value);
    }
    return found;
}

void dict_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    dict_clear(op);
    Py_TYPE(op)->tp_free(op);
}

bool check(PyObject* op) {
    if (op == nullptr || !PyDict_Check(op)) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

}  // namespace

const object::Entries object::dict_entries = {
    .count = [](PyObject* op) { return filled_in(&dict(op)->ma_table); },
    .visit = [](PyObject* op, size_t begin, size_t end, visitproc visit,
                void* arg) { return traverse_table(&dict(op)->ma_table, begin, end, visit, arg); },
};

PyTypeObject PyDict_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "dict",
    .tp_basicsize = sizeof(PyDictObject),
    .tp_dealloc = dict_dealloc,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE | Py_TPFLAGS_DICT_SUBCLASS,
    .tp_traverse = dict_traverse,
    .tp_clear = dict_clear,
};

PyObject* PyDict_New(void) {
    PyObject* op = _PyObject_GC_New(&PyDict_Type);
    if (op != nullptr) {
        dict(op)->ma_used = 0;
        dict(op)->ma_table = nullptr;
        object::track(op);
    }
    return op;
}

Py_ssize_t PyDict_Size(PyObject* op) {
    return check(op) ? __atomic_load_n(&dict(op)->ma_used, __ATOMIC_RELAXED) : -1;
}

int PyDict_SetItem(PyObject* op, PyObject* key, PyObject* value) {
    if (!check(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        return -1;
    }
    PyDictObject* self = dict(op);
    PyObject* old = nullptr;
    {
        const mutator::Guard guard(op);
        size_t slot;
        const int found = find(self, key, hash, &slot);
        if (found < 0) {
            return -1;
        }
        if (found > 0) {
            Entry& entry = self->ma_table->entries()[self->ma_table->index_at(slot)];
            old = entry.value;
            OURO_POINT("dict.set-item.old");
            OURO_STORE_FIELD(&entry.value, Py_NewRef(value));
        } else {
            if (!object::make_room(&self->ma_table, self->ma_used)) {
                return -1;
            }
            self->ma_table->append({hash, Py_NewRef(key), Py_NewRef(value)});
            set_used(self, self->ma_used + 1);
        }
    }
    Py_XDECREF(old);  // arbitrary code, without the lock
    return 0;
}

int PyDict_SetItemString(PyObject* op, const char* key, PyObject* value) {
    PyObject* text = PyUnicode_FromString(key);
    if (text == nullptr) {
        return -1;
    }
    const int result = PyDict_SetItem(op, text, value);
    Py_DECREF(text);
    return result;
}

PyObject* PyDict_GetItemWithError(PyObject* op, PyObject* key) {
    if (!check(op)) {
        return nullptr;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        return nullptr;
    }
    PyObject* value;
    if (get(dict(op), key, hash, &value) <= 0) {
        return nullptr;
    }
    Py_DECREF(value);  // the dict has one, as long as nobody takes it out
    return value;
}

int PyDict_GetItemRef(PyObject* op, PyObject* key, PyObject** value) {
    *value = nullptr;
    if (!check(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    return hash == -1 ? -1 : get(dict(op), key, hash, value);
}

PyObject* PyDict_GetItem(PyObject* op, PyObject* key) {
    const object::SavedError saved;  // an error of the lookup is hidden, the caller's kept
    PyObject* value = PyDict_GetItemWithError(op, key);
    if (value == nullptr) {
        PyErr_Clear();
    }
    return value;
}

PyObject* PyDict_GetItemString(PyObject* op, const char* key) {
    PyObject* text = PyUnicode_FromString(key);
    if (text == nullptr) {
        PyErr_Clear();
        return nullptr;
    }
    PyObject* value = PyDict_GetItem(op, text);
    Py_DECREF(text);
    return value;
}

int PyDict_Contains(PyObject* op, PyObject* key) {
    if (!check(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        return -1;
    }
    if (mutator::is_free_threaded()) {
        Entry* entry = nullptr;
        const object::Look seen = object::look(&dict(op)->ma_table, key, hash, &entry);
        if (seen != object::Look::kUnsure) {
            return seen == object::Look::kFound;
        }
    }
    const mutator::Guard guard(op);
    size_t slot;
    return find(dict(op), key, hash, &slot);
}

int PyDict_DelItem(PyObject* op, PyObject* key) {
    if (!check(op)) {
        return -1;
    }
    const Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        return -1;
    }
    PyDictObject* self = dict(op);
    Entry removed;
    int found;
    {
        const mutator::Guard guard(op);
        size_t slot;
        found = find(self, key, hash, &slot);
        if (found > 0) {
            removed = self->ma_table->remove(slot);
            set_used(self, self->ma_used - 1);
        }
    }
    if (found <= 0) {
        if (found == 0) {
            PyErr_SetString(PyExc_KeyError, "the key is not in the dict");
        }
        return -1;
    }
    removed.drop();
    return 0;
}

void PyDict_Clear(PyObject* op) {
    if (op != nullptr && PyDict_Check(op)) {
        object::clear_table(&dict(op)->ma_table, &dict(op)->ma_used, op);
    }
}

int PyDict_Next(PyObject* op, Py_ssize_t* position, PyObject** key, PyObject** value) {
    if (op == nullptr || !PyDict_Check(op)) {
        return 0;
    }
    const Entry* entry = object::next_entry(dict(op)->ma_table, position);
    if (entry == nullptr) {
        return 0;
    }
    if (key != nullptr) {
        *key = entry->key;
    }
    if (value != nullptr) {
        *value = entry->value;
    }
    return 1;
}
