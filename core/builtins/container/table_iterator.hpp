// Iterators over dicts and sets. One ends with an error where its container has another size than when it was
// made; that of a dict or set that nobody changes gives each entry once.
#pragma once

#include "core/builtins/container/hash_table.hpp"
#include "core/object/object.hpp"
#include "core/object/take.hpp"

namespace ouro::container {

struct TableIterator {
    PyObject ob_base;
    PyObject* container;  // nullptr: the iterator is at its end
    // These are guarded by the container's lock.
    Py_ssize_t position;  // in the table
    Py_ssize_t used;  // the container's size when the iterator was made; -1: it was another since
    Py_ssize_t left;  // entries that were not given yet
};

inline TableIterator* table_iterator(PyObject* op) {
    return reinterpret_cast<TableIterator*>(op);
}

// A new iterator of that type, or nullptr with MemoryError.
inline PyObject* new_table_iterator(PyTypeObject* type, PyObject* container, Py_ssize_t used,
                                    Py_ssize_t position) {
    PyObject* op = _PyObject_GC_New(type);
    if (op != nullptr) {
        TableIterator* self = table_iterator(op);
        self->container = Py_NewRef(container);
        self->position = position;
        self->used = used;
        self->left = used;
        object::track(op);
    }
    return op;
}

inline void table_iterator_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(table_iterator(op)->container);
    Py_TYPE(op)->tp_free(op);
}

inline int table_iterator_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(table_iterator(op)->container);
    return 0;
}

// An iterator at its end has let its container go.
inline void end_table_iterator(PyObject* op) {
    PyObject* container;
    {
        const mutator::Guard guard(op);
        container = table_iterator(op)->container;
        OURO_STORE_FIELD(&table_iterator(op)->container, nullptr);
    }
    Py_XDECREF(container);
}

// New reference, or nullptr at the end.
inline PyObject* container_of(PyObject* op) {
    return object::take([op] { return &table_iterator(op)->container; }, op);
}

// What messages say of a container that has changed.
struct Changed {
    const char* size;
    const char* keys;  // of as many others
};

// tp_iternext. `look` gives the container's table and its size; `make` makes of an entry, under the
// container's lock, what keeps its parts: references alone. Returns false at the end, with an exception or
// without one.
template <bool reverse, class Look, class Keep>
bool step(PyObject* op, const Changed& changed, const Look& look, const Keep& keep) {
    PyObject* container = container_of(op);
    if (container == nullptr) {
        return false;
    }
    enum { kFound, kEnd, kSize, kKeys } outcome = kEnd;
    {
        const mutator::Guard guard(container);
        TableIterator* self = table_iterator(op);
        const auto [table, used] = look(container);
        if (self->used != used) {
            self->used = -1;
            outcome = kSize;
        } else if (const auto* entry = reverse ? previous_entry(table, &self->position)
                                               : next_entry(table, &self->position)) {
            outcome = self->left > 0 ? kFound : kKeys;
            if (outcome == kFound) {
                --self->left;
                keep(*entry);
            }
        }
    }
    if (outcome == kEnd || outcome == kKeys) {
        end_table_iterator(op);
    }
    if (outcome == kSize || outcome == kKeys) {
        PyErr_SetString(PyExc_RuntimeError, outcome == kSize ? changed.size : changed.keys);
    }
    Py_DECREF(container);
    return outcome == kFound;
}

// __length_hint__: how many there still are, if nobody changes the container.
template <class Look>
PyObject* entries_left(PyObject* op, const Look& look) {
    PyObject* container = container_of(op);
    Py_ssize_t left = 0;
    if (container != nullptr) {
        const mutator::Guard guard(container);
        left = table_iterator(op)->used == look(container).second ? table_iterator(op)->left : 0;
    }
    Py_XDECREF(container);
    return PyLong_FromSsize_t(left);
}

constexpr PyTypeObject table_iterator_type(const char* name, iternextfunc next,
                                           PyMethodDef* methods) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
        .tp_basicsize = sizeof(TableIterator),
        .tp_dealloc = table_iterator_dealloc,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
        .tp_traverse = table_iterator_traverse,
        .tp_iter = [](PyObject* op) { return Py_NewRef(op); },
        .tp_iternext = next,
        .tp_methods = methods,
    };
}

}  // namespace ouro::container
