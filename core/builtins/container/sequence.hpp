// What lists and tuples have in common.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "concurrency/point/point.hpp"
#include "core/include/Python.h"

namespace ouro::container {

// tp_richcompare of list and tuple: the first items that differ decide, then the lengths.
// NotImplemented for objects of two kinds. New reference, or nullptr with an exception.
PyObject* compare_sequences(PyObject* a, PyObject* b, int operation);

// The arguments of index(value[, start[, stop]]), of a sequence of that length: negative bounds count from
// the end. False with TypeError.
bool take_search(PyObject* const* args, Py_ssize_t nargs, Py_ssize_t length, Py_ssize_t* start,
                 Py_ssize_t* stop);

// CPython's: xxHash's mixing of the hashes of items.
class HashOfItems {
public:
    // False with an exception.
    bool add(PyObject* item) {
        const Py_hash_t hash = PyObject_Hash(item);
        state_ += static_cast<uint64_t>(hash) * 0xC2B2AE3D27D4EB4F;
        state_ = std::rotl(state_, 31) * 0x9E3779B185EBCA87;
        return hash != -1;
    }
    // Of a tuple.
    void add_length(Py_ssize_t length) {
        state_ += static_cast<uint64_t>(length) ^ kStart ^ 3527539;
    }
    Py_hash_t result() const {
        const auto hash = static_cast<Py_hash_t>(state_);
        return hash == -1 ? 1546275796 : hash;
    }

private:
    static constexpr uint64_t kStart = 0x27D4EB2F165667C5;
    uint64_t state_ = kStart;
};

// The part of a sequence that a slice [low:high] names: bounds beyond an end mean that end.
struct Range {
    Py_ssize_t low, high;

    Range(Py_ssize_t first, Py_ssize_t last, Py_ssize_t length)
        : low(std::clamp(first, Py_ssize_t{0}, length)), high(std::clamp(last, low, length)) {}
    Py_ssize_t size() const { return high - low; }
};

// Borrowed references; some may be nullptr.
struct Items {
    PyObject* const* first;
    size_t count;

    PyObject* at(size_t i) const { return __atomic_load_n(&first[i], __ATOMIC_ACQUIRE); }
    // A template, so that `visitor` can be inlined.
    template <class Visit>
    void visit(Visit visitor, void* arg) const {
        for (size_t i = 0; i < count; ++i) {
            if (PyObject* op = at(i)) {
                visitor(op, arg);
            }
        }
    }
};

// An array and as many items as were stored in it, concurrently with writers: so many as the list had at a moment
// while that was its array. For an array is published with its items, and an item is stored before the
// size that counts it. So a size that counts items of another array is seen only when this one is seen
// to have been replaced; and it is not put back, because its memory is not used again while anybody reads
// it.
inline Items items_of(const PyListObject* op) {
    for (;;) {
        // acquire: pairs with grow and list_clear (list.cpp), as the next one does.
        PyObject** first = __atomic_load_n(&op->ob_item, __ATOMIC_ACQUIRE);
        OURO_POINT("list.items-of.array");
        const Py_ssize_t size = __atomic_load_n(&op->ob_base.ob_size, __ATOMIC_ACQUIRE);
        OURO_POINT("list.items-of.size");
        if (__atomic_load_n(&op->ob_item, __ATOMIC_RELAXED) == first) {
            return {first, first == nullptr ? 0 : static_cast<size_t>(size)};
        }
    }
}

}  // namespace ouro::container
