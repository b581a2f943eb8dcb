// cell: a variable of a function that functions inside it have. Source: "Cell Objects" in the C API documentation.
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

PyObject*& content(PyObject* op) {
    return reinterpret_cast<PyCellObject*>(op)->ob_ref;
}

void cell_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(content(op));
    Py_TYPE(op)->tp_free(op);
}

int cell_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(content(op));
    return 0;
}

int cell_clear(PyObject* op) {
    Py_CLEAR(content(op));
    return 0;
}

PyObject* cell_repr(PyObject* op) {
    const Own held(PyCell_Get(op));
    return held ? PyUnicode_FromFormat("<cell at %p: %.80s object at %p>", op,
                                       Py_TYPE(held.get())->tp_name, held.get())
                : PyUnicode_FromFormat("<cell at %p: empty>", op);
}

// An empty one is less than any other.
PyObject* cell_richcompare(PyObject* a, PyObject* b, int operation) {
    if (!PyCell_Check(a) || !PyCell_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Own left(PyCell_Get(a));
    const Own right(PyCell_Get(b));
    if (left && right) {
        return PyObject_RichCompare(left.get(), right.get(), operation);
    }
    const int x = left ? 1 : 0;
    const int y = right ? 1 : 0;
    Py_RETURN_RICHCOMPARE(x, y, operation);
}

PyObject* get_contents(PyObject* op, void*) {
    PyObject* held = PyCell_Get(op);
    if (held == nullptr) {
        PyErr_SetString(PyExc_ValueError, "Cell is empty");
    }
    return held;
}

int set_contents(PyObject* op, PyObject* value, void*) {
    return PyCell_Set(op, value);
}

PyGetSetDef cell_getset[] = {
    {"cell_contents", get_contents, set_contents, PyDoc_STR("What it holds."), nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyObject* cell_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    PyObject* value = nullptr;
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "cell() takes no keyword arguments");
        return nullptr;
    }
    return PyArg_UnpackTuple(args, "cell", 0, 1, &value) == 0 ? nullptr : PyCell_New(value);
}

bool check(PyObject* op) {
    if (!PyCell_Check(op)) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

}  // namespace

PyTypeObject PyCell_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "cell",
    .tp_basicsize = sizeof(PyCellObject),
    .tp_dealloc = cell_dealloc,
    .tp_repr = cell_repr,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = cell_traverse,
    .tp_clear = cell_clear,
    .tp_richcompare = cell_richcompare,
    .tp_getset = cell_getset,
    .tp_new = cell_new,
};

PyObject* PyCell_New(PyObject* value) {
    PyObject* op = _PyObject_GC_New(&PyCell_Type);
    if (op != nullptr) {
        content(op) = Py_XNewRef(value);
        object::track_new(op);
    }
    return op;
}

PyObject* PyCell_Get(PyObject* op) {
    if (!check(op)) {
        return nullptr;
    }
    const mutator::Guard guard(op);
    return Py_XNewRef(content(op));
}

int PyCell_Set(PyObject* op, PyObject* value) {
    if (!check(op)) {
        return -1;
    }
    Own old;  // dropped when the lock is let go
    const mutator::Guard guard(op);
    old = Own(content(op));
    OURO_STORE_FIELD(&content(op), Py_XNewRef(value));
    return 0;
}
