// What C makes of an int.
#include <climits>
#include <cmath>

#include "core/builtins/number/big_int.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

template <class Value>
Value refuse(PyObject* exception, const char* message) {
    PyErr_SetString(exception, message);
    return static_cast<Value>(-1);
}

template <class Value>
Value bad_call() {
    PyErr_BadInternalCall();
    return static_cast<Value>(-1);
}

// What `convert` makes of op, or of the int that its __index__ gives; -1 with an exception.
template <class Value, class Convert>
Value with_index(PyObject* op, Convert convert) {
    if (op == nullptr) {
        return bad_call<Value>();
    }
    if (PyLong_Check(op)) {
        return convert(op);
    }
    PyObject* index = index_of(op);
    if (index == nullptr) {
        return static_cast<Value>(-1);
    }
    const Value value = convert(index);
    Py_DECREF(index);
    return value;
}

// The value modulo 2^64.
unsigned long low_bits(PyObject* op) {
    if (is_small(op)) {
        return static_cast<unsigned long>(small_value(op));
    }
    const BigInt& value = as_long(op)->ob_big->value;
    return is_negative(value) ? -limb(value, 0) : limb(value, 0);
}

// The value of an int as an unsigned long; -1 with what is said of one that is negative or too large.
unsigned long as_unsigned(PyObject* op, const char* negative, const char* too_large) {
    using Value = unsigned long;
    if (op == nullptr) {
        return bad_call<Value>();
    }
    if (!PyLong_Check(op)) {
        return refuse<Value>(PyExc_TypeError, "an integer is required");
    }
    if (sign_of(op) < 0) {
        return refuse<Value>(PyExc_OverflowError, negative);
    }
    if (!is_small(op) && limb_count(as_long(op)->ob_big->value) > 1) {
        return refuse<Value>(PyExc_OverflowError, too_large);
    }
    return low_bits(op);
}

}  // namespace

long PyLong_AsLongAndOverflow(PyObject* op, int* overflow) {
    *overflow = 0;
    return with_index<long>(op, [overflow](PyObject* index) -> long {
        if (is_small(index)) {
            return small_value(index);
        }
        *overflow = sign_of(index);
        return -1;
    });
}

long PyLong_AsLong(PyObject* op) {
    int overflow;
    const long value = PyLong_AsLongAndOverflow(op, &overflow);
    if (overflow != 0) {
        return refuse<long>(PyExc_OverflowError, "Python int too large to convert to C long");
    }
    return value;
}

int PyLong_AsInt(PyObject* op) {
    int overflow;
    const long value = PyLong_AsLongAndOverflow(op, &overflow);
    if (overflow != 0 || value > INT_MAX || value < INT_MIN) {
        return refuse<int>(PyExc_OverflowError, "Python int too large to convert to C int");
    }
    return static_cast<int>(value);
}

long long PyLong_AsLongLongAndOverflow(PyObject* op, int* overflow) {
    return PyLong_AsLongAndOverflow(op, overflow);
}

long long PyLong_AsLongLong(PyObject* op) {
    int overflow;
    const long value = PyLong_AsLongAndOverflow(op, &overflow);
    if (overflow != 0) {
        return refuse<long long>(PyExc_OverflowError, "int too big to convert");
    }
    return value;
}

Py_ssize_t PyLong_AsSsize_t(PyObject* op) {
    if (op == nullptr) {
        return bad_call<Py_ssize_t>();
    }
    if (!PyLong_Check(op)) {
        return refuse<Py_ssize_t>(PyExc_TypeError, "an integer is required");
    }
    if (!is_small(op)) {
        return refuse<Py_ssize_t>(PyExc_OverflowError,
                                  "Python int too large to convert to C ssize_t");
    }
    return small_value(op);
}

unsigned long PyLong_AsUnsignedLong(PyObject* op) {
    return as_unsigned(op, "can't convert negative value to unsigned int",
                       "Python int too large to convert to C unsigned long");
}

unsigned long long PyLong_AsUnsignedLongLong(PyObject* op) {
    return as_unsigned(op, "can't convert negative int to unsigned", "int too big to convert");
}

size_t PyLong_AsSize_t(PyObject* op) {
    return as_unsigned(op, "can't convert negative value to size_t",
                       "Python int too large to convert to C size_t");
}

unsigned long PyLong_AsUnsignedLongMask(PyObject* op) {
    return with_index<unsigned long>(op, low_bits);
}

unsigned long long PyLong_AsUnsignedLongLongMask(PyObject* op) {
    return PyLong_AsUnsignedLongMask(op);
}

double PyLong_AsDouble(PyObject* op) {
    if (op == nullptr) {
        return bad_call<double>();
    }
    if (!PyLong_Check(op)) {
        return refuse<double>(PyExc_TypeError, "an integer is required");
    }
    if (is_small(op)) {
        return static_cast<double>(small_value(op));
    }
    const double value = to_double(as_long(op)->ob_big->value);
    if (std::isinf(value)) {
        return refuse<double>(PyExc_OverflowError, "int too large to convert to float");
    }
    return value;
}

void* PyLong_AsVoidPtr(PyObject* op) {
    const bool is_signed = op != nullptr && PyLong_Check(op) && sign_of(op) < 0;
    const uintptr_t value = is_signed ? static_cast<uintptr_t>(PyLong_AsLong(op))
                                      : static_cast<uintptr_t>(PyLong_AsUnsignedLong(op));
    if (value == static_cast<uintptr_t>(-1) && PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    return reinterpret_cast<void*>(value);
}
