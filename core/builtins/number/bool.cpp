// bool: the ints 0 and 1 under names of their own.
#include "core/builtins/number/long.hpp"
#include "core/builtins/number/number_arguments.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

bool are_bools(PyObject* a, PyObject* b) {
    return PyBool_Check(a) && PyBool_Check(b);
}

PyObject* bool_and(PyObject* a, PyObject* b) {
    return are_bools(a, b) ? PyBool_FromLong(a == Py_True && b == Py_True)
                           : long_as_number.nb_and(a, b);
}

PyObject* bool_or(PyObject* a, PyObject* b) {
    return are_bools(a, b) ? PyBool_FromLong(a == Py_True || b == Py_True)
                           : long_as_number.nb_or(a, b);
}

PyObject* bool_xor(PyObject* a, PyObject* b) {
    return are_bools(a, b) ? PyBool_FromLong(a != b) : long_as_number.nb_xor(a, b);
}

// The rest is what int has.
PyNumberMethods make_methods() {
    PyNumberMethods methods = long_as_number;
    methods.nb_and = bool_and;
    methods.nb_or = bool_or;
    methods.nb_xor = bool_xor;
    return methods;
}

PyNumberMethods bool_as_number = make_methods();

PyObject* bool_repr(PyObject* op) {
    return PyUnicode_FromString(op == Py_True ? "True" : "False");
}

// Whether op is true; -1 with an exception.
int truth_of(PyObject* op) {
    if (op == Py_None) {
        return 0;
    }
    const PyTypeObject* type = Py_TYPE(op);
    if (type->tp_as_number != nullptr && type->tp_as_number->nb_bool != nullptr) {
        return type->tp_as_number->nb_bool(op);
    }
    Py_ssize_t length = 1;
    if (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length != nullptr) {
        length = type->tp_as_mapping->mp_length(op);
    } else if (type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length != nullptr) {
        length = type->tp_as_sequence->sq_length(op);
    }
    return length < 0 ? -1 : length > 0;
}

PyObject* bool_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    PyObject* x;
    if (!take_one_argument("bool", args, kwargs, &x)) {
        return nullptr;
    }
    const int truth = x == nullptr ? 0 : truth_of(x);
    return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

}  // namespace

PyTypeObject PyBool_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "bool",
    .tp_basicsize = sizeof(PyLongObject),
    .tp_repr = bool_repr,
    .tp_as_number = &bool_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyLong_Type,
    .tp_new = bool_new,
};

PyLongObject _Py_TrueStruct = {{OURO_BIASED_IMMORTAL, 0, &PyBool_Type}, 1, nullptr};
PyLongObject _Py_FalseStruct = {{OURO_BIASED_IMMORTAL, 0, &PyBool_Type}, 0, nullptr};

PyObject* PyBool_FromLong(long value) {
    return value != 0 ? Py_True : Py_False;
}
