// list: its constructor, its methods and its iterators.
#include <algorithm>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/list.hpp"
#include "core/builtins/container/references.hpp"
#include "core/builtins/container/sequence.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/builtins/protocol/position.hpp"
#include "core/mutator/critical_section.hpp"

using namespace ouro;
using container::as_list;
using container::store;

namespace {

PyObject* none_or_error(int result) {
    return result < 0 ? nullptr : Py_NewRef(Py_None);
}

PyObject* list_append(PyObject* op, PyObject* item) {
    return none_or_error(PyList_Append(op, item));
}

PyObject* list_clear(PyObject* op, PyObject*) {
    return none_or_error(PyList_Clear(op));
}

PyObject* list_copy(PyObject* op, PyObject*) {
    return PyList_GetSlice(op, 0, PY_SSIZE_T_MAX);
}

PyObject* list_extend(PyObject* op, PyObject* iterable) {
    return none_or_error(PyList_Extend(op, iterable));
}

PyObject* list_reverse(PyObject* op, PyObject*) {
    return none_or_error(PyList_Reverse(op));
}

PyObject* list_insert(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t index;
    if (!call::check_count("insert", nargs, 2, 2) || !call::take_ssize(args[0], &index)) {
        return nullptr;
    }
    return none_or_error(PyList_Insert(op, index, args[1]));
}

// The item at an index of a locked list, which is taken out.
PyObject* remove_at(PyObject* op, Py_ssize_t index) {
    PyObject** first = as_list(op)->ob_item;
    const Py_ssize_t size = Py_SIZE(op);
    PyObject* item = first[index];
    for (Py_ssize_t i = index + 1; i < size; ++i) {
        store(&first[i - 1], first[i]);
    }
    Py_SET_SIZE(op, size - 1);
    store(&first[size - 1], nullptr);
    return item;
}

// The item at an index, which is taken out; nullptr, without an exception, if there is none. *size is how many
// there were.
PyObject* take_out(PyObject* op, Py_ssize_t index, Py_ssize_t* size) {
    const mutator::Guard guard(op);
    *size = Py_SIZE(op);
    index = index < 0 ? index + *size : index;
    return index < 0 || index >= *size ? nullptr : remove_at(op, index);
}

// An item of a locked list that was at an index, which is taken out, wherever it is by now; none if it is gone.
object::Own take_item(PyObject* op, Py_ssize_t index, PyObject* item) {
    PyObject** first = as_list(op)->ob_item;
    const Py_ssize_t size = Py_SIZE(op);
    if (index >= size || first[index] != item) {
        index = std::find(first, first + size, item) - first;
    }
    return index == size ? object::Own() : object::Own(remove_at(op, index));
}

PyObject* list_pop(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t index = -1;
    if (!call::check_count("pop", nargs, 0, 1) ||
        (nargs > 0 && !call::take_ssize(args[0], &index))) {
        return nullptr;
    }
    Py_ssize_t size;
    PyObject* item = take_out(op, index, &size);
    if (item == nullptr) {
        PyErr_SetString(PyExc_IndexError,
                        size == 0 ? "pop from empty list" : "pop index out of range");
    }
    return item;
}

// Where the first item is, from `start` up to `stop`, that equals the value: -1 if nowhere, -2 with an
// exception. Comparing may change the list. *found becomes the item.
Py_ssize_t find_equal(PyObject* op, PyObject* value, Py_ssize_t start, Py_ssize_t stop,
                      object::Own* found = nullptr) {
    for (Py_ssize_t i = start; i < stop; ++i) {
        object::Own item(container::list_item_at(op, i));
        if (!item) {
            break;
        }
        const int equal = PyObject_RichCompareBool(item.get(), value, Py_EQ);
        if (equal != 0) {
            if (found != nullptr) {
                *found = std::move(item);
            }
            return equal < 0 ? -2 : i;
        }
    }
    return -1;
}

PyObject* list_remove(PyObject* op, PyObject* value) {
    object::Own found, removed;      // dropped when the lock is let go
    const mutator::Guard guard(op);  // which a comparison may do, for a while
    while (!removed) {
        const Py_ssize_t index = find_equal(op, value, 0, PY_SSIZE_T_MAX, &found);
        if (index == -1) {
            PyErr_SetString(PyExc_ValueError, "list.remove(x): x not in list");
        }
        if (index < 0) {
            return nullptr;
        }
        removed = take_item(op, index, found.get());
    }
    return Py_NewRef(Py_None);
}

PyObject* list_index(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t start, stop;
    if (!container::take_search(args, nargs, PyList_Size(op), &start, &stop)) {
        return nullptr;
    }
    const Py_ssize_t index = find_equal(op, args[0], start, stop);
    if (index == -1) {
        return PyErr_Format(PyExc_ValueError, "%R is not in list", args[0]);
    }
    return index < 0 ? nullptr : PyLong_FromSsize_t(index);
}

PyObject* list_count(PyObject* op, PyObject* value) {
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0;; ++i, ++count) {
        i = find_equal(op, value, i, PY_SSIZE_T_MAX);
        if (i < 0) {
            return i == -1 ? PyLong_FromSsize_t(count) : nullptr;
        }
    }
}

PyObject* list_iterator_next(PyObject* op) {
    return protocol::step(op, 1, container::list_item_at);
}

PyObject* list_reverse_iterator_next(PyObject* op) {
    return protocol::step(op, -1, container::list_item_at);
}

PyObject* list_iterator_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    const Py_ssize_t size = place.over ? PyList_Size(place.over.get()) : 0;
    return PyLong_FromSsize_t(std::max(size - place.index, Py_ssize_t{0}));
}

PyObject* list_reverse_iterator_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    const Py_ssize_t left = place.index + 1;
    const bool has_more = place.over && left <= PyList_Size(place.over.get());
    return PyLong_FromSsize_t(has_more ? left : 0);
}

constexpr const char* kHintDoc = PyDoc_STR("How many items are left, by an estimate.");

PyMethodDef list_iterator_methods[] = {
    {"__length_hint__", list_iterator_hint, METH_NOARGS, kHintDoc},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef list_reverse_iterator_methods[] = {
    {"__length_hint__", list_reverse_iterator_hint, METH_NOARGS, kHintDoc},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int container::list_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    // A derived class with a tp_new of its own may take keywords there.
    PyTypeObject* type = Py_TYPE(op);
    const bool is_plain = type == &PyList_Type || type->tp_new == PyList_Type.tp_new;
    PyObject* iterable;
    if (!number::take_one_argument("list", args, is_plain ? kwargs : nullptr, &iterable) ||
        PyList_Clear(op) < 0) {
        return -1;
    }
    return iterable == nullptr ? 0 : PyList_Extend(op, iterable);
}

PyObject* container::list_iterate(PyObject* op) {
    return protocol::new_position(&PyListIter_Type, op, 0);
}

PyObject* container::list_iterate_backwards(PyObject* op, PyObject*) {
    return protocol::new_position(&PyListRevIter_Type, op, PyList_Size(op) - 1);
}

PyMethodDef container::list_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")},
    {"__reversed__", list_iterate_backwards, METH_NOARGS,
     PyDoc_STR("An iterator over the items from the last to the first.")},
    {"append", list_append, METH_O, PyDoc_STR("Adds an object at the end.")},
    {"clear", list_clear, METH_NOARGS, PyDoc_STR("Removes all items.")},
    {"copy", list_copy, METH_NOARGS, PyDoc_STR("A new list of the same items.")},
    {"count", list_count, METH_O, PyDoc_STR("How many items equal a value.")},
    {"extend", list_extend, METH_O, PyDoc_STR("Adds what an iterable gives at the end.")},
    {"index", _PyCFunction_CAST(list_index), METH_FASTCALL,
     PyDoc_STR("The place of the first item that equals a value; ValueError if there is none.")},
    {"insert", _PyCFunction_CAST(list_insert), METH_FASTCALL,
     PyDoc_STR("Puts an object before the item at an index.")},
    {"pop", _PyCFunction_CAST(list_pop), METH_FASTCALL,
     PyDoc_STR("Removes and returns the item at an index, the last one if none is given.")},
    {"remove", list_remove, METH_O,
     PyDoc_STR("Removes the first item that equals a value; ValueError if there is none.")},
    {"reverse", list_reverse, METH_NOARGS, PyDoc_STR("Reverses the order of the items.")},
    {"sort", _PyCFunction_CAST(list_sort), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("Sorts the items: by what `key` makes of each if that is given, and in descending "
               "order if `reverse` is true.")},
    {nullptr, nullptr, 0, nullptr},
};

constinit PyTypeObject PyListIter_Type =
    protocol::position_type("list_iterator", list_iterator_next, list_iterator_methods);
constinit PyTypeObject PyListRevIter_Type = protocol::position_type(
    "list_reverseiterator", list_reverse_iterator_next, list_reverse_iterator_methods);
