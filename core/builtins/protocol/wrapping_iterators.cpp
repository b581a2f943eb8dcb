// enumerate() and reversed(). Source: "Built-in Functions".
#include "core/builtins/protocol/position.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using namespace ouro::type::literals;
using object::Own;

namespace {

struct Enumerate {
    PyObject ob_base;
    PyObject* iterator;
    PyObject* next;  // the number of the next item, an int
};

Enumerate* enumerate(PyObject* op) {
    return reinterpret_cast<Enumerate*>(op);
}

void enumerate_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(enumerate(op)->iterator);
    Py_XDECREF(enumerate(op)->next);
    Py_TYPE(op)->tp_free(op);
}

int enumerate_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(enumerate(op)->iterator);
    Py_VISIT(enumerate(op)->next);
    return 0;
}

PyObject* enumerate_new(PyTypeObject* made, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"iterable", "start", nullptr};
    PyObject* iterable;
    PyObject* start = nullptr;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:enumerate", names, &iterable, &start) == 0) {
        return nullptr;
    }
    Own first(start == nullptr ? PyLong_FromLong(0) : PyNumber_Index(start));
    Own iterator(first ? PyObject_GetIter(iterable) : nullptr);
    PyObject* op = iterator ? made->tp_alloc(made, 0) : nullptr;
    if (op != nullptr) {
        OURO_STORE_FIELD(&enumerate(op)->iterator, iterator.release());
        OURO_STORE_FIELD(&enumerate(op)->next, first.release());
    }
    return op;
}

// The number of this item, and it is counted.
Own take_number(PyObject* op) {
    const Own one(PyLong_FromLong(1));
    const mutator::Guard guard(op);
    Own number(Py_NewRef(enumerate(op)->next));
    PyObject* next = one ? PyNumber_Add(number.get(), one.get()) : nullptr;
    if (next == nullptr) {
        return Own();
    }
    PyObject* old = enumerate(op)->next;
    OURO_STORE_FIELD(&enumerate(op)->next, next);
    Py_DECREF(old);  // an int: no other code runs
    return number;
}

PyObject* enumerate_next(PyObject* op) {
    const Own item(PyIter_Next(enumerate(op)->iterator));
    const Own number = item ? take_number(op) : Own();
    return number ? PyTuple_Pack(2, number.get(), item.get()) : nullptr;
}

PyMethodDef enumerate_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")}, {}};

PyObject* item_from_end(PyObject* sequence, Py_ssize_t index) {
    if (index < 0) {
        return nullptr;
    }
    PyObject* item = PySequence_GetItem(sequence, index);
    if (item == nullptr && (PyErr_ExceptionMatches(PyExc_IndexError) != 0 ||
                            PyErr_ExceptionMatches(PyExc_StopIteration) != 0)) {
        PyErr_Clear();
    }
    return item;
}

PyObject* reversed_next(PyObject* op) {
    return protocol::step(op, -1, item_from_end);
}

PyObject* reversed_hint(PyObject* op, PyObject*) {
    const protocol::Place place = protocol::place_of(op);
    return PyLong_FromSsize_t(place.over ? place.index + 1 : 0);
}

// What the class's __reversed__ gives, else an iterator over what has items by number.
PyObject* reversed_new(PyTypeObject* made, PyObject* args, PyObject* kwargs) {
    PyObject* sequence;
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "reversed() takes no keyword arguments");
        return nullptr;
    }
    if (PyArg_UnpackTuple(args, "reversed", 1, 1, &sequence) == 0) {
        return nullptr;
    }
    const type::SpecialMethod method(sequence, "__reversed__"_name);
    if (method.failed()) {
        return nullptr;
    }
    if (!method.missing() && !method.is_none()) {
        return method.call();
    }
    if (method.is_none() || PySequence_Check(sequence) == 0) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object is not reversible",
                            Py_TYPE(sequence)->tp_name);
    }
    const Py_ssize_t size = PySequence_Size(sequence);
    return size < 0 ? nullptr : protocol::new_position(made, sequence, size - 1);
}

PyMethodDef reversed_methods[] = {
    {"__length_hint__", reversed_hint, METH_NOARGS, PyDoc_STR("How many items are left.")},
    {nullptr, nullptr, 0, nullptr},
};

constexpr PyTypeObject reversed_type() {
    PyTypeObject type = protocol::position_type("reversed", reversed_next, reversed_methods);
    type.tp_new = reversed_new;
    return type;
}

}  // namespace

PyTypeObject PyEnum_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "enumerate",
    .tp_basicsize = sizeof(Enumerate),
    .tp_dealloc = enumerate_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = enumerate_traverse,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = enumerate_next,
    .tp_methods = enumerate_methods,
    .tp_new = enumerate_new,
};

constinit PyTypeObject PyReversed_Type = reversed_type();
