// list: items by number, slices, and what makes longer lists.
#include "core/builtins/container/list.hpp"
#include "core/builtins/container/references.hpp"
#include "core/builtins/container/sequence.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using container::as_list;
using container::References;
using container::store;
using container::Stride;

namespace {

PyObject* list_item(PyObject* op, Py_ssize_t index) {
    PyObject* item = container::list_item_at(op, index);
    if (item == nullptr) {
        PyErr_SetString(PyExc_IndexError, "list index out of range");
    }
    return item;
}

constexpr const char* kNoIndex = "list indices must be integers or slices, not %.200s";

PyObject* list_subscript(PyObject* op, PyObject* key) {
    return container::subscript(
        key, kNoIndex, [op] { return PyList_Size(op); },
        [op](Py_ssize_t index) { return list_item(op, index); },
        [op](Stride stride) -> PyObject* {
            References items;
            return items.copy_stride(op, stride) ? items.to_list() : nullptr;
        });
}

int delete_item(PyObject* op, Py_ssize_t index) {
    if (index < 0 || index >= PyList_Size(op)) {
        PyErr_SetString(PyExc_IndexError, "list assignment index out of range");
        return -1;
    }
    return PyList_SetSlice(op, index, index + 1, nullptr);
}

int list_assign_item(PyObject* op, Py_ssize_t index, PyObject* item) {
    return item == nullptr ? delete_item(op, index) : PyList_SetItem(op, index, Py_NewRef(item));
}

// The same items, from the first to the last.
void make_ascending(Stride* stride) {
    if (stride->step < 0) {
        stride->start += stride->step * (stride->count - 1);
        stride->step = -stride->step;
    }
}

int delete_stride(PyObject* op, Stride stride) {
    References removed;
    const mutator::Guard guard(op);  // let go before those are dropped
    const Py_ssize_t size = Py_SIZE(op);
    container::adjust(&stride, size);
    if (stride.count == 0) {
        return 0;
    }
    make_ascending(&stride);
    if (!removed.make_room(stride.count)) {
        return -1;
    }
    PyObject** first = as_list(op)->ob_item;
    Py_ssize_t to = stride.start;
    for (Py_ssize_t from = stride.start; from < size; ++from) {
        if (removed.count() < stride.count && (from - stride.start) % stride.step == 0) {
            removed.add(first[from]);
        } else {
            store(&first[to++], first[from]);
        }
    }
    Py_SET_SIZE(op, to);
    for (; to < size; ++to) {
        store(&first[to], nullptr);
    }
    return 0;
}

int assign_stride(PyObject* op, Stride stride, PyObject* value) {
    const object::Own fast(PySequence_Fast(value, "must assign iterable to extended slice"));
    References items, removed;
    if (!fast || !items.copy(fast.get(), 0, PY_SSIZE_T_MAX)) {
        return -1;
    }
    const Py_ssize_t given = items.count();
    {
        const mutator::Guard guard(op);
        container::adjust(&stride, Py_SIZE(op));
        if (given == stride.count) {
            if (!removed.make_room(given)) {
                return -1;
            }
            PyObject** first = as_list(op)->ob_item;
            PyObject* const* source = items.release();
            for (Py_ssize_t i = 0; i < given; ++i) {
                PyObject** place = &first[stride.start + i * stride.step];
                removed.add(*place);
                store(place, source[i]);
            }
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError,
                 "attempt to assign sequence of size %zd to extended slice of size %zd", given,
                 stride.count);
    return -1;
}

// A slice without gaps may become longer or shorter.
int assign_slice(PyObject* op, Stride stride, PyObject* value) {
    References items;
    if (value != nullptr) {
        const object::Own fast(PySequence_Fast(value, "can only assign an iterable"));
        if (!fast || !items.copy(fast.get(), 0, PY_SSIZE_T_MAX)) {
            return -1;
        }
    }
    container::adjust(&stride, PyList_Size(op));
    return container::replace(op, stride.start, stride.stop, items);
}

int list_assign_subscript(PyObject* op, PyObject* key, PyObject* value) {
    if (PyIndex_Check(key) != 0) {
        const Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (index == -1 && PyErr_Occurred() != nullptr) {
            return -1;
        }
        return list_assign_item(op, index < 0 ? index + PyList_Size(op) : index, value);
    }
    if (!PySlice_Check(key)) {
        PyErr_Format(PyExc_TypeError, kNoIndex, Py_TYPE(key)->tp_name);
        return -1;
    }
    Stride stride;
    if (!container::unpack_slice(key, &stride)) {
        return -1;
    }
    if (stride.step == 1) {
        return assign_slice(op, stride, value);
    }
    return value == nullptr ? delete_stride(op, stride) : assign_stride(op, stride, value);
}

int list_contains(PyObject* op, PyObject* value) {
    for (Py_ssize_t i = 0;; ++i) {
        const object::Own item(container::list_item_at(op, i));
        const int equal = item ? PyObject_RichCompareBool(item.get(), value, Py_EQ) : 0;
        if (!item || equal != 0) {
            return equal;
        }
    }
}

PyObject* list_concat(PyObject* a, PyObject* b) {
    if (!PyList_Check(b)) {
        return PyErr_Format(PyExc_TypeError, "can only concatenate list (not \"%.200s\") to list",
                            Py_TYPE(b)->tp_name);
    }
    object::Own list(PyList_GetSlice(a, 0, PY_SSIZE_T_MAX));
    References more;
    if (!list || !more.copy(b, 0, PY_SSIZE_T_MAX)) {
        return nullptr;
    }
    const int error = container::replace(list.get(), PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, more);
    return error == 0 ? list.release() : nullptr;
}

PyObject* list_repeat(PyObject* op, Py_ssize_t times) {
    References items;
    if (times > 0 && !items.copy(op, 0, PY_SSIZE_T_MAX)) {
        return nullptr;
    }
    Py_ssize_t size;
    if (__builtin_mul_overflow(items.count(), times, &size)) {
        return PyErr_NoMemory();
    }
    PyObject* list = PyList_New(std::max(size, Py_ssize_t{0}));
    for (Py_ssize_t i = 0; list != nullptr && i < size;) {
        for (Py_ssize_t k = 0; k < items.count(); ++k, ++i) {
            PyList_SET_ITEM(list, i, Py_XNewRef(items.items()[k]));
        }
    }
    return list;
}

PyObject* list_concat_in_place(PyObject* op, PyObject* iterable) {
    return PyList_Extend(op, iterable) < 0 ? nullptr : Py_NewRef(op);
}

PyObject* list_repeat_in_place(PyObject* op, Py_ssize_t times) {
    if (times < 1) {
        return PyList_Clear(op) < 0 ? nullptr : Py_NewRef(op);
    }
    const object::Own more(list_repeat(op, times - 1));
    return more ? list_concat_in_place(op, more.get()) : nullptr;
}

}  // namespace

PySequenceMethods container::list_as_sequence = {
    .sq_length = PyList_Size,
    .sq_concat = list_concat,
    .sq_repeat = list_repeat,
    .sq_item = list_item,
    .sq_ass_item = list_assign_item,
    .sq_contains = list_contains,
    .sq_inplace_concat = list_concat_in_place,
    .sq_inplace_repeat = list_repeat_in_place,
};

PyMappingMethods container::list_as_mapping = {
    .mp_length = PyList_Size,
    .mp_subscript = list_subscript,
    .mp_ass_subscript = list_assign_subscript,
};
