// list: what changes or reads a part of it at once.
//
// Items move to other places in the array while others may be reading it, each in one store: a reader
// without a lock, or a traversal, finds at each place what was or will be there. What is taken out is
// dropped after the lock is let go, and its places then hold nullptr: a place beyond the size never keeps
// what may die.
#include "core/container/list.hpp"

#include <algorithm>
#include <array>

#include "core/container/sequence.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/mutator/world.hpp"

using namespace ouro;
using object::as_list;
using object::Range;

namespace {

// References, some of them perhaps nullptr, which it drops when it goes.
class References {
public:
    References() = default;
    ~References() {
        for (Py_ssize_t i = count_; --i >= 0;) {
            Py_XDECREF(items_[i]);
        }
        if (items_ != few_.data()) {
            PyMem_Free(items_);
        }
    }
    References(const References&) = delete;
    References& operator=(const References&) = delete;

    // Once, before any is added. False with MemoryError.
    bool make_room(Py_ssize_t count) {
        if (static_cast<size_t>(count) <= few_.size()) {
            return true;
        }
        auto* items = PyMem_New(PyObject*, static_cast<size_t>(count));
        if (items == nullptr) {
            PyErr_NoMemory();
            return false;
        }
        items_ = items;
        return true;
    }
    // Steals.
    void add(PyObject* op) { items_[count_++] = op; }
    // They are the caller's now.
    PyObject* const* release() {
        count_ = 0;
        return items_;
    }
    Py_ssize_t count() const { return count_; }

private:
    std::array<PyObject*, 8> few_;
    PyObject** items_ = few_.data();
    Py_ssize_t count_ = 0;
};

// References to the items of a list or a tuple from low up to high. False with MemoryError.
bool copy_items(PyObject* op, Py_ssize_t low, Py_ssize_t high, References* copy) {
    const mutator::Guard guard(op);
    const Range range(low, high, Py_SIZE(op));
    if (!copy->make_room(range.size())) {
        return false;
    }
    for (Py_ssize_t i = range.low; i < range.high; ++i) {
        copy->add(Py_XNewRef(PyList_Check(op) ? PyList_GET_ITEM(op, i) : PyTuple_GET_ITEM(op, i)));
    }
    return true;
}

void store(PyObject** place, PyObject* item) {
    OURO_STORE_FIELD(place, item);
}

// 0, or -1 with MemoryError and everything as it was.
int replace(PyObject* op, Py_ssize_t low, Py_ssize_t high, References& items) {
    PyListObject* self = as_list(op);
    References removed;
    const mutator::Guard guard(op);  // let go before those are dropped
    const Py_ssize_t size = Py_SIZE(op);
    const Range range(low, high, size);
    const Py_ssize_t added = items.count();
    const Py_ssize_t new_size = size - range.size() + added;
    if (!removed.make_room(range.size()) ||
        (new_size > size && !object::reserve(self, static_cast<size_t>(new_size)))) {
        return -1;
    }
    PyObject** first = self->ob_item;
    for (Py_ssize_t i = range.low; i < range.high; ++i) {
        removed.add(first[i]);
    }
    const Py_ssize_t shift = new_size - size;
    if (shift > 0) {
        for (Py_ssize_t i = size; --i >= range.high;) {
            store(&first[i + shift], first[i]);
        }
    } else if (shift < 0) {
        for (Py_ssize_t i = range.high; i < size; ++i) {
            store(&first[i + shift], first[i]);
        }
    }
    PyObject* const* source = items.release();
    for (Py_ssize_t i = 0; i < added; ++i) {
        store(&first[range.low + i], source[i]);
    }
    // release: a traversal that sees the size sees the items.
    __atomic_store_n(&self->ob_base.ob_size, new_size, __ATOMIC_RELEASE);
    for (Py_ssize_t i = new_size; i < size; ++i) {
        store(&first[i], nullptr);
    }
    return 0;
}

}  // namespace

int PyList_SetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high, PyObject* items) {
    if (!object::check_list(op)) {
        return -1;
    }
    References copy;
    if (items != nullptr) {
        if (!PyList_Check(items) && !PyTuple_Check(items)) {
            PyErr_SetString(PyExc_TypeError, "can only assign an iterable");
            return -1;
        }
        if (!copy_items(items, 0, PY_SSIZE_T_MAX, &copy)) {
            return -1;
        }
    }
    return replace(op, low, high, copy);
}

int PyList_Extend(PyObject* op, PyObject* iterable) {
    if (!object::check_list(op)) {
        return -1;
    }
    if (!PyList_Check(iterable) && !PyTuple_Check(iterable)) {
        PyErr_Format(PyExc_TypeError, "'%.200s' object is not iterable",
                     Py_TYPE(iterable)->tp_name);
        return -1;
    }
    return PyList_SetSlice(op, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, iterable);
}

int PyList_Insert(PyObject* op, Py_ssize_t index, PyObject* item) {
    if (!object::check_list(op)) {
        return -1;
    }
    if (item == nullptr) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (index < 0) {
        index += PyList_Size(op);
    }
    References one;
    one.add(Py_NewRef(item));
    return replace(op, index, index, one);
}

int PyList_Clear(PyObject* op) {
    if (!object::check_list(op)) {
        return -1;
    }
    if (!mutator::prepare_to_free_late()) {
        return PyList_SetSlice(op, 0, PY_SSIZE_T_MAX, nullptr);
    }
    PyListObject* self = as_list(op);
    PyObject** items;
    Py_ssize_t size;
    {
        const mutator::Guard guard(op);
        items = self->ob_item;
        size = Py_SIZE(op);
        // First the array: a size without items counts nothing.
        __atomic_store_n(&self->ob_item, nullptr, __ATOMIC_RELEASE);
        Py_SET_SIZE(op, 0);
    }
    for (Py_ssize_t i = size; --i >= 0;) {
        Py_XDECREF(items[i]);
    }
    if (items != nullptr) {
        mutator::free_late(items);
    }
    return 0;
}

int PyList_Reverse(PyObject* op) {
    if (!object::check_list(op)) {
        return -1;
    }
    const mutator::Guard guard(op);
    PyObject** first = as_list(op)->ob_item;
    for (Py_ssize_t i = 0, j = Py_SIZE(op) - 1; i < j; ++i, --j) {
        PyObject* item = first[i];
        store(&first[i], first[j]);
        store(&first[j], item);
    }
    return 0;
}

PyObject* PyList_GetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high) {
    References copy;
    if (!object::check_list(op) || !copy_items(op, low, high, &copy)) {
        return nullptr;
    }
    const Py_ssize_t size = copy.count();
    PyObject* slice = PyList_New(size);
    if (slice != nullptr) {
        PyObject* const* items = copy.release();
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyList_SET_ITEM(slice, i, items[i]);
        }
    }
    return slice;
}

PyObject* PyList_AsTuple(PyObject* op) {
    References copy;
    if (!object::check_list(op) || !copy_items(op, 0, PY_SSIZE_T_MAX, &copy)) {
        return nullptr;
    }
    const Py_ssize_t size = copy.count();
    PyObject* tuple = PyTuple_New(size);
    if (tuple != nullptr) {
        PyObject* const* items = copy.release();
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyTuple_SET_ITEM(tuple, i, items[i]);
        }
    }
    return tuple;
}
