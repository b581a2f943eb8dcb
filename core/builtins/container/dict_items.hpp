// The items of a dict at one moment: other code, and other threads, may change the dict as soon as anything is
// allocated, hashed or compared.
#pragma once

#include "core/builtins/container/dict.hpp"

namespace ouro::container {

// With references to keys and values.
class DictItems {
public:
    DictItems() = default;
    ~DictItems() {
        for (size_t i = 0; i < count_; ++i) {
            items_[i].drop();
        }
        PyMem_Free(items_);
    }
    DictItems(const DictItems&) = delete;
    DictItems& operator=(const DictItems&) = delete;

    // Once. False with MemoryError.
    bool copy(PyObject* dict) {
        const mutator::Guard guard(dict);
        const auto used = static_cast<size_t>(as_dict(dict)->ma_used);
        if (used == 0) {
            return true;
        }
        items_ = PyMem_New(DictEntry, used);
        if (items_ == nullptr) {
            PyErr_NoMemory();
            return false;
        }
        Py_ssize_t position = 0;
        while (const DictEntry* entry = next_entry(as_dict(dict)->ma_table, &position)) {
            items_[count_++] = {entry->hash, Py_NewRef(entry->key), Py_NewRef(entry->value)};
        }
        return true;
    }

    const DictEntry* begin() const { return items_; }
    const DictEntry* end() const { return items_ + count_; }
    size_t size() const { return count_; }

private:
    DictEntry* items_ = nullptr;
    size_t count_ = 0;
};

}  // namespace ouro::container
