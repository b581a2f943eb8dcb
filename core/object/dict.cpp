// dict: 32 bytes and about 4 of metadata; one table of its own holds a hash index and, in insertion
// order, the entries.
#include <algorithm>
#include <bit>

#include "core/object/errors.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

struct Entry {
    Py_hash_t hash;
    PyObject* key;  // nullptr: deleted
    PyObject* value;
};

constexpr int32_t kEmpty = -1;
constexpr int32_t kDeleted = -2;

}  // namespace

// Followed in memory by 2^log2 index words and then by the entries.
struct _ouro_dict_table {
    Py_ssize_t capacity;  // entries that fit
    Py_ssize_t filled;    // entries used, deleted ones included
    unsigned log2;

    int32_t* index() { return reinterpret_cast<int32_t*>(this + 1); }
    Entry* entries() { return reinterpret_cast<Entry*>(index() + (size_t{1} << log2)); }
    size_t mask() const { return (size_t{1} << log2) - 1; }
};

namespace {

using Table = _ouro_dict_table;

constexpr unsigned kSmallestLog2 = 3;
constexpr unsigned kLargestLog2 = 31;

PyDictObject* dict(PyObject* op) {
    return reinterpret_cast<PyDictObject*>(op);
}

Py_ssize_t capacity_for(unsigned log2) {
    return static_cast<Py_ssize_t>((size_t{1} << log2) * 2 / 3);
}

Table* new_table(unsigned log2) {
    const size_t index_bytes = sizeof(int32_t) << log2;
    const auto capacity = static_cast<size_t>(capacity_for(log2));
    auto* table =
        static_cast<Table*>(PyMem_Malloc(sizeof(Table) + index_bytes + capacity * sizeof(Entry)));
    if (table == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    table->capacity = static_cast<Py_ssize_t>(capacity);
    table->filled = 0;
    table->log2 = log2;
    std::fill_n(table->index(), size_t{1} << log2, kEmpty);
    return table;
}

// The index word that a probe for `hash` looks at after `slot`.
size_t next_probe(const Table* table, size_t slot, size_t* perturb) {
    *perturb >>= 5;
    return (slot * 5 + *perturb + 1) & table->mask();
}

void insert_index(Table* table, Py_hash_t hash, int32_t entry) {
    auto perturb = static_cast<size_t>(hash);
    size_t slot = perturb & table->mask();
    while (table->index()[slot] >= 0) {
        slot = next_probe(table, slot, &perturb);
    }
    table->index()[slot] = entry;
}

// 1: found, *slot is its index word; 0: missing; -1: an exception; 2: the dict changed while a
// comparison ran, begin again.
int probe(PyDictObject* self, PyObject* key, Py_hash_t hash, size_t* found) {
    Table* table = self->ma_table;
    auto perturb = static_cast<size_t>(hash);
    size_t slot = perturb & table->mask();
    for (;; slot = next_probe(table, slot, &perturb)) {
        const int32_t number = table->index()[slot];
        if (number == kEmpty) {
            return 0;
        }
        if (number == kDeleted) {
            continue;
        }
        const Entry entry = table->entries()[number];
        if (entry.key == key) {
            *found = slot;
            return 1;
        }
        if (entry.hash != hash) {
            continue;
        }
        Py_INCREF(entry.key);  // the comparison may drop it from the dict
        const int equal = PyObject_RichCompareBool(entry.key, key, Py_EQ);
        Py_DECREF(entry.key);
        if (equal < 0) {
            return -1;
        }
        if (self->ma_table != table || table->index()[slot] != number ||
            table->entries()[number].key != entry.key) {
            return 2;
        }
        if (equal > 0) {
            *found = slot;
            return 1;
        }
    }
}

int find(PyDictObject* self, PyObject* key, Py_hash_t hash, size_t* slot) {
    int result = 2;
    while (result == 2) {
        if (self->ma_table == nullptr) {
            return 0;
        }
        result = probe(self, key, hash, slot);
    }
    return result;
}

// A new table with room for one entry more, without the deleted ones.
bool rebuild(PyDictObject* self) {
    const auto wanted = static_cast<size_t>(self->ma_used) * 3 + 1;
    const unsigned log2 =
        std::max(kSmallestLog2, static_cast<unsigned>(std::bit_width(wanted - 1)));
    if (log2 > kLargestLog2) {
        PyErr_NoMemory();
        return false;
    }
    Table* table = new_table(log2);
    if (table == nullptr) {
        return false;
    }
    Table* old = self->ma_table;
    if (old != nullptr) {
        for (Py_ssize_t i = 0; i < old->filled; ++i) {
            const Entry& entry = old->entries()[i];
            if (entry.key != nullptr) {
                table->entries()[table->filled] = entry;
                insert_index(table, entry.hash, static_cast<int32_t>(table->filled));
                ++table->filled;
            }
        }
    }
    // release: a traversal that sees the table sees its entries.
    __atomic_store_n(&self->ma_table, table, __ATOMIC_RELEASE);
    PyMem_Free(old);
    return true;
}

int dict_traverse(PyObject* op, visitproc visit, void* arg) {
    Table* table = dict(op)->ma_table;
    if (table == nullptr) {
        return 0;
    }
    const Entry* entries = table->entries();
    for (Py_ssize_t i = 0, filled = table->filled; i < filled; ++i) {
        Py_VISIT(entries[i].key);
        Py_VISIT(entries[i].value);
    }
    return 0;
}

// The dict is empty before the first entry is dropped: dropping runs arbitrary code.
int dict_clear(PyObject* op) {
    PyDictObject* self = dict(op);
    Table* table = self->ma_table;
    if (table == nullptr) {
        return 0;
    }
    self->ma_table = nullptr;
    self->ma_used = 0;
    for (Py_ssize_t i = 0; i < table->filled; ++i) {
        const Entry entry = table->entries()[i];
        if (entry.key != nullptr) {
            Py_DECREF(entry.key);
            Py_DECREF(entry.value);
        }
    }
    PyMem_Free(table);
    return 0;
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

PyTypeObject PyDict_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "dict",
    .tp_basicsize = sizeof(PyDictObject),
    .tp_dealloc = dict_dealloc,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DICT_SUBCLASS,
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
    return check(op) ? dict(op)->ma_used : -1;
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
    size_t slot;
    const int found = find(self, key, hash, &slot);
    if (found < 0) {
        return -1;
    }
    if (found > 0) {
        Entry& entry = self->ma_table->entries()[self->ma_table->index()[slot]];
        Py_SETREF(entry.value, Py_NewRef(value));
        return 0;
    }
    Table* table = self->ma_table;
    if (table == nullptr || table->filled == table->capacity) {
        if (!rebuild(self)) {
            return -1;
        }
        table = self->ma_table;
    }
    table->entries()[table->filled] = {hash, Py_NewRef(key), Py_NewRef(value)};
    insert_index(table, hash, static_cast<int32_t>(table->filled));
    // release: a traversal that sees the number sees the entry.
    __atomic_store_n(&table->filled, table->filled + 1, __ATOMIC_RELEASE);
    ++self->ma_used;
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
    PyDictObject* self = dict(op);
    size_t slot;
    if (find(self, key, hash, &slot) <= 0) {
        return nullptr;
    }
    return self->ma_table->entries()[self->ma_table->index()[slot]].value;
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
    size_t slot;
    return hash == -1 ? -1 : find(dict(op), key, hash, &slot);
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
    size_t slot;
    const int found = find(self, key, hash, &slot);
    if (found <= 0) {
        if (found == 0) {
            PyErr_SetString(PyExc_KeyError, "the key is not in the dict");
        }
        return -1;
    }
    Table* table = self->ma_table;
    Entry& entry = table->entries()[table->index()[slot]];
    table->index()[slot] = kDeleted;
    PyObject* old_key = entry.key;
    PyObject* old_value = entry.value;
    OURO_STORE_FIELD(&entry.key, nullptr);
    OURO_STORE_FIELD(&entry.value, nullptr);
    --self->ma_used;
    Py_DECREF(old_key);
    Py_DECREF(old_value);
    return 0;
}

void PyDict_Clear(PyObject* op) {
    if (op != nullptr && PyDict_Check(op)) {
        dict_clear(op);
    }
}

int PyDict_Next(PyObject* op, Py_ssize_t* position, PyObject** key, PyObject** value) {
    if (op == nullptr || !PyDict_Check(op) || dict(op)->ma_table == nullptr) {
        return 0;
    }
    Table* table = dict(op)->ma_table;
    Py_ssize_t i = *position;
    while (i >= 0 && i < table->filled && table->entries()[i].key == nullptr) {
        ++i;
    }
    if (i < 0 || i >= table->filled) {
        return 0;
    }
    if (key != nullptr) {
        *key = table->entries()[i].key;
    }
    if (value != nullptr) {
        *value = table->entries()[i].value;
    }
    *position = i + 1;
    return 1;
}
