// tuple: its constructor, items and slices, methods and iterator.
#include <algorithm>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/references.hpp"
#include "core/builtins/container/sequence.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/builtins/container/tuple.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/builtins/protocol/position.hpp"

using namespace ouro;

namespace {

Py_ssize_t tuple_length(PyObject* op) {
    return Py_SIZE(op);
}

// New reference; nullptr, without an exception, if there is none.
PyObject* item_at(PyObject* op, Py_ssize_t index) {
    return index >= 0 && index < Py_SIZE(op) ? Py_XNewRef(PyTuple_GET_ITEM(op, index)) : nullptr;
}

PyObject* tuple_item(PyObject* op, Py_ssize_t index) {
    PyObject* item = item_at(op, index);
    if (item == nullptr) {
        PyErr_SetString(PyExc_IndexError, "tuple index out of range");
    }
    return item;
}

PyObject* tuple_subscript(PyObject* op, PyObject* key) {
    return container::subscript(
        key, "tuple indices must be integers or slices, not %.200s", [op] { return Py_SIZE(op); },
        [op](Py_ssize_t index) { return tuple_item(op, index); },
        [op](container::Stride stride) -> PyObject* {
            container::adjust(&stride, Py_SIZE(op));
            if (stride.step == 1) {
                return PyTuple_GetSlice(op, stride.start, stride.stop);
            }
            PyObject* slice = PyTuple_New(stride.count);
            for (Py_ssize_t i = 0; slice != nullptr && i < stride.count; ++i) {
                PyTuple_SET_ITEM(slice, i, item_at(op, stride.start + i * stride.step));
            }
            return slice;
        });
}

int tuple_contains(PyObject* op, PyObject* value) {
    int equal = 0;
    for (Py_ssize_t i = 0; equal == 0 && i < Py_SIZE(op); ++i) {
        equal = PyObject_RichCompareBool(PyTuple_GET_ITEM(op, i), value, Py_EQ);
    }
    return equal;
}

PyObject* tuple_concat(PyObject* a, PyObject* b) {
    if (Py_SIZE(a) == 0 && PyTuple_CheckExact(b)) {
        return Py_NewRef(b);
    }
    if (!PyTuple_Check(b)) {
        return PyErr_Format(PyExc_TypeError, "can only concatenate tuple (not \"%.200s\") to tuple",
                            Py_TYPE(b)->tp_name);
    }
    if (Py_SIZE(b) == 0 && PyTuple_CheckExact(a)) {
        return Py_NewRef(a);
    }
    PyObject* tuple = PyTuple_New(Py_SIZE(a) + Py_SIZE(b));
    Py_ssize_t place = 0;
    for (PyObject* part : {a, b}) {
        for (Py_ssize_t i = 0; tuple != nullptr && i < Py_SIZE(part); ++i) {
            PyTuple_SET_ITEM(tuple, place++, item_at(part, i));
        }
    }
    return tuple;
}

PyObject* tuple_repeat(PyObject* op, Py_ssize_t times) {
    const Py_ssize_t once = Py_SIZE(op);
    if ((once == 0 || times == 1) && PyTuple_CheckExact(op)) {
        return Py_NewRef(op);
    }
    Py_ssize_t size;
    if (__builtin_mul_overflow(once, std::max(times, Py_ssize_t{0}), &size)) {
        return PyErr_NoMemory();
    }
    PyObject* tuple = PyTuple_New(size);
    for (Py_ssize_t i = 0; tuple != nullptr && i < size; ++i) {
        PyTuple_SET_ITEM(tuple, i, item_at(op, i % once));
    }
    return tuple;
}

PyObject* tuple_index(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t start, stop;
    if (!container::take_search(args, nargs, Py_SIZE(op), &start, &stop)) {
        return nullptr;
    }
    for (Py_ssize_t i = start; i < std::min(stop, Py_SIZE(op)); ++i) {
        const int equal = PyObject_RichCompareBool(PyTuple_GET_ITEM(op, i), args[0], Py_EQ);
        if (equal != 0) {
            return equal < 0 ? nullptr : PyLong_FromSsize_t(i);
        }
    }
    PyErr_SetString(PyExc_ValueError, "tuple.index(x): x not in tuple");
    return nullptr;
}

PyObject* tuple_count(PyObject* op, PyObject* value) {
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        const int equal = PyObject_RichCompareBool(PyTuple_GET_ITEM(op, i), value, Py_EQ);
        if (equal < 0) {
            return nullptr;
        }
        count += equal;
    }
    return PyLong_FromSsize_t(count);
}

PyObject* tuple_getnewargs(PyObject* op, PyObject*) {
    const object::Own copy(PyTuple_GetSlice(op, 0, Py_SIZE(op)));
    return copy ? PyTuple_Pack(1, copy.get()) : nullptr;
}

PyObject* tuple_iterator_next(PyObject* op) {
    return protocol::step(op, 1, item_at);
}

PyObject* tuple_iterator_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    return PyLong_FromSsize_t(place.over ? Py_SIZE(place.over.get()) - place.index : 0);
}

PyMethodDef tuple_iterator_methods[] = {
    {"__length_hint__", tuple_iterator_hint, METH_NOARGS,
     PyDoc_STR("How many items are left, by an estimate.")},
    {nullptr, nullptr, 0, nullptr},
};

// An object of a derived type with the items of `made`.
PyObject* as_subtype(PyTypeObject* type, PyObject* made) {
    PyObject* op = type->tp_alloc(type, Py_SIZE(made));
    for (Py_ssize_t i = 0; op != nullptr && i < Py_SIZE(made); ++i) {
        PyTuple_SET_ITEM(op, i, item_at(made, i));
    }
    return op;
}

}  // namespace

PyObject* container::tuple_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    // A derived class with a tp_init of its own may take keywords there.
    const bool is_plain = type == &PyTuple_Type || type->tp_init == PyTuple_Type.tp_init;
    PyObject* iterable;
    if (!number::take_one_argument("tuple", args, is_plain ? kwargs : nullptr, &iterable)) {
        return nullptr;
    }
    object::Own made(iterable == nullptr ? PyTuple_New(0) : PySequence_Tuple(iterable));
    if (!made || type == &PyTuple_Type) {
        return made.release();
    }
    return as_subtype(type, made.get());
}

PyObject* container::tuple_iterate(PyObject* op) {
    return protocol::new_position(&PyTupleIter_Type, op, 0);
}

PySequenceMethods container::tuple_as_sequence = {
    .sq_length = tuple_length,
    .sq_concat = tuple_concat,
    .sq_repeat = tuple_repeat,
    .sq_item = tuple_item,
    .sq_contains = tuple_contains,
};

PyMappingMethods container::tuple_as_mapping = {
    .mp_length = tuple_length,
    .mp_subscript = tuple_subscript,
};

PyMethodDef container::tuple_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")},
    {"__getnewargs__", tuple_getnewargs, METH_NOARGS, nullptr},
    {"count", tuple_count, METH_O, PyDoc_STR("How many items equal a value.")},
    {"index", _PyCFunction_CAST(tuple_index), METH_FASTCALL,
     PyDoc_STR("The place of the first item that equals a value; ValueError if there is none.")},
    {nullptr, nullptr, 0, nullptr},
};

constinit PyTypeObject PyTupleIter_Type =
    protocol::position_type("tuple_iterator", tuple_iterator_next, tuple_iterator_methods);
