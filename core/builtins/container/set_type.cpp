// set and frozenset: the types, and what operators make of them.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/repr.hpp"
#include "core/builtins/container/set.hpp"

using namespace ouro;

namespace {

// Inclusion: a < b where a is a proper subset of b. A set equals a frozenset with equal elements.
PyObject* set_compare(PyObject* a, PyObject* b, int operation) {
    if (!PyAnySet_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (operation == Py_GT || operation == Py_GE) {
        std::swap(a, b);
        operation = operation == Py_GT ? Py_LT : Py_LE;
    }
    const Py_ssize_t in_a = PySet_Size(a);
    const Py_ssize_t in_b = PySet_Size(b);
    const bool may_hold = operation == Py_LE   ? in_a <= in_b
                          : operation == Py_LT ? in_a < in_b
                                               : in_a == in_b;
    const int subset = may_hold ? container::is_subset(a, b) : 0;
    if (subset < 0) {
        return nullptr;
    }
    return PyBool_FromLong(operation == Py_NE ? subset == 0 : subset);
}

// An operator takes sets alone.
template <PyObject* (*make)(PyObject*, PyObject*)>
PyObject* combine(PyObject* a, PyObject* b) {
    return PyAnySet_Check(a) && PyAnySet_Check(b) ? make(a, b) : Py_NewRef(Py_NotImplemented);
}

template <bool (*change)(PyObject*, PyObject*)>
PyObject* changed_copy(PyObject* a, PyObject* b) {
    PyObject* made = container::new_set(container::plain_set_type(a), a);
    if (made != nullptr && !change(made, b)) {
        Py_CLEAR(made);
    }
    return made;
}

template <bool (*change)(PyObject*, PyObject*)>
PyObject* change_in_place(PyObject* op, PyObject* other) {
    if (!PyAnySet_Check(other)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return change(op, other) ? Py_NewRef(op) : nullptr;
}

PyObject* set_new(PyTypeObject* type, PyObject*, PyObject*) {
    return container::new_set(type, nullptr);
}

// The one argument of a constructor, or nullptr; false with TypeError. A derived class may take others by name.
bool take_iterable(const char* name, bool exactly, PyObject* args, PyObject* kwargs,
                   PyObject** iterable) {
    *iterable = nullptr;
    if ((exactly && !call::refuse_keywords(name, kwargs)) ||
        !call::check_count(name, PyTuple_GET_SIZE(args), 0, 1)) {
        return false;
    }
    if (PyTuple_GET_SIZE(args) > 0) {
        *iterable = PyTuple_GET_ITEM(args, 0);
    }
    return true;
}

int set_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* iterable;
    if (!take_iterable("set", true, args, kwargs, &iterable)) {
        return -1;
    }
    if (PySet_GET_SIZE(op) > 0) {
        container::clear_elements(op);
    }
    return iterable == nullptr || container::add_to_set(op, iterable) ? 0 : -1;
}

PyObject* frozenset_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    const bool exactly = type == &PyFrozenSet_Type;
    PyObject* iterable;
    if (!take_iterable("frozenset", exactly, args, kwargs, &iterable)) {
        return nullptr;
    }
    return exactly ? PyFrozenSet_New(iterable) : container::new_set(type, iterable);
}

PySequenceMethods as_sequence = {.sq_length = PySet_Size, .sq_contains = container::has_key};

PyNumberMethods set_as_number = {
    .nb_subtract = combine<container::set_difference>,
    .nb_and = combine<container::set_intersection>,
    .nb_xor = combine<changed_copy<container::toggle_in_set>>,
    .nb_or = combine<changed_copy<container::add_to_set>>,
    .nb_inplace_subtract = change_in_place<container::subtract_from_set>,
    .nb_inplace_and = change_in_place<container::keep_in_set>,
    .nb_inplace_xor = change_in_place<container::toggle_in_set>,
    .nb_inplace_or = change_in_place<container::add_to_set>,
};

PyNumberMethods frozenset_as_number = {
    .nb_subtract = combine<container::set_difference>,
    .nb_and = combine<container::set_intersection>,
    .nb_xor = combine<changed_copy<container::toggle_in_set>>,
    .nb_or = combine<changed_copy<container::add_to_set>>,
};

constexpr PyTypeObject set_type(const char* name, PyNumberMethods* number, hashfunc hash,
                                PyMethodDef* methods, initproc init, newfunc make) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_basicsize = sizeof(PySetObject),
        .tp_dealloc = container::set_dealloc,
        .tp_repr = container::set_repr,
        .tp_as_number = number,
        .tp_as_sequence = &as_sequence,
        .tp_hash = hash,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                    OURO_TPFLAGS_CONCURRENT_TRAVERSE,
        .tp_traverse = container::set_traverse,
        .tp_clear = container::set_clear,
        .tp_richcompare = set_compare,
        .tp_weaklistoffset = offsetof(PySetObject, weakreflist),
        .tp_iter = container::set_iter,
        .tp_methods = methods,
        .tp_init = init,
        .tp_new = make,
    };
}

}  // namespace

constinit PyTypeObject PySet_Type = set_type("set", &set_as_number, PyObject_HashNotImplemented,
                                             container::set_methods, set_init, set_new);
constinit PyTypeObject PyFrozenSet_Type =
    set_type("frozenset", &frozenset_as_number, container::frozenset_hash,
             container::frozenset_methods, nullptr, frozenset_new);
