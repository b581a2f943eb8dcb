#include "core/bridge/deque_items.hpp"

namespace ouro::bridge {

PyTypeObject* deque_type = nullptr;

namespace {

struct Deque {
    PyVarObject base;
    DequeItems::Block* left;
    DequeItems::Block* right;
    Py_ssize_t first;  // of the left block
    Py_ssize_t last;   // of the right block
    size_t state;
    Py_ssize_t most;
};

const Deque* deque(const PyObject* op) {
    return reinterpret_cast<const Deque*>(op);
}

// A new deque that begins in the middle of a block and has others behind it.
PyObject* new_sample(PyObject* type) {
    PyObject* numbers = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyRange_Type), "i",
                                              4 * int{DequeItems::kOfBlock});
    PyObject* sample = numbers != nullptr ? PyObject_CallOneArg(type, numbers) : nullptr;
    Py_XDECREF(numbers);
    for (int i = 0; sample != nullptr && i < DequeItems::kOfBlock / 2; ++i) {
        PyObject* first = PyObject_CallMethod(sample, "popleft", nullptr);
        if (first == nullptr) {
            Py_CLEAR(sample);
        }
        Py_XDECREF(first);
    }
    return sample;
}

// Whether the layout shows the items that a list made of it has. Nothing is followed that is not plausible.
bool shows(const PyObject* sample, PyObject* list) {
    const Deque* it = deque(sample);
    constexpr Py_ssize_t end = DequeItems::kOfBlock;
    if (Py_SIZE(sample) != PyList_GET_SIZE(list) || it->most != -1 || it->first < 0 ||
        it->first >= end || it->last < 0 || it->last >= end || it->left == nullptr ||
        it->right == nullptr || it->left->items[it->first] != PyList_GET_ITEM(list, 0) ||
        it->right->items[it->last] != PyList_GET_ITEM(list, PyList_GET_SIZE(list) - 1)) {
        return false;
    }
    Py_ssize_t number = 0;
    Py_ssize_t at = it->first;
    for (const DequeItems::Block* block = it->left;; block = block->right, at = 0) {
        for (; at < end && number < PyList_GET_SIZE(list); ++at, ++number) {
            if (block->items[at] != PyList_GET_ITEM(list, number)) {
                return false;
            }
        }
        if (number == PyList_GET_SIZE(list)) {
            return block == it->right && at == it->last + 1;
        }
        if (block->right == nullptr || block->right->left != block) {
            return false;
        }
    }
}

}  // namespace

bool ready_deques() {
    PyObject* module = PyImport_ImportModule("_collections");
    PyObject* type = module != nullptr ? PyObject_GetAttrString(module, "deque") : nullptr;
    Py_XDECREF(module);
    if (type == nullptr) {
        return false;
    }
    auto* as_type = reinterpret_cast<PyTypeObject*>(type);
    const bool may_be = PyType_Check(type) != 0 && PyType_IS_GC(as_type) != 0 &&
                        as_type->tp_basicsize >= static_cast<Py_ssize_t>(sizeof(Deque));
    PyObject* sample = may_be ? new_sample(type) : nullptr;
    PyObject* list = sample != nullptr ? PySequence_List(sample) : nullptr;
    if (list != nullptr && shows(sample, list)) {
        deque_type = as_type;  // it lives as long as the interpreter
        Py_INCREF(type);
    }
    Py_XDECREF(list);
    Py_XDECREF(sample);
    Py_DECREF(type);
    return PyErr_Occurred() == nullptr;
}

DequeItems::DequeItems(const PyObject* op, Py_ssize_t number) {
    if (number < Py_SIZE(op) / 2) {
        block_ = deque(op)->left;
        at_ = deque(op)->first + number;
        for (; at_ >= kOfBlock; at_ -= kOfBlock) {
            block_ = block_->right;
        }
    } else {
        block_ = deque(op)->right;
        at_ = deque(op)->last - (Py_SIZE(op) - 1 - number);
        for (; at_ < 0; at_ += kOfBlock) {
            block_ = block_->left;
        }
    }
}

}  // namespace ouro::bridge
