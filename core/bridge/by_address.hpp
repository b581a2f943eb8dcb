// What does not fit the byte of a few objects: numbers by address, for the thousands among millions of objects that are
// referred to more than a hundred times.
//
// Grows without moving what is there, so that no addition takes long: when three quarters of a level are full, a larger one is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/heap/pages.hpp"

namespace ouro::bridge {

template <class Value>
class ByAddress {
public:
    struct Entry {
        const void* key;
        Value value;
    };

    // Room for so many on the first level.
    void reserve(size_t entries) {
        if (levels_.empty()) {
            add_level(entries + entries / 3 + 1);
        }
    }

    // Zero at first. Throws std::bad_alloc, with nothing changed.
    Value& at(const void* key) {
        if (Entry* found = find_entry(key)) {
            return found->value;
        }
        if (levels_.empty() || levels_.back().used * 4 >= levels_.back().entries.size() * 3) {
            add_level(levels_.empty() ? kFirst : levels_.back().entries.size() * 2);
        }
        Level& level = levels_.back();
        Entry* free = slot(level, key);
        *free = {key, Value{}};
        ++level.used;
        return free->value;
    }
    // nullptr if there is none.
    const Value* find(const void* key) const {
        const Entry* found = const_cast<ByAddress*>(this)->find_entry(key);
        return found != nullptr ? &found->value : nullptr;
    }

    template <class Each>
    void for_each(const Each& each) const {
        for (const Level& level : levels_) {
            for (const Entry& entry : level.entries) {
                if (entry.key != nullptr) {
                    each(entry.key, entry.value);
                }
            }
        }
    }

    void clear() { levels_.clear(); }
    size_t bytes() const {
        size_t sum = 0;
        for (const Level& level : levels_) {
            sum += level.entries.size() * sizeof(Entry);
        }
        return sum;
    }

private:
    struct Level {
        heap::PageVector<Entry> entries;  // a power of two
        size_t used = 0;
    };
    static constexpr size_t kFirst = 1024;

    void add_level(size_t at_least) {
        size_t size = kFirst;
        while (size < at_least) {
            size *= 2;
        }
        Level level;
        level.entries.resize(size);
        levels_.push_back(std::move(level));
    }
    // Its own or the free one for it.
    static Entry* slot(Level& level, const void* key) {
        const size_t mask = level.entries.size() - 1;
        size_t i = (reinterpret_cast<uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15 >> 20 & mask;
        while (level.entries[i].key != nullptr && level.entries[i].key != key) {
            i = (i + 1) & mask;
        }
        return &level.entries[i];
    }
    Entry* find_entry(const void* key) {
        for (Level& level : levels_) {
            Entry* entry = slot(level, key);
            if (entry->key == key) {
                return entry;
            }
        }
        return nullptr;
    }

    std::vector<Level> levels_;
};

}  // namespace ouro::bridge
