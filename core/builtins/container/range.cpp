// range: an arithmetic progression of ints of any size.
#include "core/builtins/container/range.hpp"

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/slice.hpp"
#include "core/builtins/number/long.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/builtins/protocol/protocol.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using container::apply;
using container::range;

namespace {

int is_less(PyObject* x, PyObject* y) {
    return PyObject_RichCompareBool(x, y, Py_LT);
}

// How many ints there are from `start` on before `stop`.
object::Own count_of(PyObject* start, PyObject* stop, PyObject* step) {
    const bool backwards = number::sign_of(step) < 0;
    PyObject* low = backwards ? stop : start;
    PyObject* high = backwards ? start : stop;
    const int any = is_less(low, high);
    if (any <= 0) {
        return any < 0 ? object::Own() : object::Own(PyLong_FromLong(0));
    }
    const object::Own one(PyLong_FromLong(1));
    const object::Own distance = apply(PyNumber_Subtract, high, low);
    const object::Own stride(backwards ? PyNumber_Negative(step) : Py_NewRef(step));
    const object::Own steps =
        apply(PyNumber_FloorDivide, apply(PyNumber_Subtract, distance, one), stride);
    return apply(PyNumber_Add, steps, one);
}

// Of exact ints; each may be missing: then an exception is set already.
PyObject* new_range(object::Own start, object::Own stop, object::Own step) {
    if (!start || !stop || !step) {
        return nullptr;
    }
    object::Own length = count_of(start.get(), stop.get(), step.get());
    PyObject* op =
        length ? object::allocate_atom(&PyRange_Type, sizeof(container::RangeObject)) : nullptr;
    if (op != nullptr) {
        range(op)->start = start.release();
        range(op)->stop = stop.release();
        range(op)->step = step.release();
        range(op)->length = length.release();
    }
    return op;
}

// range(stop), range(start, stop[, step])
PyObject* range_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "range() takes no keyword arguments");
        return nullptr;
    }
    const Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (!call::check_count("range", given, 1, 3)) {
        return nullptr;
    }
    const auto argument = [args](Py_ssize_t i) {
        return object::Own(PyNumber_Index(PyTuple_GET_ITEM(args, i)));
    };
    if (given == 1) {
        object::Own stop = argument(0);
        return stop ? new_range(object::Own(PyLong_FromLong(0)), std::move(stop),
                                object::Own(PyLong_FromLong(1)))
                    : nullptr;
    }
    object::Own start = argument(0);
    object::Own stop = start ? argument(1) : object::Own();
    object::Own step = !stop        ? object::Own()
                       : given == 3 ? argument(2)
                                    : object::Own(PyLong_FromLong(1));
    if (step && number::sign_of(step.get()) == 0) {
        PyErr_SetString(PyExc_ValueError, "range() arg 3 must not be zero");
        return nullptr;
    }
    return new_range(std::move(start), std::move(stop), std::move(step));
}

void range_dealloc(PyObject* op) {
    Py_DECREF(range(op)->start);
    Py_DECREF(range(op)->stop);
    Py_DECREF(range(op)->step);
    Py_DECREF(range(op)->length);
    Py_TYPE(op)->tp_free(op);
}

bool is_one(PyObject* op) {
    return number::is_small(op) && number::small_value(op) == 1;
}

PyObject* range_repr(PyObject* op) {
    const container::RangeObject* self = range(op);
    return is_one(self->step)
               ? PyUnicode_FromFormat("range(%R, %R)", self->start, self->stop)
               : PyUnicode_FromFormat("range(%R, %R, %R)", self->start, self->stop, self->step);
}

// Two ranges are equal that give the same ints: what says that, for comparing and hashing. Borrowed.
struct Identity {
    PyObject *length, *start, *step;

    explicit Identity(PyObject* op)
        : length(range(op)->length),
          start(number::sign_of(length) == 0 ? Py_None : range(op)->start),
          step(number::sign_of(length) == 0 || is_one(length) ? Py_None : range(op)->step) {}
    object::Own tuple() const { return object::Own(PyTuple_Pack(3, length, start, step)); }
};

PyObject* range_compare(PyObject* a, PyObject* b, int operation) {
    if (!PyRange_Check(b) || (operation != Py_EQ && operation != Py_NE)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Identity x(a), y(b);
    int equal = 1;
    for (const auto& [left, right] :
         {std::pair{x.length, y.length}, std::pair{x.start, y.start}, std::pair{x.step, y.step}}) {
        equal = equal > 0 ? PyObject_RichCompareBool(left, right, Py_EQ) : equal;
    }
    return equal < 0 ? nullptr : PyBool_FromLong((equal != 0) == (operation == Py_EQ));
}

Py_hash_t range_hash(PyObject* op) {
    const object::Own tuple = Identity(op).tuple();
    return tuple ? PyObject_Hash(tuple.get()) : -1;
}

int range_bool(PyObject* op) {
    return number::sign_of(range(op)->length) != 0;
}

Py_ssize_t range_length(PyObject* op) {
    return PyLong_AsSsize_t(range(op)->length);
}

// start + index * step, wherever that is.
object::Own int_at(PyObject* op, PyObject* index) {
    const object::Own distance = apply(PyNumber_Multiply, index, range(op)->step);
    return apply(PyNumber_Add, range(op)->start, distance.get());
}

// A negative index counts from the end.
PyObject* item_at(PyObject* op, PyObject* index) {
    const object::Own place = index == nullptr ? object::Own()
                              : number::sign_of(index) < 0
                                  ? apply(PyNumber_Add, index, range(op)->length)
                                  : object::Own(Py_NewRef(index));
    if (!place) {
        return nullptr;
    }
    const int is_within =
        number::sign_of(place.get()) < 0 ? 0 : is_less(place.get(), range(op)->length);
    if (is_within > 0) {
        return int_at(op, place.get()).release();
    }
    if (is_within == 0) {
        PyErr_SetString(PyExc_IndexError, "range object index out of range");
    }
    return nullptr;
}

PyObject* range_item(PyObject* op, Py_ssize_t index) {
    return item_at(op, object::Own(PyLong_FromSsize_t(index)).get());
}

PyObject* range_subscript(PyObject* op, PyObject* key) {
    if (PyIndex_Check(key) != 0) {
        return item_at(op, object::Own(PyNumber_Index(key)).get());
    }
    if (!PySlice_Check(key)) {
        return PyErr_Format(PyExc_TypeError, "range indices must be integers or slices, not %.200s",
                            Py_TYPE(key)->tp_name);
    }
    const object::Own bounds(container::slice_indices(key, range(op)->length));
    if (!bounds) {
        return nullptr;
    }
    const auto bound = [&](Py_ssize_t i) { return PyTuple_GET_ITEM(bounds.get(), i); };
    object::Own step = apply(PyNumber_Multiply, range(op)->step, bound(2));
    object::Own start = step ? int_at(op, bound(0)) : object::Own();
    object::Own stop = start ? int_at(op, bound(1)) : object::Own();
    return new_range(std::move(start), std::move(stop), std::move(step));
}

bool is_plain_int(PyObject* op) {
    return PyLong_CheckExact(op) || PyBool_Check(op);
}

// 1, 0, or -1 with an exception.
int has_int(PyObject* op, PyObject* value) {
    const container::RangeObject* self = range(op);
    const bool backwards = number::sign_of(self->step) < 0;
    const int before = backwards ? is_less(self->start, value) : is_less(value, self->start);
    if (before != 0) {
        return before < 0 ? -1 : 0;
    }
    const int within = backwards ? is_less(self->stop, value) : is_less(value, self->stop);
    if (within <= 0) {
        return within;
    }
    const object::Own distance = apply(PyNumber_Subtract, value, self->start);
    const object::Own rest = apply(PyNumber_Remainder, distance.get(), self->step);
    return rest ? number::sign_of(rest.get()) == 0 : -1;
}

int range_contains(PyObject* op, PyObject* value) {
    return is_plain_int(value) ? has_int(op, value) : protocol::contains_by_iteration(op, value);
}

PyObject* range_count(PyObject* op, PyObject* value) {
    if (!is_plain_int(value)) {
        const Py_ssize_t count = PySequence_Count(op, value);
        return count < 0 ? nullptr : PyLong_FromSsize_t(count);
    }
    const int found = has_int(op, value);
    return found < 0 ? nullptr : PyLong_FromLong(found);
}

PyObject* range_index(PyObject* op, PyObject* value) {
    if (!is_plain_int(value)) {
        const Py_ssize_t index = PySequence_Index(op, value);
        return index < 0 ? nullptr : PyLong_FromSsize_t(index);
    }
    const int found = has_int(op, value);
    if (found == 0) {
        return PyErr_Format(PyExc_ValueError, "%R is not in range", value);
    }
    if (found < 0) {
        return nullptr;
    }
    const object::Own distance = apply(PyNumber_Subtract, value, range(op)->start);
    return apply(PyNumber_FloorDivide, distance.get(), range(op)->step).release();
}

PyNumberMethods as_number = {.nb_bool = range_bool};

PySequenceMethods as_sequence = {
    .sq_length = range_length,
    .sq_item = range_item,
    .sq_contains = range_contains,
};

PyMappingMethods as_mapping = {
    .mp_length = range_length,
    .mp_subscript = range_subscript,
};

PyMethodDef methods[] = {
    {"__reversed__", container::range_iterate_backwards, METH_NOARGS,
     PyDoc_STR("An iterator over the ints from the last to the first.")},
    {"count", range_count, METH_O, PyDoc_STR("How often a value is in the range.")},
    {"index", range_index, METH_O,
     PyDoc_STR("The place of a value; ValueError if it is not in the range.")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"start", Py_T_OBJECT_EX, offsetof(container::RangeObject, start), Py_READONLY, nullptr},
    {"stop", Py_T_OBJECT_EX, offsetof(container::RangeObject, stop), Py_READONLY, nullptr},
    {"step", Py_T_OBJECT_EX, offsetof(container::RangeObject, step), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyTypeObject PyRange_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "range",
    .tp_basicsize = sizeof(container::RangeObject),
    .tp_dealloc = range_dealloc,
    .tp_repr = range_repr,
    .tp_as_number = &as_number,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_hash = range_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_SEQUENCE,
    .tp_richcompare = range_compare,
    .tp_iter = container::range_iterate,
    .tp_methods = methods,
    .tp_members = members,
    .tp_new = range_new,
};
