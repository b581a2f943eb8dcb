// What dict and set have in common: a table of its own that holds a hash index and, in insertion
// order, the entries.
//
// Entry is a trivial struct with `hash`, `key` (nullptr: deleted) and
//     static bool visits(const PyObject* key);     whether a traversal visits keys, if such a one is among them
//     int traverse(bool keys, visitproc visit, void* arg) const;   visits; the key only if `keys`
//     void drop() const;                                            drops its references
//     void forget();                                                stores nullptr in its references
// A Table is a struct derived from HashTable<Entry>; a container owns one by a pointer, its field.
//
// A table is never grown in place: a traversal on another thread reads the old one or the new one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "concurrency/point/point.hpp"
#include "core/include/Python.h"
#include "core/mutator/critical_section.hpp"

namespace ouro::container {

inline constexpr int32_t kEmptyIndex = -1;
inline constexpr int32_t kDeletedIndex = -2;

// Followed in memory by 2^log2 index words, 1, 2 or 4 bytes wide, and then by the entries.
template <class E>
struct alignas(8) HashTable {
    using Entry = E;

    uint32_t filled;   // entries used, deleted ones included
    uint32_t popped;   // so many entries at the front are known to be deleted
    uint32_t trimmed;  // so many at the end
    uint8_t log2;
    // Was there ever a key that a traversal visits (Entry::visits)? Then it visits all.
    bool visits_keys;
    uint16_t renewed;  // so many times since the container was empty, modulo 2^16

    static uint32_t capacity_of(unsigned log2) {
        return static_cast<uint32_t>((uint64_t{1} << log2) * 2 / 3);
    }
    // Negative numbers mean something else than an entry (above), so 7, 15 and 31 bits count entries.
    static unsigned index_shift(unsigned log2) { return log2 <= 7 ? 0 : log2 <= 15 ? 1 : 2; }
    static size_t bytes(unsigned log2) {
        static_assert(sizeof(HashTable) == 16 && alignof(Entry) == 8);
        return sizeof(HashTable) + (size_t{1} << (log2 + index_shift(log2))) +
               capacity_of(log2) * sizeof(Entry);
    }
    bool is_full() const { return filled == capacity_of(log2); }

    // By way of a number, because the compiler thinks that the table ends with this struct.
    char* index() {
        return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(this) + sizeof(HashTable));
    }
    Entry* entries() {
        return reinterpret_cast<Entry*>(index() + (size_t{1} << (log2 + index_shift(log2))));
    }
    size_t mask() const { return (size_t{1} << log2) - 1; }

    // acquire and release: a reader without a lock that sees an entry's number sees the entry.
    int32_t index_at(size_t slot) {
        switch (index_shift(log2)) {
            case 0:
                return __atomic_load_n(reinterpret_cast<int8_t*>(index()) + slot, __ATOMIC_ACQUIRE);
            case 1:
                return __atomic_load_n(reinterpret_cast<int16_t*>(index()) + slot,
                                       __ATOMIC_ACQUIRE);
            default:
                return __atomic_load_n(reinterpret_cast<int32_t*>(index()) + slot,
                                       __ATOMIC_ACQUIRE);
        }
    }
    void set_index(size_t slot, int32_t entry) {
        switch (index_shift(log2)) {
            case 0:
                __atomic_store_n(reinterpret_cast<int8_t*>(index()) + slot,
                                 static_cast<int8_t>(entry), __ATOMIC_RELEASE);
                break;
            case 1:
                __atomic_store_n(reinterpret_cast<int16_t*>(index()) + slot,
                                 static_cast<int16_t>(entry), __ATOMIC_RELEASE);
                break;
            default:
                __atomic_store_n(reinterpret_cast<int32_t*>(index()) + slot, entry,
                                 __ATOMIC_RELEASE);
        }
    }

    // The index word that a probe for a hash looks at after `slot`.
    size_t next_probe(size_t slot, size_t* perturb) const {
        *perturb >>= 5;
        return (slot * 5 + *perturb + 1) & mask();
    }
    void insert_index(Py_hash_t hash, int32_t entry) {
        auto perturb = static_cast<size_t>(hash);
        size_t slot = perturb & mask();
        while (index_at(slot) >= 0) {
            slot = next_probe(slot, &perturb);
        }
        set_index(slot, entry);
    }
    // Pre: not full. The entry's references are the table's now.
    void append(const Entry& entry) {
        entries()[filled] = entry;
        OURO_POINT("table.append.entry");
        if (!visits_keys && Entry::visits(entry.key)) {
            __atomic_store_n(&visits_keys, true, __ATOMIC_RELAXED);
        }
        insert_index(entry.hash, static_cast<int32_t>(filled));
        trimmed = 0;
        // release: a traversal that sees the number sees the entry.
        __atomic_store_n(&filled, filled + 1, __ATOMIC_RELEASE);
    }
    // Takes out the entry of an index word; its references are the caller's now.
    Entry remove(size_t slot) {
        Entry& entry = entries()[index_at(slot)];
        set_index(slot, kDeletedIndex);
        OURO_POINT("table.remove.index");
        const Entry removed = entry;
        entry.forget();
        return removed;
    }
    // Moves the entry of an index word behind all others. Pre: not full. Its index word stays where it is, so that readers
    // find it all the while.
    void move_to_end(size_t slot) {
        Entry& entry = entries()[index_at(slot)];
        entries()[filled] = entry;
        OURO_POINT("table.move-to-end.entry");
        set_index(slot, static_cast<int32_t>(filled));
        trimmed = 0;
        __atomic_store_n(&filled, filled + 1, __ATOMIC_RELEASE);
        OURO_POINT("table.move-to-end.twice");
        entry.forget();
    }
    // The first entry, and the last one; both, too, taken out. In constant time over many calls. Pre: there is one.
    const Entry& first() { return entries()[first_number()]; }
    const Entry& last() { return entries()[last_number()]; }
    Entry pop() { return remove_at(first_number()); }
    Entry pop_last() { return remove_at(last_number()); }

private:
    uint32_t first_number() {
        while (entries()[popped].key == nullptr) {
            ++popped;
        }
        return popped;
    }
    uint32_t last_number() {
        while (entries()[filled - trimmed - 1].key == nullptr) {
            ++trimmed;
        }
        return filled - trimmed - 1;
    }
    Entry remove_at(uint32_t number) {
        auto perturb = static_cast<size_t>(entries()[number].hash);
        size_t slot = perturb & mask();
        while (index_at(slot) != static_cast<int32_t>(number)) {
            slot = next_probe(slot, &perturb);
        }
        return remove(slot);
    }
};

template <class Table>
Table* new_table(unsigned log2) {
    using Entry = typename Table::Entry;
    static_assert(sizeof(Table) == sizeof(HashTable<Entry>));
    auto* table = static_cast<Table*>(PyMem_Malloc(Table::bytes(log2)));
    if (table == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    table->filled = 0;
    table->popped = 0;
    table->trimmed = 0;
    table->log2 = static_cast<uint8_t>(log2);
    table->renewed = 0;
    table->visits_keys = false;
    // Every byte of an empty index word, however wide, is 0xFF.
    static_assert(kEmptyIndex == -1);
    std::memset(table->index(), 0xFF, size_t{1} << (log2 + Table::index_shift(log2)));
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
        const int32_t number = table->index_at(slot);
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
        if (*field != table || table->index_at(slot) != number ||
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

// What a look without a lock finds.
enum class Look { kFound, kMissing, kUnsure };

// Looks for the very key, concurrently with writers that hold the container's lock. kUnsure: there is a key with
// the same hash, or the table is gone; only under the lock can one tell. An entry is never used for
// another key, a key that is moved keeps its index word, and a table, once replaced, is not written to any more: so what
// is missing was missing at some time during the look.
template <class Table>
Look look(Table* const* field, PyObject* key, Py_hash_t hash, typename Table::Entry** found) {
    // acquire: pairs with make_room.
    Table* table = __atomic_load_n(field, __ATOMIC_ACQUIRE);
    if (table == nullptr) {
        return Look::kMissing;
    }
    OURO_POINT("table.look.table");
    auto perturb = static_cast<size_t>(hash);
    size_t slot = perturb & table->mask();
    for (;;) {
        const int32_t number = table->index_at(slot);
        if (number == kEmptyIndex) {
            return Look::kMissing;
        }
        if (number != kDeletedIndex) {
            OURO_POINT("table.look.number");
            auto& entry = table->entries()[number];
            PyObject* there = __atomic_load_n(&entry.key, __ATOMIC_ACQUIRE);
            if (there == key) {
                *found = &entry;
                return Look::kFound;
            }
            if (there != nullptr && entry.hash == hash) {
                return Look::kUnsure;
            }
            if (there == nullptr && table->index_at(slot) != number) {
                continue;  // it was moved, or removed
            }
        }
        slot = table->next_probe(slot, &perturb);
    }
}

// A new table with room for one entry more than the `used` that are not deleted, and `first`, if it is not nullptr, before
// the others. False with MemoryError.
template <class Table>
bool renew(Table** field, Py_ssize_t used, const typename Table::Entry* first) {
    constexpr unsigned smallest_log2 = 3;
    constexpr unsigned largest_log2 = 31;
    Table* old = *field;
    const auto wanted = static_cast<size_t>(used) * 3 + 1;
    const unsigned log2 =
        std::max(smallest_log2, static_cast<unsigned>(std::bit_width(wanted - 1)));
    if (log2 > largest_log2) {
        PyErr_NoMemory();
        return false;
    }
    if (!mutator::prepare_to_free_late()) {
        PyErr_NoMemory();
        return false;
    }
    Table* table = new_table<Table>(log2);
    if (table == nullptr) {
        return false;
    }
    if (first != nullptr) {
        table->append(*first);
    }
    if (old != nullptr) {
        table->renewed = static_cast<uint16_t>(old->renewed + 1);
        for (uint32_t i = 0; i < old->filled; ++i) {
            if (old->entries()[i].key != nullptr && &old->entries()[i] != first) {
                table->append(old->entries()[i]);
            }
        }
    }
    // release: a traversal that sees the table sees its entries.
    __atomic_store_n(field, table, __ATOMIC_RELEASE);
    OURO_POINT("table.make-room.published");
    mutator::free_late(old);
    return true;
}

// Room for one entry more beside the `used` that are not deleted. False with MemoryError.
template <class Table>
bool make_room(Table** field, Py_ssize_t used) {
    return (*field != nullptr && !(*field)->is_full()) ||
           renew(field, used, static_cast<const typename Table::Entry*>(nullptr));
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

// The entry before *position or the last one that is further in front; *position is then its place. nullptr
// at the beginning.
template <class Table>
typename Table::Entry* previous_entry(Table* table, Py_ssize_t* position) {
    if (table == nullptr) {
        return nullptr;
    }
    Py_ssize_t i = std::min(*position, static_cast<Py_ssize_t>(table->filled));
    while (i > 0 && table->entries()[i - 1].key == nullptr) {
        --i;
    }
    if (i <= 0) {
        return nullptr;
    }
    *position = i - 1;
    return &table->entries()[i - 1];
}

// Positions in a container's table that are used, or were. May run concurrently with a mutator.
template <class Table>
size_t filled_in(Table* const* field) {
    // acquire: pairs with make_room.
    const Table* table = __atomic_load_n(field, __ATOMIC_ACQUIRE);
    return table == nullptr ? 0 : __atomic_load_n(&table->filled, __ATOMIC_RELAXED);
}

// Visits the entries at [begin, end) that there are. May run concurrently with a mutator: what the number of entries
// counts was stored before it. One that is moved meanwhile may be visited twice or not at all.
template <class Table>
int traverse_table(Table* const* field, size_t begin, size_t end, visitproc visit, void* arg) {
    // acquire: pairs with make_room.
    Table* table = __atomic_load_n(field, __ATOMIC_ACQUIRE);
    if (table == nullptr) {
        return 0;
    }
    const auto* entries = table->entries();
    // acquire: with append's release, the entries that are counted, and what is said of their keys.
    end = std::min(end, size_t{__atomic_load_n(&table->filled, __ATOMIC_ACQUIRE)});
    const bool keys = __atomic_load_n(&table->visits_keys, __ATOMIC_RELAXED);
    for (size_t i = begin; i < end; ++i) {
        if (const int result = entries[i].traverse(keys, visit, arg); result != 0) {
            return result;
        }
    }
    return 0;
}

// Drops the entries of a table that no container has any more: dropping runs arbitrary code.
template <class Table>
void drop_entries(Table* table) {
    for (uint32_t i = 0; i < table->filled; ++i) {
        const auto entry = table->entries()[i];
        if (entry.key != nullptr) {
            entry.drop();
        }
    }
}

// Empties a container that nobody else can use: it is dying, or condemned.
template <class Table>
void drop_table(Table** field, Py_ssize_t* used) {
    Table* table = *field;
    if (table != nullptr) {
        __atomic_store_n(field, nullptr, __ATOMIC_RELEASE);
        __atomic_store_n(used, 0, __ATOMIC_RELAXED);
        drop_entries(table);
        PyMem_Free(table);
    }
}

// Empties one that others may be reading.
template <class Table>
void clear_table(Table** field, Py_ssize_t* used, PyObject* container) {
    if (!mutator::prepare_to_free_late()) {
        // Without memory to free the table late it stays, and the entries go one by one.
        for (;;) {
            typename Table::Entry entry;
            {
                const mutator::Guard guard(container);
                if (*used == 0) {
                    return;
                }
                entry = (*field)->pop();
                __atomic_store_n(used, *used - 1, __ATOMIC_RELAXED);
            }
            entry.drop();
        }
    }
    Table* table;
    {
        const mutator::Guard guard(container);
        table = *field;
        __atomic_store_n(field, nullptr, __ATOMIC_RELEASE);
        __atomic_store_n(used, 0, __ATOMIC_RELAXED);
    }
    if (table != nullptr) {
        OURO_POINT("table.clear.published");
        drop_entries(table);
        mutator::free_late(table);
    }
}

}  // namespace ouro::container
