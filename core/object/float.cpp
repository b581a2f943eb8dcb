// float: a C double.
#include <cmath>
#include <functional>

#include "core/object/compare.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using object::Order;

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

// x compared with the whole number y, exactly.
Order compare_with_whole(double x, long y) {
    if (std::isnan(x)) {
        return Order::kNone;
    }
    constexpr double kBeyond = 9223372036854775808.0;  // 2^63: no long is so large
    if (x >= kBeyond || x < -kBeyond) {
        return x > 0 ? Order::kGreater : Order::kLess;
    }
    const double whole = std::floor(x);
    const Order order = object::order_of(static_cast<long>(whole), y);
    return order == Order::kEqual && x > whole ? Order::kGreater : order;
}

PyObject* float_richcompare(PyObject* a, PyObject* b, int operation) {
    if (PyFloat_Check(b)) {
        return PyBool_FromLong(
            object::holds(operation, object::order_of(value_of(a), value_of(b))));
    }
    if (PyLong_Check(b)) {
        return PyBool_FromLong(
            object::holds(operation, compare_with_whole(value_of(a), PyLong_AsLong(b))));
    }
    return Py_NewRef(Py_NotImplemented);
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
