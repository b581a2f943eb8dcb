// Iterators over any sequence, and over what a callable gives.
#include "core/builtins/protocol/position.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using object::Own;

namespace {

// An item by the sequence protocol; what says that there is none is the end.
PyObject* item_of_sequence(PyObject* sequence, Py_ssize_t index) {
    if (index == PY_SSIZE_T_MAX) {
        PyErr_SetString(PyExc_OverflowError, "iter index too large");
        return nullptr;
    }
    PyObject* item = PySequence_GetItem(sequence, index);
    if (item == nullptr && (PyErr_ExceptionMatches(PyExc_IndexError) != 0 ||
                            PyErr_ExceptionMatches(PyExc_StopIteration) != 0)) {
        PyErr_Clear();
    }
    return item;
}

PyObject* sequence_iterator_next(PyObject* op) {
    return protocol::step(op, 1, item_of_sequence);
}

bool has_length(PyObject* op) {
    const PyTypeObject* type = Py_TYPE(op);
    return (type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length != nullptr) ||
           (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length != nullptr);
}

PyObject* sequence_iterator_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    if (!place.over) {
        return PyLong_FromLong(0);
    }
    if (!has_length(place.over.get())) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Py_ssize_t size = PySequence_Size(place.over.get());
    return size < 0 ? nullptr : PyLong_FromSsize_t(size > place.index ? size - place.index : 0);
}

PyMethodDef sequence_iterator_methods[] = {
    {"__length_hint__", sequence_iterator_hint, METH_NOARGS,
     PyDoc_STR("How many items are left, by an estimate.")},
    {nullptr, nullptr, 0, nullptr},
};

// Both fields are nullptr when it has come to its end.
struct CallIterator {
    PyObject ob_base;
    PyObject* callable;
    PyObject* sentinel;
};

CallIterator* call_iterator(PyObject* op) {
    return reinterpret_cast<CallIterator*>(op);
}

void call_iterator_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(call_iterator(op)->callable);
    Py_XDECREF(call_iterator(op)->sentinel);
    Py_TYPE(op)->tp_free(op);
}

int call_iterator_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(call_iterator(op)->callable);
    Py_VISIT(call_iterator(op)->sentinel);
    return 0;
}

void end_calls(PyObject* op) {
    Own callable, sentinel;  // dropped when the lock is let go
    const mutator::Guard guard(op);
    callable = Own(call_iterator(op)->callable);
    sentinel = Own(call_iterator(op)->sentinel);
    OURO_STORE_FIELD(&call_iterator(op)->callable, nullptr);
    OURO_STORE_FIELD(&call_iterator(op)->sentinel, nullptr);
}

PyObject* call_iterator_next(PyObject* op) {
    Own callable, sentinel;
    {
        const mutator::Guard guard(op);
        callable = Own(Py_XNewRef(call_iterator(op)->callable));
        sentinel = Own(Py_XNewRef(call_iterator(op)->sentinel));
    }
    if (!callable || !sentinel) {
        return nullptr;
    }
    Own result(PyObject_CallNoArgs(callable.get()));
    if (!result) {
        if (PyErr_ExceptionMatches(PyExc_StopIteration) != 0) {
            PyErr_Clear();
            end_calls(op);
        }
        return nullptr;
    }
    const int at_end = PyObject_RichCompareBool(sentinel.get(), result.get(), Py_EQ);
    if (at_end == 0) {
        return result.release();
    }
    if (at_end > 0) {
        end_calls(op);
    }
    return nullptr;
}

}  // namespace

constinit PyTypeObject PySeqIter_Type =
    protocol::position_type("iterator", sequence_iterator_next, sequence_iterator_methods);

PyTypeObject PyCallIter_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "callable_iterator",
    .tp_basicsize = sizeof(CallIterator),
    .tp_dealloc = call_iterator_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = call_iterator_traverse,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = call_iterator_next,
};

PyObject* PySeqIter_New(PyObject* sequence) {
    if (PySequence_Check(sequence) == 0) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return protocol::new_position(&PySeqIter_Type, sequence, 0);
}

PyObject* PyCallIter_New(PyObject* callable, PyObject* sentinel) {
    PyObject* op = _PyObject_GC_New(&PyCallIter_Type);
    if (op != nullptr) {
        call_iterator(op)->callable = Py_NewRef(callable);
        call_iterator(op)->sentinel = Py_NewRef(sentinel);
        object::track_new(op);
    }
    return op;
}
