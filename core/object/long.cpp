// int and bool. An int holds a C long.
#include <array>

#include "core/object/compare.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

constexpr long kLeastShared = -5;
constexpr long kGreatestShared = 256;
using SharedInts = std::array<PyLongObject, kGreatestShared - kLeastShared + 1>;

constexpr SharedInts make_shared_ints() {
    SharedInts ints{};
    for (size_t i = 0; i < ints.size(); ++i) {
        ints[i] = {{OURO_BIASED_IMMORTAL, 0, &PyLong_Type}, kLeastShared + static_cast<long>(i)};
    }
    return ints;
}

constinit SharedInts shared_ints = make_shared_ints();

long value_of(PyObject* op) {
    return reinterpret_cast<PyLongObject*>(op)->ob_value;
}

Py_hash_t long_hash(PyObject* op) {
    const long value = value_of(op);
    return value == -1 ? -2 : value;
}

PyObject* long_richcompare(PyObject* a, PyObject* b, int operation) {
    if (!PyLong_Check(a) || !PyLong_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return PyBool_FromLong(object::holds(operation, object::order_of(value_of(a), value_of(b))));
}

}  // namespace

PyTypeObject PyLong_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "int",
    .tp_basicsize = sizeof(PyLongObject),
    .tp_hash = long_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_LONG_SUBCLASS,
    .tp_richcompare = long_richcompare,
};

PyTypeObject PyBool_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "bool",
    .tp_basicsize = sizeof(PyLongObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyLong_Type,
};

PyLongObject _Py_TrueStruct = {{OURO_BIASED_IMMORTAL, 0, &PyBool_Type}, 1};
PyLongObject _Py_FalseStruct = {{OURO_BIASED_IMMORTAL, 0, &PyBool_Type}, 0};

PyObject* PyBool_FromLong(long value) {
    return value != 0 ? Py_True : Py_False;
}

PyObject* PyLong_FromLong(long value) {
    if (value >= kLeastShared && value <= kGreatestShared) {
        return &shared_ints[static_cast<size_t>(value - kLeastShared)].ob_base;
    }
    PyObject* op = object::allocate_atom(&PyLong_Type, sizeof(PyLongObject));
    if (op != nullptr) {
        reinterpret_cast<PyLongObject*>(op)->ob_value = value;
    }
    return op;
}

PyObject* PyLong_FromSsize_t(Py_ssize_t value) {
    return PyLong_FromLong(value);
}

long PyLong_AsLong(PyObject* op) {
    if (!PyLong_Check(op)) {
        PyErr_Format(PyExc_TypeError, "'%s' object cannot be interpreted as an integer",
                     Py_TYPE(op)->tp_name);
        return -1;
    }
    return value_of(op);
}
