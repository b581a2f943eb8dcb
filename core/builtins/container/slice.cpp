// slice: three objects, and what they mean to a sequence.
#include "core/builtins/container/slice.hpp"

#include <algorithm>

#include "core/builtins/container/sequence.hpp"
#include "core/builtins/number/long.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

PySliceObject* slice(PyObject* op) {
    return reinterpret_cast<PySliceObject*>(op);
}

void slice_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_DECREF(slice(op)->start);
    Py_DECREF(slice(op)->stop);
    Py_DECREF(slice(op)->step);
    Py_TYPE(op)->tp_free(op);
}

int slice_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(slice(op)->start);
    Py_VISIT(slice(op)->stop);
    Py_VISIT(slice(op)->step);
    return 0;
}

PyObject* slice_repr(PyObject* op) {
    return PyUnicode_FromFormat("slice(%R, %R, %R)", slice(op)->start, slice(op)->stop,
                                slice(op)->step);
}

Py_hash_t slice_hash(PyObject* op) {
    container::HashOfItems hash;
    for (PyObject* item : {slice(op)->start, slice(op)->stop, slice(op)->step}) {
        if (!hash.add(item)) {
            return -1;
        }
    }
    return hash.result();
}

// As the tuples of their parts compare.
PyObject* slice_compare(PyObject* a, PyObject* b, int operation) {
    if (!PySlice_Check(a) || !PySlice_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (a == b) {
        return PyBool_FromLong(operation == Py_EQ || operation == Py_LE || operation == Py_GE);
    }
    const auto parts = [](PyObject* op) {
        return object::Own(PyTuple_Pack(3, slice(op)->start, slice(op)->stop, slice(op)->step));
    };
    const object::Own left = parts(a);
    const object::Own right(left ? parts(b) : object::Own());
    return right ? PyObject_RichCompare(left.get(), right.get(), operation) : nullptr;
}

// slice(stop), slice(start, stop[, step])
PyObject* slice_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "slice() takes no keyword arguments");
        return nullptr;
    }
    PyObject* start = nullptr;
    PyObject* stop = nullptr;
    PyObject* step = nullptr;
    if (PyArg_UnpackTuple(args, "slice", 1, 3, &start, &stop, &step) == 0) {
        return nullptr;
    }
    return stop == nullptr ? PySlice_New(nullptr, start, nullptr) : PySlice_New(start, stop, step);
}

constexpr const char* kNoBound =
    "slice indices must be integers or None or have an __index__ method";

// A part of a slice as an int of any size (new reference), or nullptr with TypeError.
object::Own whole(PyObject* part) {
    if (PyIndex_Check(part) == 0) {
        PyErr_SetString(PyExc_TypeError, kNoBound);
        return object::Own();
    }
    return object::Own(PyNumber_Index(part));
}

// A bound of a slice within [lowest, highest], of a sequence of that length, all ints of any size.
object::Own bound_within(PyObject* part, PyObject* length, PyObject* lowest, PyObject* highest) {
    object::Own bound = whole(part);
    if (bound && number::sign_of(bound.get()) < 0) {
        bound = object::Own(PyNumber_Add(bound.get(), length));
    }
    if (!bound) {
        return bound;
    }
    for (const auto& [limit, beyond] : {std::pair{lowest, Py_LT}, std::pair{highest, Py_GT}}) {
        const int is_beyond = PyObject_RichCompareBool(bound.get(), limit, beyond);
        if (is_beyond != 0) {
            return is_beyond < 0 ? object::Own() : object::Own(Py_NewRef(limit));
        }
    }
    return bound;
}

// slice.indices(length)
PyObject* indices_method(PyObject* op, PyObject* argument) {
    const object::Own length(PyNumber_Index(argument));
    if (length && number::sign_of(length.get()) < 0) {
        PyErr_SetString(PyExc_ValueError, "length should not be negative");
        return nullptr;
    }
    return length ? container::slice_indices(op, length.get()) : nullptr;
}

PyMethodDef slice_methods[] = {
    {"indices", indices_method, METH_O,
     PyDoc_STR("S.indices(length): the start, stop and step of the slice in a sequence so long.")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef slice_members[] = {
    {"start", _Py_T_OBJECT, offsetof(PySliceObject, start), Py_READONLY, nullptr},
    {"stop", _Py_T_OBJECT, offsetof(PySliceObject, stop), Py_READONLY, nullptr},
    {"step", _Py_T_OBJECT, offsetof(PySliceObject, step), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyObject* container::slice_indices(PyObject* op, PyObject* length) {
    const object::Own step =
        slice(op)->step == Py_None ? object::Own(PyLong_FromLong(1)) : whole(slice(op)->step);
    if (!step) {
        return nullptr;
    }
    const int direction = number::sign_of(step.get());
    if (direction == 0) {
        PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
        return nullptr;
    }
    // Backwards the places are one less: before the first one, and the last one.
    const bool backwards = direction < 0;
    const object::Own lowest(PyLong_FromLong(backwards ? -1 : 0));
    const object::Own highest(lowest ? PyNumber_Add(length, lowest.get()) : nullptr);
    if (!highest) {
        return nullptr;
    }
    const auto bound = [&](PyObject* part, PyObject* missing) {
        return part == Py_None ? object::Own(Py_NewRef(missing))
                               : bound_within(part, length, lowest.get(), highest.get());
    };
    const object::Own start = bound(slice(op)->start, (backwards ? highest : lowest).get());
    if (!start) {
        return nullptr;
    }
    const object::Own stop = bound(slice(op)->stop, (backwards ? lowest : highest).get());
    return stop ? PyTuple_Pack(3, start.get(), stop.get(), step.get()) : nullptr;
}

bool container::slice_bound(PyObject* op, Py_ssize_t* bound) {
    if (op == Py_None) {
        return true;
    }
    if (PyIndex_Check(op) == 0) {
        PyErr_SetString(PyExc_TypeError, kNoBound);
        return false;
    }
    const Py_ssize_t value = PyNumber_AsSsize_t(op, nullptr);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        return false;
    }
    *bound = value;
    return true;
}

bool container::unpack_slice(PyObject* op, Stride* stride) {
    return PySlice_Unpack(op, &stride->start, &stride->stop, &stride->step) == 0;
}

void container::adjust(Stride* stride, Py_ssize_t length) {
    stride->count = PySlice_AdjustIndices(length, &stride->start, &stride->stop, stride->step);
}

PyTypeObject PySlice_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "slice",
    .tp_basicsize = sizeof(PySliceObject),
    .tp_dealloc = slice_dealloc,
    .tp_repr = slice_repr,
    .tp_hash = slice_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = slice_traverse,
    .tp_richcompare = slice_compare,
    .tp_methods = slice_methods,
    .tp_members = slice_members,
    .tp_new = slice_new,
};

PyObject* PySlice_New(PyObject* start, PyObject* stop, PyObject* step) {
    PyObject* op = _PyObject_GC_New(&PySlice_Type);
    if (op == nullptr) {
        return nullptr;
    }
    slice(op)->start = Py_NewRef(start == nullptr ? Py_None : start);
    slice(op)->stop = Py_NewRef(stop == nullptr ? Py_None : stop);
    slice(op)->step = Py_NewRef(step == nullptr ? Py_None : step);
    object::track_new(op);
    return op;
}

int PySlice_Unpack(PyObject* op, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) {
    *step = 1;
    if (!container::slice_bound(slice(op)->step, step)) {
        return -1;
    }
    if (*step == 0) {
        PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
        return -1;
    }
    *step = std::max(*step, -PY_SSIZE_T_MAX);  // so that -*step is a Py_ssize_t
    *start = *step < 0 ? PY_SSIZE_T_MAX : 0;
    *stop = *step < 0 ? PY_SSIZE_T_MIN : PY_SSIZE_T_MAX;
    return container::slice_bound(slice(op)->start, start) &&
                   container::slice_bound(slice(op)->stop, stop)
               ? 0
               : -1;
}

Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop,
                                 Py_ssize_t step) {
    const Py_ssize_t lowest = step < 0 ? -1 : 0;
    for (Py_ssize_t* bound : {start, stop}) {
        *bound = *bound < 0 ? std::max(*bound + length, lowest) : std::min(*bound, length + lowest);
    }
    if (step < 0) {
        return *stop < *start ? (*start - *stop - 1) / -step + 1 : 0;
    }
    return *start < *stop ? (*stop - *start - 1) / step + 1 : 0;
}

#undef PySlice_GetIndicesEx
int PySlice_GetIndicesEx(PyObject* op, Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop,
                         Py_ssize_t* step, Py_ssize_t* slice_length) {
    *slice_length = 0;
    if (PySlice_Unpack(op, start, stop, step) < 0) {
        return -1;
    }
    *slice_length = PySlice_AdjustIndices(length, start, stop, *step);
    return 0;
}

int PySlice_GetIndices(PyObject* op, Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop,
                       Py_ssize_t* step) {
    const auto take = [](PyObject* part, Py_ssize_t missing, Py_ssize_t* value) {
        *value = missing;
        if (part == Py_None) {
            return true;
        }
        if (!PyLong_Check(part)) {
            return false;
        }
        *value = PyLong_AsSsize_t(part);
        return *value != -1 || PyErr_Occurred() == nullptr;
    };
    if (!take(slice(op)->step, 1, step) ||
        !take(slice(op)->start, *step < 0 ? length - 1 : 0, start) ||
        !take(slice(op)->stop, *step < 0 ? -1 : length, stop)) {
        return -1;
    }
    if (slice(op)->start != Py_None && *start < 0) {
        *start += length;
    }
    if (slice(op)->stop != Py_None && *stop < 0) {
        *stop += length;
    }
    return *stop > length || *start >= length || *step == 0 ? -1 : 0;
}

int _PyEval_SliceIndex(PyObject* op, Py_ssize_t* result) {
    return Py_IsNone(op) || container::slice_bound(op, result) ? 1 : 0;
}
