// tuple: 24 bytes and 8 for each item, and about 4 of metadata.
#include "core/builtins/container/tuple.hpp"
#include "core/builtins/container/repr.hpp"
#include "core/builtins/container/sequence.hpp"
#include "core/object/allocate.hpp"
#include <algorithm>
#include <cstdarg>

using namespace ouro;

namespace {

constexpr size_t kItemsOffset = offsetof(PyTupleObject, ob_item);

PyObject** items_of(PyObject* op) {
    return reinterpret_cast<PyTupleObject*>(op)->ob_item;
}

void tuple_dealloc(PyObject* op) {
    const object::Deallocation deallocation(op);
    for (Py_ssize_t i = Py_SIZE(op); --i >= 0;) {
        Py_XDECREF(items_of(op)[i]);
    }
    deallocation.free(&PyTuple_Type);
}

// A tracked tuple keeps its size.
int tuple_traverse(PyObject* op, visitproc visit, void* arg) {
    const Py_ssize_t* size = &reinterpret_cast<PyVarObject*>(op)->ob_size;
    for (Py_ssize_t i = __atomic_load_n(size, __ATOMIC_RELAXED); --i >= 0;) {
        Py_VISIT(items_of(op)[i]);
    }
    return 0;
}

Py_hash_t tuple_hash(PyObject* op) {
    container::HashOfItems hash;
    const Py_ssize_t size = Py_SIZE(op);
    for (Py_ssize_t i = 0; i < size; ++i) {
        if (!hash.add(items_of(op)[i])) {
            return -1;
        }
    }
    hash.add_length(size);
    return hash.result();
}

bool check(PyObject* op) {
    if (op == nullptr || !PyTuple_Check(op)) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

}  // namespace

PyTypeObject PyTuple_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "tuple",
    .tp_basicsize = kItemsOffset,
    .tp_itemsize = sizeof(PyObject*),
    .tp_dealloc = tuple_dealloc,
    .tp_repr = container::tuple_repr,
    .tp_as_sequence = &container::tuple_as_sequence,
    .tp_as_mapping = &container::tuple_as_mapping,
    .tp_hash = tuple_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_SEQUENCE | OURO_TPFLAGS_CONCURRENT_TRAVERSE | Py_TPFLAGS_TUPLE_SUBCLASS,
    .tp_traverse = tuple_traverse,
    .tp_richcompare = container::compare_sequences,
    .tp_iter = container::tuple_iterate,
    .tp_methods = container::tuple_methods,
    .tp_new = container::tuple_new,
};

constinit PyTupleObject container::empty_tuple = {PyVarObject_HEAD_INIT(&PyTuple_Type, 0){nullptr}};

PyObject* PyTuple_New(Py_ssize_t size) {
    if (size < 0) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    if (size == 0) {
        return Py_NewRef(&container::empty_tuple);
    }
    constexpr auto kMost =
        static_cast<Py_ssize_t>((PY_SSIZE_T_MAX - kItemsOffset) / sizeof(PyObject*));
    if (size > kMost) {
        return PyErr_NoMemory();
    }
    const object::NewContainer made = object::new_container(
        &PyTuple_Type, kItemsOffset + static_cast<size_t>(size) * sizeof(PyObject*));
    PyObject* op = made.op;
    if (op == nullptr) {
        return nullptr;
    }
    Py_SET_SIZE(op, size);
    for (Py_ssize_t i = 0; i < size; ++i) {
        OURO_STORE_FIELD(&items_of(op)[i], nullptr);  // not by memset: most are short
    }
    made.track();
    return op;
}

Py_ssize_t PyTuple_Size(PyObject* op) {
    return check(op) ? Py_SIZE(op) : -1;
}

PyObject* PyTuple_GetItem(PyObject* op, Py_ssize_t index) {
    if (!check(op)) {
        return nullptr;
    }
    if (index < 0 || index >= Py_SIZE(op)) {
        PyErr_SetString(PyExc_IndexError, "tuple index out of range");
        return nullptr;
    }
    return items_of(op)[index];
}

int PyTuple_SetItem(PyObject* op, Py_ssize_t index, PyObject* item) {
    if (!check(op) || object::references(op) != 1) {
        Py_XDECREF(item);
        if (!PyErr_Occurred()) {
            PyErr_BadInternalCall();
        }
        return -1;
    }
    if (index < 0 || index >= Py_SIZE(op)) {
        Py_XDECREF(item);
        PyErr_SetString(PyExc_IndexError, "tuple assignment index out of range");
        return -1;
    }
    Py_XSETREF(items_of(op)[index], item);
    return 0;
}

PyObject* PyTuple_Pack(Py_ssize_t size, ...) {
    PyObject* op = PyTuple_New(size);
    if (op == nullptr) {
        return nullptr;
    }
    std::va_list list;
    va_start(list, size);
    for (Py_ssize_t i = 0; i < size; ++i) {
        PyTuple_SET_ITEM(op, i, Py_NewRef(va_arg(list, PyObject*)));
    }
    va_end(list);
    return op;
}

PyObject* PyTuple_GetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high) {
    if (!check(op)) {
        return nullptr;
    }
    const container::Range range(low, high, Py_SIZE(op));
    if (range.size() == Py_SIZE(op) && PyTuple_CheckExact(op)) {
        return Py_NewRef(op);
    }
    PyObject* slice = PyTuple_New(range.size());
    for (Py_ssize_t i = 0; slice != nullptr && i < range.size(); ++i) {
        PyTuple_SET_ITEM(slice, i, Py_XNewRef(items_of(op)[range.low + i]));
    }
    return slice;
}

int _PyTuple_Resize(PyObject** field, Py_ssize_t size) {
    PyObject* op = *field;
    if (op == nullptr || !PyTuple_CheckExact(op) ||
        (Py_SIZE(op) != 0 && object::references(op) != 1)) {
        *field = nullptr;
        Py_XDECREF(op);
        PyErr_BadInternalCall();
        return -1;
    }
    const Py_ssize_t old_size = Py_SIZE(op);
    if (old_size == size) {
        return 0;
    }
    if (old_size == 0 || size == 0) {
        *field = PyTuple_New(size);
        Py_DECREF(op);
        return *field == nullptr ? -1 : 0;
    }
    PyObject_GC_UnTrack(op);
    for (Py_ssize_t i = std::max(size, Py_ssize_t{0}); i < old_size; ++i) {
        Py_CLEAR(items_of(op)[i]);
    }
    PyVarObject* resized = _PyObject_GC_Resize(reinterpret_cast<PyVarObject*>(op), size);
    if (resized == nullptr) {
        *field = nullptr;
        Py_DECREF(op);
        return -1;
    }
    op = &resized->ob_base;
    for (Py_ssize_t i = old_size; i < size; ++i) {
        items_of(op)[i] = nullptr;
    }
    *field = op;
    object::track(op);
    return 0;
}
