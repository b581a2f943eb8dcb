// float: a C double.
#include "core/builtins/number/float.hpp"
#include "core/builtins/number/number_methods.hpp"

#include <cfloat>
#include <cmath>

#include "core/builtins/number/long.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

Py_hash_t float_hash(PyObject* op) {
    return hash_of_double(PyFloat_AS_DOUBLE(op), op);
}

PyObject* float_richcompare(PyObject* a, PyObject* b, int operation) {
    const double value = PyFloat_AS_DOUBLE(a);
    if (PyFloat_Check(b)) {
        return PyBool_FromLong(
            object::holds(operation, object::order_of(value, PyFloat_AS_DOUBLE(b))));
    }
    if (PyLong_Check(b)) {
        return PyBool_FromLong(object::holds(operation, compare_double_to_int(value, b)));
    }
    return Py_NewRef(Py_NotImplemented);
}

PyObject* new_exact(PyObject* x) {
    if (x == nullptr) {
        return PyFloat_FromDouble(0.0);
    }
    return Py_IS_TYPE(x, &PyUnicode_Type) ? PyFloat_FromString(x) : PyNumber_Float(x);
}

PyObject* float_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* x;
    if (!take_one_argument("float", args, kwargs, &x)) {
        return nullptr;
    }
    PyObject* value = new_exact(x);
    if (value == nullptr || type == &PyFloat_Type) {
        return value;
    }
    PyObject* op = type->tp_alloc(type, 0);
    if (op != nullptr) {
        PyFloat_AS_DOUBLE(op) = PyFloat_AS_DOUBLE(value);
    }
    Py_DECREF(value);
    return op;
}

}  // namespace

PyTypeObject PyFloat_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "float",
    .tp_basicsize = sizeof(PyFloatObject),
    .tp_repr = float_repr,
    .tp_as_number = &float_as_number,
    .tp_hash = float_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = float_richcompare,
    .tp_methods = number::float_methods,
    .tp_getset = number::float_getset,
    .tp_new = float_new,
};

Py_hash_t number::hash_of_double(double value, PyObject* op) {
    if (std::isnan(value)) {
        return PyBaseObject_Type.tp_hash(op);  // no two are equal
    }
    if (std::isinf(value)) {
        constexpr Py_hash_t kInfinite = 314159;
        return value > 0 ? kInfinite : -kInfinite;
    }
    // 53 bits times a power of two; modulo 2^61 - 1 that turns the bits round.
    int exponent;
    const double fraction = std::frexp(std::fabs(value), &exponent);
    const auto bits = static_cast<uint64_t>(std::ldexp(fraction, DBL_MANT_DIG));
    const int turns = ((exponent - DBL_MANT_DIG) % kHashBits + kHashBits) % kHashBits;
    const uint64_t residue = ((bits << turns) & kHashModulus) | bits >> (kHashBits - turns);
    return hash_of_residue(residue, value < 0);
}

PyObject* number::real_of(PyObject* op) {
    PyObject* real = Py_TYPE(op)->tp_as_number->nb_float(op);
    if (real != nullptr && !PyFloat_Check(real)) {
        PyErr_Format(PyExc_TypeError, "%.50s.__float__ returned non-float (type %.50s)",
                     Py_TYPE(op)->tp_name, Py_TYPE(real)->tp_name);
        Py_CLEAR(real);
    }
    return real;
}

PyObject* PyFloat_FromDouble(double value) {
    PyObject* op = object::allocate_atom(&PyFloat_Type, sizeof(PyFloatObject));
    if (op != nullptr) {
        PyFloat_AS_DOUBLE(op) = value;
    }
    return op;
}

double PyFloat_AsDouble(PyObject* op) {
    if (op == nullptr) {
        PyErr_SetString(PyExc_TypeError, "bad argument type for built-in operation");
        return -1.0;
    }
    if (PyFloat_Check(op)) {
        return PyFloat_AS_DOUBLE(op);
    }
    const PyNumberMethods* methods = Py_TYPE(op)->tp_as_number;
    if (methods != nullptr && methods->nb_float != nullptr) {
        PyObject* real = real_of(op);
        const double value = real == nullptr ? -1.0 : PyFloat_AS_DOUBLE(real);
        Py_XDECREF(real);
        return value;
    }
    if (methods == nullptr || methods->nb_index == nullptr) {
        PyErr_Format(PyExc_TypeError, "must be real number, not %.50s", Py_TYPE(op)->tp_name);
        return -1.0;
    }
    PyObject* index = index_of(op);
    if (index == nullptr) {
        return -1.0;
    }
    const double value = PyLong_AsDouble(index);
    Py_DECREF(index);
    return value;
}

double PyFloat_GetMax(void) {
    return DBL_MAX;
}

double PyFloat_GetMin(void) {
    return DBL_MIN;
}

Py_hash_t _Py_HashDouble(PyObject* op, double value) {
    return hash_of_double(value, op);
}
