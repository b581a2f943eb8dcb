// The items of a collections.deque, from any place on: its own traversal shows all or nothing. By the layout that CPython
// 3.11 to 3.15 have, which is believed only if a deque made for the purpose shows what CPython's own functions say.
#pragma once

#include <Python.h>

#include <cstddef>

namespace ouro::bridge {

// Looks whether they have that layout. False with an exception.
bool ready_deques();
extern PyTypeObject* deque_type;  // null: deques cannot be walked
inline bool is_deque(const PyObject* op) {
    return Py_TYPE(op) == deque_type;
}

// Valid while the deque is not changed.
class DequeItems {
public:
    // From the item of that number on, found from the nearer end, 64 items a step. Pre: is_deque(deque); the number is
    // less than how many there are.
    DequeItems(const PyObject* deque, Py_ssize_t number);
    // The next one. Pre: there is one.
    PyObject* next() {
        if (at_ == kOfBlock) {
            block_ = block_->right;
            at_ = 0;
        }
        return block_->items[at_++];
    }

    static constexpr Py_ssize_t kOfBlock = 64;

    struct Block {
        Block* left;
        PyObject* items[kOfBlock];
        Block* right;
    };

private:
    const Block* block_;
    Py_ssize_t at_;
};

}  // namespace ouro::bridge
