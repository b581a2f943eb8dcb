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

// -1, 0 or 1, or 2 if a number is not one: x compared with the whole number y, exactly.
int compare_with_whole(double x, long y) {
    if (std::isnan(x)) {
        return 2;
    }
    constexpr double kBeyond = 9223372036854775808.0;  // 2^63: no long is so large
    if (x >= kBeyond || x < -kBeyond) {
        return x > 0 ? 1 : -1;
    }
    const double whole = std::floor(x);
    const auto floor = static_cast<long>(whole);
    if (floor != y) {
        return floor > y ? 1 : -1;
    }
    return x > whole ? 1 : 0;
}

int compare_floats(double x, double y) {
    return std::isunordered(x, y) ? 2 : x > y ? 1 : x < y ? -1 : 0;
}

PyObject* float_richcompare(PyObject* a, PyObject* b, int operation) {
    int order;
    if (PyFloat_Check(b)) {
        order = compare_floats(value_of(a), value_of(b));
    } else if (PyLong_Check(b)) {
        order = compare_with_whole(value_of(a), PyLong_AsLong(b));
    } else {
        return Py_NewRef(Py_NotImplemented);
    }
    switch (operation) {
        case Py_LT:
            return PyBool_FromLong(order == -1);
        case Py_LE:
            return PyBool_FromLong(order == -1 || order == 0);
        case Py_EQ:
            return PyBool_FromLong(order == 0);
        case Py_NE:
            return PyBool_FromLong(order != 0);
        case Py_GT:
            return PyBool_FromLong(order == 1);
        default:
            return PyBool_FromLong(order == 1 || order == 0);
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
