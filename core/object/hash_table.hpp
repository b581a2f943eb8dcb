// What dict and set have in common: a table of its own that holds a hash index and, in insertion
// order, the entries.
//
// Entry is a trivial struct with `hash`, `key` (nullptr: deleted) and
//     int traverse(visitproc visit, void* arg) const;   what tp_traverse does with it
//     void drop() const;                                 drops its references; it has a key
//     void forget();                                     stores nullptr in its references
// A Table is a struct derived from HashTable<Entry>; a container owns one by a pointer, its field.
//
// A table is never grown in place: a traversal on another thread reads the old one or the new one.
#pragma once

#include <algorithm>
#include <bit>

#include "core/include/Python.h"

namespace ouro::object {

inline constexpr int32_t kEmptyIndex = -1;
inline constexpr int32_t kDeletedIndex = -2;

// Followed in memory by 2^log2 index words and then by the entries.
template <class E>
struct HashTable {
    using Entry = E;

    Py_ssize_t capacity;  // entries that fit
    Py_ssize_t filled;    // entries used, deleted ones included
    unsigned log2;
    uint32_t popped;  // so many entries at the front are known to be deleted

    int32_t* index() { return reinterpret_cast<int32_t*>(this + 1); }
    Entry* entries() { return reinterpret_cast<Entry*>(index() + (size_t{1} << log2)); }
    size_t mask() const { return (size_t{1} << log2) - 1; }

    // The index word that a probe for a hash looks at after `slot`.
    size_t next_probe(size_t slot, size_t* perturb) const {
        *perturb >>= 5;
        return (slot * 5 + *perturb + 1) & mask();
    }
    void insert_index(Py_hash_t hash, int32_t entry) {
        auto perturb = static_cast<size_t>(hash);
        size_t slot = perturb & mask();
        while (index()[slot] >= 0) {
            slot = next_probe(slot, &perturb);
        }
        index()[slot] = entry;
    }
    // Pre: filled < capacity, and the entry's references are the table's now.
    void append(const Entry& entry) {
        entries()[filled] = entry;
        insert_index(entry.hash, static_cast<int32_t>(filled));
        // release: a traversal that sees the number sees the entry.
        __atomic_store_n(&filled, filled + 1, __ATOMIC_RELEASE);
    }
    // Takes out the entry of an index word; its references are the caller's now.
    Entry remove(size_t slot) {
        Entry& entry = entries()[index()[slot]];
        index()[slot] = kDeletedIndex;
        const Entry removed = entry;
        entry.forget();
        return removed;
    }
    // Takes out the first entry, in constant time over many calls. Pre: there is one.
    Entry pop() {
        while (entries()[popped].key == nullptr) {
            ++popped;
        }
        auto perturb = static_cast<size_t>(entries()[popped].hash);
        size_t slot = perturb & mask();
        while (index()[slot] != static_cast<int32_t>(popped)) {
            slot = next_probe(slot, &perturb);
        }
        return remove(slot);
    }
};

template <class Table>
Table* new_table(unsigned log2) {
    using Entry = typename Table::Entry;
    static_assert(sizeof(Table) == sizeof(HashTable<Entry>));
    const auto capacity = static_cast<Py_ssize_t>((size_t{1} << log2) * 2 / 3);
    auto* table = static_cast<Table*>(PyMem_Malloc(sizeof(Table) + (sizeof(int32_t) << log2) +
                                                   static_cast<size_t>(capacity) * sizeof(Entry)));
    if (table == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    table->capacity = capacity;
    table->filled = 0;
    table->log2 = log2;
    table->popped = 0;
    std::fill_n(table->index(), size_t{1} << log2, kEmptyIndex);
    return table;
}

// 1: found, *found is its index word; 0: missing; -1: an exception; 2: the table changed while a
// comparison ran, begin again.
template <class Table>
int probe(Table* const* field, PyObject* key, Py_hash_t hash, size_t* found) {
    Table* table = *field;
    auto perturb = static_cast<size_t>(hash);
    size_t slot = perturb & table->mask();
    for (;; slot = table->next_probe(slot, &perturb)) {
        const int32_t number = table->index()[slot];
        if (number == kEmptyIndex) {
            return 0;
        }
        if (number == kDeletedIndex) {
            continue;
        }
        const auto entry = table->entries()[number];
        if (entry.key == key) {
            *found = slot;
            return 1;
        }
        if (entry.hash != hash) {
            continue;
        }
        Py_INCREF(entry.key);  // the comparison may drop it from the container
        const int equal = PyObject_RichCompareBool(entry.key, key, Py_EQ);
        Py_DECREF(entry.key);
        if (equal < 0) {
            return -1;
        }
        if (*field != table || table->index()[slot] != number ||
            table->entries()[number].key != entry.key) {
            return 2;
        }
        if (equal > 0) {
            *found = slot;
            return 1;
        }
    }
}

// 1: found, *slot is its index word; 0: missing; -1: an exception. `key` is held by the caller.
template <class Table>
int find(Table* const* field, PyObject* key, Py_hash_t hash, size_t* slot) {
    int result = 2;
    while (result == 2) {
        if (*field == nullptr) {
            return 0;
        }
        result = probe(field, key, hash, slot);
    }
    return result;
}

// Room for one entry more beside the `used` that are not deleted. False with MemoryError.
template <class Table>
bool make_room(Table** field, Py_ssize_t used) {
    constexpr unsigned kSmallestLog2 = 3;
    constexpr unsigned kLargestLog2 = 31;
    Table* old = *field;
    if (old != nullptr && old->filled < old->capacity) {
        return true;
    }
    const auto wanted = static_cast<size_t>(used) * 3 + 1;
    const unsigned log2 =
        std::max(kSmallestLog2, static_cast<unsigned>(std::bit_width(wanted - 1)));
    if (log2 > kLargestLog2) {
        PyErr_NoMemory();
        return false;
    }
    Table* table = new_table<Table>(log2);
    if (table == nullptr) {
        return false;
    }
    if (old != nullptr) {
        for (Py_ssize_t i = 0; i < old->filled; ++i) {
            if (old->entries()[i].key != nullptr) {
                table->append(old->entries()[i]);
            }
        }
    }
    // release: a traversal that sees the table sees its entries.
    __atomic_store_n(field, table, __ATOMIC_RELEASE);
    PyMem_Free(old);
    return true;
}

// The entry at *position or the first after it; *position is then behind it. nullptr at the end.
template <class Table>
typename Table::Entry* next_entry(Table* table, Py_ssize_t* position) {
    Py_ssize_t i = *position;
    if (table == nullptr || i < 0) {
        return nullptr;
    }
    while (i < table->filled && table->entries()[i].key == nullptr) {
        ++i;
    }
    if (i >= table->filled) {
        return nullptr;
    }
    *position = i + 1;
    return &table->entries()[i];
}

template <class Table>
int traverse_table(Table* table, visitproc visit, void* arg) {
    if (table == nullptr) {
        return 0;
    }
    const auto* entries = table->entries();
    for (Py_ssize_t i = 0, filled = table->filled; i < filled; ++i) {
        if (const int result = entries[i].traverse(visit, arg); result != 0) {
            return result;
        }
    }
    return 0;
}

// Drops the entries and frees the table. Pre: no container has it any more, because dropping runs
// arbitrary code.
template <class Table>
void drop_table(Table* table) {
    if (table == nullptr) {
        return;
    }
    for (Py_ssize_t i = 0; i < table->filled; ++i) {
        const auto entry = table->entries()[i];
        if (entry.key != nullptr) {
            entry.drop();
        }
    }
    PyMem_Free(table);
}

}  // namespace ouro::object
