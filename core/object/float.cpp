// float: a C double.
#include <cmath>
#include <functional>

#include "core/object/object.hpp"

using namespace ouro;

namespace {

double value_of(PyObject* op) {
    return reinterpret_cast<PyFloatObject*>(op)->ob_fval;
}

Py_hash_t float_hash(PyObject* op) {
    const double value = value_of(op);
    // Equal numbers have equal hashes: a whole float hashes as the int does.
    if (value == std::floor(value) && std::fabs(value) < 9e18) {
        const auto whole = static_cast<Py_hash_t>(value);
        return whole == -1 ? -2 : whole;
    }
    const auto hash = static_cast<Py_hash_t>(std::hash<double>()(value));
    return hash == -1 ? -2 : hash;
}

PyObject* float_richcompare(PyObject* a, PyObject* b, int operation) {
    if (!PyLong_Check(b) && !PyFloat_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const double x = PyFloat_AsDouble(a);
    const double y = PyFloat_AsDouble(b);
    switch (operation) {
        case Py_LT:
            return PyBool_FromLong(x < y);
        case Py_LE:
            return PyBool_FromLong(x <= y);
        case Py_EQ:
            return PyBool_FromLong(x == y);
        case Py_NE:
            return PyBool_FromLong(x != y);
        case Py_GT:
            return PyBool_FromLong(x > y);
        default:
            return PyBool_FromLong(x >= y);
    }
}

}  // namespace

PyTypeObject PyFloat_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "float",
    .tp_basicsize = sizeof(PyFloatObject),
    .tp_hash = float_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = float_richcompare,
};

PyObject* PyFloat_FromDouble(double value) {
    PyObject* op = object::allocate_atom(&PyFloat_Type, sizeof(PyFloatObject));
    if (op != nullptr) {
        reinterpret_cast<PyFloatObject*>(op)->ob_fval = value;
    }
    return op;
}

double PyFloat_AsDouble(PyObject* op) {
    if (PyFloat_Check(op)) {
        return value_of(op);
    }
    if (PyLong_Check(op)) {
        return static_cast<double>(PyLong_AsLong(op));
    }
    PyErr_Format(PyExc_TypeError, "must be real number, not %s", Py_TYPE(op)->tp_name);
    return -1.0;
}
