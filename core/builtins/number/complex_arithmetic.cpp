// The operations of complex, with ints and floats too.
#include <cerrno>
#include <cmath>

#include "core/builtins/number/complex.hpp"
#include "core/builtins/number/operands.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

template <class Compute>
PyObject* binary(PyObject* a, PyObject* b, Compute compute) {
    return compute_with<Py_complex>(a, b, compute);
}

Py_complex product(Py_complex x, Py_complex y) {
    return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
}

// Smith's way (Communications of the ACM 5, 1962, algorithm 116): the larger part of the divisor divides
// first, so that no square overflows. False if the divisor is zero.
bool divide(Py_complex x, Py_complex y, Py_complex* quotient) {
    const double real = std::fabs(y.real);
    const double imag = std::fabs(y.imag);
    if (real >= imag) {
        if (real == 0.0) {
            return false;
        }
        const double ratio = y.imag / y.real;
        const double divisor = y.real + y.imag * ratio;
        *quotient = {(x.real + x.imag * ratio) / divisor, (x.imag - x.real * ratio) / divisor};
    } else if (imag >= real) {
        const double ratio = y.real / y.imag;
        const double divisor = y.real * ratio + y.imag;
        *quotient = {(x.real * ratio + x.imag) / divisor, (x.imag * ratio - x.real) / divisor};
    } else {
        *quotient = {Py_NAN, Py_NAN};
    }
    return true;
}

// By squaring. Pre: exponent >= 0.
Py_complex power_of_natural(Py_complex base, unsigned exponent) {
    Py_complex power{1.0, 0.0};
    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            power = product(power, base);
        }
        base = product(base, base);
    }
    return power;
}

// Those of at most this are computed by squaring: faster, and without logarithms more exact.
constexpr double kMostSquared = 100.0;

// False if that is a division by zero.
bool power(Py_complex base, Py_complex exponent, Py_complex* result) {
    if (exponent.imag == 0.0 && exponent.real == std::floor(exponent.real) &&
        std::fabs(exponent.real) <= kMostSquared) {
        const auto times = static_cast<unsigned>(std::fabs(exponent.real));
        *result = power_of_natural(base, times);
        return exponent.real > 0.0 || divide({1.0, 0.0}, *result, result);
    }
    if (base.real == 0.0 && base.imag == 0.0) {
        *result = {0.0, 0.0};
        return exponent.imag == 0.0 && exponent.real >= 0.0;
    }
    const double size = std::hypot(base.real, base.imag);
    const double angle = std::atan2(base.imag, base.real);
    double length = std::pow(size, exponent.real);
    double turn = angle * exponent.real;
    if (exponent.imag != 0.0) {
        length /= std::exp(angle * exponent.imag);
        turn += exponent.imag * std::log(size);
    }
    *result = {length * std::cos(turn), length * std::sin(turn)};
    return !std::isinf(turn);  // C's domain error of the two, which CPython takes for the other one
}

PyObject* complex_add(PyObject* a, PyObject* b) {
    return binary(a, b, [](Py_complex x, Py_complex y) {
        return PyComplex_FromDoubles(x.real + y.real, x.imag + y.imag);
    });
}

PyObject* complex_subtract(PyObject* a, PyObject* b) {
    return binary(a, b, [](Py_complex x, Py_complex y) {
        return PyComplex_FromDoubles(x.real - y.real, x.imag - y.imag);
    });
}

PyObject* complex_multiply(PyObject* a, PyObject* b) {
    return binary(a, b,
                  [](Py_complex x, Py_complex y) { return PyComplex_FromCComplex(product(x, y)); });
}

PyObject* complex_true_divide(PyObject* a, PyObject* b) {
    return binary(a, b, [](Py_complex x, Py_complex y) -> PyObject* {
        Py_complex quotient;
        if (!divide(x, y, &quotient)) {
            PyErr_SetString(PyExc_ZeroDivisionError, "complex division by zero");
            return nullptr;
        }
        return PyComplex_FromCComplex(quotient);
    });
}

PyObject* complex_power(PyObject* a, PyObject* b, PyObject* modulus) {
    return binary(a, b, [modulus](Py_complex x, Py_complex y) -> PyObject* {
        if (modulus != Py_None) {
            PyErr_SetString(PyExc_ValueError, "complex modulo");
            return nullptr;
        }
        return complex_power_of(x, y);
    });
}

PyObject* complex_negative(PyObject* op) {
    const Py_complex value = complex_of(op);
    return PyComplex_FromDoubles(-value.real, -value.imag);
}

PyObject* complex_positive(PyObject* op) {
    return PyComplex_CheckExact(op) ? Py_NewRef(op) : PyComplex_FromCComplex(complex_of(op));
}

PyObject* complex_absolute(PyObject* op) {
    const Py_complex value = complex_of(op);
    const double size = std::hypot(value.real, value.imag);
    if (std::isinf(size) && std::isfinite(value.real) && std::isfinite(value.imag)) {
        PyErr_SetString(PyExc_OverflowError, "absolute value too large");
        return nullptr;
    }
    return PyFloat_FromDouble(size);
}

int complex_bool(PyObject* op) {
    const Py_complex value = complex_of(op);
    return value.real != 0.0 || value.imag != 0.0;
}

}  // namespace

PyObject* number::complex_power_of(Py_complex base, Py_complex exponent) {
    Py_complex result;
    if (!power(base, exponent, &result)) {
        PyErr_SetString(PyExc_ZeroDivisionError, "0.0 to a negative or complex power");
        return nullptr;
    }
    if (std::isinf(result.real) || std::isinf(result.imag)) {
        PyErr_SetString(PyExc_OverflowError, "complex exponentiation");
        return nullptr;
    }
    return PyComplex_FromCComplex(result);
}

PyNumberMethods number::complex_as_number = {
    .nb_add = complex_add,
    .nb_subtract = complex_subtract,
    .nb_multiply = complex_multiply,
    .nb_power = complex_power,
    .nb_negative = complex_negative,
    .nb_positive = complex_positive,
    .nb_absolute = complex_absolute,
    .nb_bool = complex_bool,
    .nb_true_divide = complex_true_divide,
};

Py_complex _Py_c_sum(Py_complex a, Py_complex b) {
    return {a.real + b.real, a.imag + b.imag};
}

Py_complex _Py_c_diff(Py_complex a, Py_complex b) {
    return {a.real - b.real, a.imag - b.imag};
}

Py_complex _Py_c_neg(Py_complex a) {
    return {-a.real, -a.imag};
}

Py_complex _Py_c_prod(Py_complex a, Py_complex b) {
    return product(a, b);
}

Py_complex _Py_c_quot(Py_complex a, Py_complex b) {
    Py_complex result{};
    if (!divide(a, b, &result)) {
        errno = EDOM;
    }
    return result;
}

Py_complex _Py_c_pow(Py_complex a, Py_complex b) {
    Py_complex result{};
    if (!power(a, b, &result)) {
        errno = EDOM;
    } else if (!std::isfinite(result.real) || !std::isfinite(result.imag)) {
        errno = ERANGE;
    }
    return result;
}
