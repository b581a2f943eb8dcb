#include "core/builtins/type/bases.hpp"

namespace ouro::type {
namespace {

// The nearest of a type and its bases that added something to the struct.
PyTypeObject* solid_base(PyTypeObject* type) {
    while (type->tp_base != nullptr && type->tp_basicsize == type->tp_base->tp_basicsize &&
           type->tp_itemsize == type->tp_base->tp_itemsize) {
        type = type->tp_base;
    }
    return type;
}

}  // namespace

PyTypeObject* best_base(PyObject* bases) {
    PyTypeObject* best = nullptr;
    PyTypeObject* best_solid = nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
        PyObject* op = PyTuple_GET_ITEM(bases, i);
        if (!PyType_Check(op)) {
            PyErr_SetString(PyExc_TypeError, "bases must be types");
            return nullptr;
        }
        auto* base = reinterpret_cast<PyTypeObject*>(op);
        if (PyType_Ready(base) < 0) {
            return nullptr;
        }
        if (!PyType_HasFeature(base, Py_TPFLAGS_BASETYPE)) {
            PyErr_Format(PyExc_TypeError, "type '%.100s' is not an acceptable base type",
                         base->tp_name);
            return nullptr;
        }
        PyTypeObject* solid = solid_base(base);
        if (best == nullptr || (PyType_IsSubtype(best_solid, solid) == 0 &&
                                PyType_IsSubtype(solid, best_solid) != 0)) {
            best = base;
            best_solid = solid;
        } else if (PyType_IsSubtype(best_solid, solid) == 0) {
            PyErr_SetString(PyExc_TypeError, "multiple bases have instance lay-out conflict");
            return nullptr;
        }
    }
    return best;
}

PyTypeObject* best_metaclass(PyTypeObject* metaclass, PyObject* bases) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
        PyTypeObject* other = Py_TYPE(PyTuple_GET_ITEM(bases, i));
        if (PyType_IsSubtype(metaclass, other) != 0) {
            continue;
        }
        if (PyType_IsSubtype(other, metaclass) == 0) {
            PyErr_SetString(PyExc_TypeError,
                            "metaclass conflict: the metaclass of a derived class must be a "
                            "(non-strict) subclass of the metaclasses of all its bases");
            return nullptr;
        }
        metaclass = other;
    }
    return metaclass;
}

}  // namespace ouro::type
