// dict: 32 bytes and about 4 of metadata; one table of its own holds a hash index and, in insertion
// order, the entries.
#include "core/builtins/container/dict.hpp"

#include "core/builtins/container/dict_watch.hpp"
#include "core/builtins/container/entries.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/object/allocate.hpp"
#include "core/object/saved_error.hpp"
#include "core/object/take.hpp"

using namespace ouro;

namespace {

using Entry = container::DictEntry;

PyDictObject* dict(PyObject* op) {
    return container::as_dict(op);
}

int find(PyDictObject* self, PyObject* key, Py_hash_t hash, size_t* slot) {
    return container::find(&self->ma_table, key, hash, slot);
}

void set_used(PyDictObject* self, Py_ssize_t used) {
    __atomic_store_n(&self->ma_used, used, __ATOMIC_RELAXED);
}

// Adds a key that the dict, which is locked, does not have. False with MemoryError.
bool append(PyDictObject* self, PyObject* key, Py_hash_t hash, PyObject* value) {
    if (!container::make_room(&self->ma_table, self->ma_used)) {
        return false;
    }
    self->ma_table->append({hash, Py_NewRef(key), Py_NewRef(value)});
    set_used(self, self->ma_used + 1);
    return true;
}

// What the dict has for a key: 1 and a new reference; 0; -1 with an exception.
int get(PyDictObject* self, PyObject* key, Py_hash_t hash, PyObject** value) {
    *value = nullptr;
    if (mutator::is_free_threaded()) {
        container::Look seen = container::Look::kMissing;
        *value = object::take(
            [&]() -> PyObject** {
                Entry* entry = nullptr;
                seen = container::look(&self->ma_table, key, hash, &entry);
                return seen == container::Look::kFound ? &entry->value : nullptr;
            },
            self);
        if (*value != nullptr || seen == container::Look::kMissing) {
            return *value != nullptr;
        }
    } else {
        Entry* entry;
        const container::Look seen = container::look(&self->ma_table, key, hash, &entry);
        if (seen != container::Look::kUnsure) [[likely]] {
            *value = seen == container::Look::kFound ? Py_NewRef(entry->value) : nullptr;
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

// The same, borrowed: the count of the value is not touched. Its dict may be where the value's tp_dealloc looks itself up.
int get_borrowed(PyDictObject* self, PyObject* key, Py_hash_t hash, PyObject** value) {
    *value = nullptr;
    Entry* entry;
    const container::Look seen = container::look(&self->ma_table, key, hash, &entry);
    if (seen == container::Look::kMissing) {
        return 0;
    }
    if (seen == container::Look::kFound) [[likely]] {
        // acquire: pairs with the release of whoever stored it. nullptr: it was taken out since.
        *value = __atomic_load_n(&entry->value, __ATOMIC_ACQUIRE);
        if (*value != nullptr) [[likely]] {
            return 1;
        }
    }
    const mutator::Guard guard(self);
    size_t slot;
    const int found = find(self, key, hash, &slot);
    if (found > 0) {
        *value = self->ma_table->entries()[self->ma_table->index_at(slot)].value;
    }
    return found;
}

bool check(PyObject* op) {
    return container::check_dict(op);
}

// Takes out what a key has: 1; 0 if it is missing; -1 with an exception.
int take_out(PyObject* op, PyObject* key, Py_hash_t hash, Entry* removed) {
    if (container::are_dicts_watched()) [[unlikely]] {
        container::tell_of_removal(op, key, hash);
    }
    PyDictObject* self = dict(op);
    const mutator::Guard guard(op);
    size_t slot;
    const int found = find(self, key, hash, &slot);
    if (found > 0) {
        *removed = self->ma_table->remove(slot);
        set_used(self, self->ma_used - 1);
    }
    return found;
}

// Stores, and tells nobody.
inline int store(PyObject* op, PyObject* key, Py_hash_t hash, PyObject* value, bool replace) {
    PyDictObject* self = dict(op);
    PyObject* old = nullptr;
    {
        const mutator::Guard guard(op);
        size_t slot;
        const int found = container::find(&self->ma_table, key, hash, &slot);
        if (found < 0) {
            return -1;
        }
        if (found == 0) {
            return append(self, key, hash, value) ? 0 : -1;
        }
        if (replace) {
            Entry& entry = self->ma_table->entries()[self->ma_table->index_at(slot)];
            old = entry.value;
            OURO_POINT("dict.set-item.old");
            OURO_STORE_FIELD(&entry.value, Py_NewRef(value));
        }
    }
    Py_XDECREF(old);  // arbitrary code, without the lock
    return 0;
}

// Calls function(op, a str of the text, more...); `failed` if there is no memory for the str.
template <class Result, class... More>
Result with_string(Result (*function)(PyObject*, PyObject*, More...), Result failed, PyObject* op,
                   const char* text, More... more) {
    PyObject* key = PyUnicode_FromString(text);
    if (key == nullptr) {
        return failed;
    }
    const Result result = function(op, key, more...);
    Py_DECREF(key);
    return result;
}

}  // namespace

bool container::check_dict(PyObject* op) {
    if (op == nullptr || !PyDict_Check(op)) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

const container::Entries container::dict_entries = {
    .count = [](PyObject* op) { return filled_in(&dict(op)->ma_table); },
    .visit = [](PyObject* op, size_t begin, size_t end, visitproc visit,
                void* arg) { return traverse_table(&dict(op)->ma_table, begin, end, visit, arg); },
};

int container::dict_traverse(PyObject* op, visitproc visit, void* arg) {
    return traverse_table(&dict(op)->ma_table, 0, SIZE_MAX, visit, arg);
}

void container::visit_left_out_keys(PyObject* op, visitproc visit, void* arg) {
    auto* table = dict(op)->ma_table;
    for (uint32_t i = 0; table != nullptr && !table->visits_keys && i < table->filled; ++i) {
        if (PyObject* key = table->entries()[i].key) {
            visit(key, arg);
        }
    }
}

int container::dict_clear(PyObject* op) {
    if (are_dicts_watched()) [[unlikely]] {
        tell_of_clear(op);
    }
    drop_table(&dict(op)->ma_table, &dict(op)->ma_used);
    return 0;
}

void container::dict_dealloc(PyObject* op) {
    if (are_dicts_watched() && !tell_of_end(op)) [[unlikely]] {
        return;
    }
    const object::Deallocation deallocation(op);
    drop_table(&dict(op)->ma_table, &dict(op)->ma_used);
    deallocation.free(&PyDict_Type);
}

// A tuple is wrapped: its items would be taken for the arguments.
void container::set_key_error(PyObject* key) {
    PyObject* argument = PyTuple_Check(key) ? PyTuple_Pack(1, key) : Py_NewRef(key);
    if (argument != nullptr) {
        PyErr_SetObject(PyExc_KeyError, argument);
        Py_DECREF(argument);
    }
}

int container::get_item(PyObject* op, PyObject* key, Py_hash_t hash, PyObject** value) {
    return get(dict(op), key, hash, value);
}

bool container::next_item(PyObject* op, Py_ssize_t* position, Entry* item) {
    const mutator::Guard guard(op);
    const Entry* entry = next_entry(dict(op)->ma_table, position);
    if (entry == nullptr) {
        return false;
    }
    *item = {entry->hash, Py_NewRef(entry->key), Py_NewRef(entry->value)};
    return true;
}

bool container::item_at(PyObject* op, End end, Entry* item) {
    const mutator::Guard guard(op);
    const PyDictObject* self = dict(op);
    if (self->ma_used == 0) {
        return false;
    }
    const Entry& there = end == End::kFirst ? self->ma_table->first() : self->ma_table->last();
    *item = {there.hash, Py_NewRef(there.key), Py_NewRef(there.value)};
    return true;
}

bool container::pop_item_at(PyObject* op, End end, Entry* item) {
    if (are_dicts_watched()) [[unlikely]] {
        tell_of_pop(op, end);
    }
    PyDictObject* self = dict(op);
    const mutator::Guard guard(op);
    if (self->ma_used == 0) {
        return false;
    }
    *item = end == End::kFirst ? self->ma_table->pop() : self->ma_table->pop_last();
    set_used(self, self->ma_used - 1);
    return true;
}

int container::move_item(PyObject* op, PyObject* key, Py_hash_t hash, End end) {
    PyDictObject* self = dict(op);
    const mutator::Guard guard(op);
    for (;;) {
        size_t slot;
        const int found = container::find(&self->ma_table, key, hash, &slot);
        if (found <= 0) {
            return found;
        }
        _ouro_dict_table* table = self->ma_table;
        const Entry& entry = table->entries()[table->index_at(slot)];
        if (&entry == (end == End::kFirst ? &table->first() : &table->last())) {
            return 1;
        }
        if (end == End::kFirst) {
            return renew(&self->ma_table, self->ma_used, &entry) ? 1 : -1;
        }
        if (!table->is_full()) {
            table->move_to_end(slot);
            return 1;
        }
        if (!make_room(&self->ma_table, self->ma_used)) {
            return -1;
        }
    }
}

PyObject* PyDict_New(void) {
    const object::NewContainer made = object::new_container(&PyDict_Type, sizeof(PyDictObject));
    if (made.op != nullptr) {
        dict(made.op)->ma_used = 0;
        dict(made.op)->ma_table = nullptr;
        made.track();
    }
    return made.op;
}

Py_ssize_t PyDict_Size(PyObject* op) {
    return check(op) ? __atomic_load_n(&dict(op)->ma_used, __ATOMIC_RELAXED) : -1;
}

int container::store_item(PyObject* op, PyObject* key, Py_hash_t hash, PyObject* value,
                          bool replace) {
    if (are_dicts_watched()) [[unlikely]] {
        tell_of_store(op, key, hash, value, replace);
    }
    return store(op, key, hash, value, replace);
}

int container::store_untold(PyObject* op, PyObject* key, Py_hash_t hash, PyObject* value,
                            bool replace) {
    return store(op, key, hash, value, replace);
}

bool container::append_items(PyObject* op, const DictEntry* items, size_t count) {
    const mutator::Guard guard(op);
    for (size_t i = 0; i < count; ++i) {
        if (!append(dict(op), items[i].key, items[i].hash, items[i].value)) {
            return false;
        }
    }
    return true;
}

int PyDict_SetItem(PyObject* op, PyObject* key, PyObject* value) {
    if (!check(op)) {
        return -1;
    }
    const Py_hash_t hash = text::hash_of(key);
    return hash == -1 ? -1 : container::store_item(op, key, hash, value, true);
}

int PyDict_SetItemString(PyObject* op, const char* key, PyObject* value) {
    return with_string(PyDict_SetItem, -1, op, key, value);
}

int PyDict_SetDefaultRef(PyObject* op, PyObject* key, PyObject* value, PyObject** result) {
    PyObject* unused;
    PyObject*& there = result == nullptr ? unused : *result;
    there = nullptr;
    const Py_hash_t hash = check(op) ? text::hash_of(key) : -1;
    if (hash == -1) {
        return -1;
    }
    if (container::are_dicts_watched()) [[unlikely]] {
        container::tell_of_store(op, key, hash, value, false);
    }
    int found;
    {
        PyDictObject* self = dict(op);
        const mutator::Guard guard(op);
        size_t slot;
        found = find(self, key, hash, &slot);
        if (found > 0) {
            there = Py_NewRef(self->ma_table->entries()[self->ma_table->index_at(slot)].value);
        } else if (found == 0) {
            if (!append(self, key, hash, value)) {
                return -1;
            }
            there = Py_NewRef(value);
        }
    }
    if (result == nullptr) {
        Py_XDECREF(there);
    }
    return found;
}

PyObject* PyDict_SetDefault(PyObject* op, PyObject* key, PyObject* value) {
    PyObject* there;
    PyDict_SetDefaultRef(op, key, value, &there);
    Py_XDECREF(there);  // the dict has one, as long as nobody takes it out
    return there;
}

PyObject* PyDict_GetItemWithError(PyObject* op, PyObject* key) {
    if (!check(op)) {
        return nullptr;
    }
    const Py_hash_t hash = text::hash_of(key);
    if (hash == -1) {
        return nullptr;
    }
    PyObject* value;
    get_borrowed(dict(op), key, hash, &value);
    return value;
}

int PyDict_GetItemRef(PyObject* op, PyObject* key, PyObject** value) {
    *value = nullptr;
    if (!check(op)) {
        return -1;
    }
    const Py_hash_t hash = text::hash_of(key);
    return hash == -1 ? -1 : get(dict(op), key, hash, value);
}

int PyDict_GetItemStringRef(PyObject* op, const char* key, PyObject** value) {
    *value = nullptr;
    return with_string(PyDict_GetItemRef, -1, op, key, value);
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
    const Py_hash_t hash = text::hash_of(key);
    if (hash == -1) {
        return -1;
    }
    Entry* entry;
    const container::Look seen = container::look(&dict(op)->ma_table, key, hash, &entry);
    if (seen != container::Look::kUnsure) [[likely]] {
        return seen == container::Look::kFound;
    }
    const mutator::Guard guard(op);
    size_t slot;
    return find(dict(op), key, hash, &slot);
}

int PyDict_ContainsString(PyObject* op, const char* key) {
    return with_string(PyDict_Contains, -1, op, key);
}

int PyDict_DelItem(PyObject* op, PyObject* key) {
    const Py_hash_t hash = check(op) ? text::hash_of(key) : -1;
    if (hash == -1) {
        return -1;
    }
    Entry removed;
    const int found = take_out(op, key, hash, &removed);
    if (found > 0) {
        removed.drop();
        return 0;
    }
    if (found == 0) {
        container::set_key_error(key);
    }
    return -1;
}

int PyDict_DelItemString(PyObject* op, const char* key) {
    return with_string(PyDict_DelItem, -1, op, key);
}

int PyDict_Pop(PyObject* op, PyObject* key, PyObject** value) {
    if (value != nullptr) {
        *value = nullptr;
    }
    if (!check(op)) {
        return -1;
    }
    if (PyDict_Size(op) == 0) {  // whether or not the key can be hashed
        return 0;
    }
    const Py_hash_t hash = text::hash_of(key);
    if (hash == -1) {
        return -1;
    }
    Entry removed;
    const int found = take_out(op, key, hash, &removed);
    if (found > 0 && value != nullptr) {
        *value = removed.value;
        Py_DECREF(removed.key);
    } else if (found > 0) {
        removed.drop();
    }
    return found;
}

int PyDict_PopString(PyObject* op, const char* key, PyObject** value) {
    if (value != nullptr) {
        *value = nullptr;
    }
    return with_string(PyDict_Pop, -1, op, key, value);
}

void PyDict_Clear(PyObject* op) {
    if (op != nullptr && PyDict_Check(op)) {
        if (container::are_dicts_watched()) [[unlikely]] {
            container::tell_of_clear(op);
        }
        container::clear_table(&dict(op)->ma_table, &dict(op)->ma_used, op);
    }
}

int PyDict_Next(PyObject* op, Py_ssize_t* position, PyObject** key, PyObject** value) {
    if (op == nullptr || !PyDict_Check(op)) {
        return 0;
    }
    const Entry* entry = container::next_entry(dict(op)->ma_table, position);
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
