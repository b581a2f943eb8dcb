// list: what changes or reads a part of it at once.
//
// Items move to other places in the array while others may be reading it, each in one store: a reader
// without a lock, or a traversal, finds at each place what was or will be there. What is taken out is
// dropped after the lock is let go, and its places then hold nullptr: a place beyond the size never keeps
// what may die.
#include "core/builtins/container/list.hpp"

#include "core/builtins/container/references.hpp"
#include "core/builtins/container/sequence.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/mutator/world.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using container::as_list;
using container::References;
using container::store;

namespace {

// For so many more items, if there can be so many. False with MemoryError.
bool make_room(PyObject* op, Py_ssize_t more) {
    const mutator::Guard guard(op);
    Py_ssize_t wanted;
    return __builtin_add_overflow(Py_SIZE(op), more, &wanted) ||
           container::reserve(as_list(op), static_cast<size_t>(wanted));
}

}  // namespace

int container::replace(PyObject* op, Py_ssize_t low, Py_ssize_t high, References& items) {
    PyListObject* self = as_list(op);
    References removed;
    const mutator::Guard guard(op);  // let go before those are dropped
    const Py_ssize_t size = Py_SIZE(op);
    const Range range(low, high, size);
    const Py_ssize_t added = items.count();
    const Py_ssize_t new_size = size - range.size() + added;
    if (!removed.make_room(range.size()) ||
        (new_size > size && !container::reserve(self, static_cast<size_t>(new_size)))) {
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

int PyList_SetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high, PyObject* items) {
    if (!container::check_list(op)) {
        return -1;
    }
    References copy;
    if (items != nullptr) {
        const object::Own fast(PySequence_Fast(items, "can only assign an iterable"));
        if (!fast || !copy.copy(fast.get(), 0, PY_SSIZE_T_MAX)) {
            return -1;
        }
    }
    return container::replace(op, low, high, copy);
}

int PyList_Extend(PyObject* op, PyObject* iterable) {
    if (!container::check_list(op)) {
        return -1;
    }
    if (PyList_CheckExact(iterable) || PyTuple_CheckExact(iterable) || iterable == op) {
        return PyList_SetSlice(op, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, iterable);
    }
    const object::Own iterator(PyObject_GetIter(iterable));
    const Py_ssize_t hint = iterator ? PyObject_LengthHint(iterable, 8) : -1;
    if (hint < 0 || !make_room(op, hint)) {
        return -1;
    }
    for (;;) {
        const object::Own item(PyIter_Next(iterator.get()));
        if (!item) {
            return PyErr_Occurred() == nullptr ? 0 : -1;
        }
        if (PyList_Append(op, item.get()) < 0) {
            return -1;
        }
    }
}

int PyList_Insert(PyObject* op, Py_ssize_t index, PyObject* item) {
    if (!container::check_list(op)) {
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
    return container::replace(op, index, index, one);
}

int PyList_Clear(PyObject* op) {
    if (!container::check_list(op)) {
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
    if (!container::check_list(op)) {
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
    return container::check_list(op) && copy.copy(op, low, high) ? copy.to_list() : nullptr;
}

PyObject* PyList_AsTuple(PyObject* op) {
    References copy;
    return container::check_list(op) && copy.copy(op, 0, PY_SSIZE_T_MAX) ? copy.to_tuple()
                                                                         : nullptr;
}
