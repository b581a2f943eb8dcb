// The operations of float, with ints too.
#include <cerrno>
#include <cmath>
#include <cstring>

#include "core/builtins/number/complex.hpp"
#include "core/builtins/number/float.hpp"
#include "core/builtins/number/operands.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

template <class Compute>
PyObject* binary(PyObject* a, PyObject* b, Compute compute) {
    return compute_with<double>(a, b, compute);
}

PyObject* divide_by_zero(const char* message) {
    PyErr_SetString(PyExc_ZeroDivisionError, message);
    return nullptr;
}

PyObject* float_add(PyObject* a, PyObject* b) {
    return binary(a, b, [](double x, double y) { return PyFloat_FromDouble(x + y); });
}

PyObject* float_subtract(PyObject* a, PyObject* b) {
    return binary(a, b, [](double x, double y) { return PyFloat_FromDouble(x - y); });
}

PyObject* float_multiply(PyObject* a, PyObject* b) {
    return binary(a, b, [](double x, double y) { return PyFloat_FromDouble(x * y); });
}

PyObject* float_true_divide(PyObject* a, PyObject* b) {
    return binary(a, b, [](double x, double y) {
        return y == 0.0 ? divide_by_zero("float division by zero") : PyFloat_FromDouble(x / y);
    });
}

struct Division {
    double quotient;   // rounded down
    double remainder;  // has the sign of the divisor, a zero too
};

// Pre: y != 0.
Division floor_divide(double x, double y) {
    double remainder = std::fmod(x, y);
    double quotient = (x - remainder) / y;  // a whole number but for rounding
    if (remainder == 0.0) {
        remainder = std::copysign(0.0, y);
    } else if ((remainder < 0.0) != (y < 0.0)) {
        remainder += y;
        quotient -= 1.0;
    }
    if (quotient == 0.0) {
        return {std::copysign(0.0, x / y), remainder};
    }
    const double whole = std::floor(quotient);
    return {quotient - whole > 0.5 ? whole + 1.0 : whole, remainder};
}

PyObject* float_floor_divide(PyObject* a, PyObject* b) {
    return binary(a, b, [](double x, double y) {
        return y == 0.0 ? divide_by_zero("float floor division by zero")
                        : PyFloat_FromDouble(floor_divide(x, y).quotient);
    });
}

PyObject* float_remainder(PyObject* a, PyObject* b) {
    return binary(a, b, [](double x, double y) {
        return y == 0.0 ? divide_by_zero("float modulo")
                        : PyFloat_FromDouble(floor_divide(x, y).remainder);
    });
}

PyObject* float_divmod(PyObject* a, PyObject* b) {
    return binary(a, b, [](double x, double y) -> PyObject* {
        if (y == 0.0) {
            return divide_by_zero("float divmod()");
        }
        const Division division = floor_divide(x, y);
        PyObject* pair = PyTuple_New(2);
        if (pair == nullptr) {
            return nullptr;
        }
        PyTuple_SET_ITEM(pair, 0, PyFloat_FromDouble(division.quotient));
        PyTuple_SET_ITEM(pair, 1, PyFloat_FromDouble(division.remainder));
        if (PyTuple_GET_ITEM(pair, 0) == nullptr || PyTuple_GET_ITEM(pair, 1) == nullptr) {
            Py_DECREF(pair);
            return nullptr;
        }
        return pair;
    });
}

// OverflowError with the arguments that an error of the C library has.
PyObject* raise_range_error() {
    PyObject* arguments = PyTuple_New(2);
    if (arguments == nullptr) {
        return nullptr;
    }
    PyTuple_SET_ITEM(arguments, 0, PyLong_FromLong(ERANGE));
    PyObject* text = PyUnicode_FromString(std::strerror(ERANGE));
    PyTuple_SET_ITEM(arguments, 1, text);
    if (text != nullptr) {
        PyErr_SetObject(PyExc_OverflowError, arguments);
    }
    Py_DECREF(arguments);
    return nullptr;
}

// C's pow, but that what is infinite for finite numbers is an exception, and what is not real a complex.
PyObject* raise_to(double x, double y) {
    if (y == 0.0 || x == 1.0) {
        return PyFloat_FromDouble(1.0);  // of any NaN; C's says so of the quiet ones alone
    }
    if (std::isfinite(y) && y < 0.0 && x == 0.0) {
        return divide_by_zero("0.0 cannot be raised to a negative power");
    }
    if (std::isfinite(x) && std::isfinite(y) && x < 0.0 && y != std::floor(y)) {
        return complex_power_of({x, 0.0}, {y, 0.0});
    }
    const double power = std::pow(x, y);
    if (std::isinf(power) && std::isfinite(x) && std::isfinite(y)) {
        return raise_range_error();
    }
    return PyFloat_FromDouble(power);
}

PyObject* float_power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) {
        PyErr_SetString(PyExc_TypeError,
                        "pow() 3rd argument not allowed unless all arguments are integers");
        return nullptr;
    }
    return binary(a, b, raise_to);
}

PyObject* float_negative(PyObject* op) {
    return PyFloat_FromDouble(-PyFloat_AS_DOUBLE(op));
}

PyObject* float_absolute(PyObject* op) {
    return PyFloat_FromDouble(std::fabs(PyFloat_AS_DOUBLE(op)));
}

int float_bool(PyObject* op) {
    return PyFloat_AS_DOUBLE(op) != 0.0;
}

PyObject* float_int(PyObject* op) {
    return PyLong_FromDouble(PyFloat_AS_DOUBLE(op));
}

// A float and nothing more: op itself if it is that.
PyObject* float_float(PyObject* op) {
    return PyFloat_CheckExact(op) ? Py_NewRef(op) : PyFloat_FromDouble(PyFloat_AS_DOUBLE(op));
}

}  // namespace

PyNumberMethods number::float_as_number = {
    .nb_add = float_add,
    .nb_subtract = float_subtract,
    .nb_multiply = float_multiply,
    .nb_remainder = float_remainder,
    .nb_divmod = float_divmod,
    .nb_power = float_power,
    .nb_negative = float_negative,
    .nb_positive = float_float,
    .nb_absolute = float_absolute,
    .nb_bool = float_bool,
    .nb_int = float_int,
    .nb_float = float_float,
    .nb_floor_divide = float_floor_divide,
    .nb_true_divide = float_true_divide,
};
