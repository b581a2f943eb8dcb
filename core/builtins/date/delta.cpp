// timedelta.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/builtins/date/date.hpp"
#include "core/builtins/text/message.hpp"
#include "core/object/compare.hpp"

using namespace ouro;
using namespace ouro::date;
using object::Own;

namespace {

constexpr int kMostDays = 999'999'999;

PyObject* too_large(Microseconds days) {
    return PyErr_Format(PyExc_OverflowError, "days=%lld; must have magnitude <= %d",
                        static_cast<long long>(days), kMostDays);
}

// The quotient, and what is left of the divisor's sign. Pre: divisor != 0.
Microseconds floor_divide(Microseconds value, Microseconds divisor, Microseconds* rest) {
    Microseconds quotient = value / divisor;
    *rest = value % divisor;
    if (*rest != 0 && (*rest < 0) != (divisor < 0)) {
        --quotient;
        *rest += divisor;
    }
    return quotient;
}

// The nearest quotient, of two the even one.
Microseconds divide_nearest(Microseconds value, Microseconds divisor) {
    Microseconds rest;
    Microseconds quotient = floor_divide(value, divisor, &rest);
    const Microseconds twice = rest * 2;
    const bool is_above = divisor > 0 ? twice > divisor : twice < divisor;
    if (is_above || (twice == divisor && quotient % 2 != 0)) {
        ++quotient;
    }
    return quotient;
}

// An int that fits; false with an exception.
bool take_int(PyObject* op, Microseconds* value) {
    int overflow;
    const long long read = PyLong_AsLongLongAndOverflow(op, &overflow);
    if (overflow != 0) {
        PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C int");
        return false;
    }
    *value = read;
    return read != -1 || PyErr_Occurred() == nullptr;
}

// value = numerator * 2^exponent, of a finite double.
struct Ratio {
    Microseconds numerator;
    int exponent;
};
bool take_ratio(PyObject* op, Ratio* ratio) {
    const double value = PyFloat_AS_DOUBLE(op);
    if (!std::isfinite(value)) {
        PyErr_SetString(std::isnan(value) ? PyExc_ValueError : PyExc_OverflowError,
                        std::isnan(value) ? "cannot convert NaN to integer ratio"
                                          : "cannot convert Infinity to integer ratio");
        return false;
    }
    int exponent;
    ratio->numerator = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    ratio->exponent = exponent - 53;
    for (; ratio->numerator != 0 && ratio->numerator % 2 == 0; ratio->numerator /= 2) {
        ++ratio->exponent;
    }
    return true;
}

// value * 2^count; false where nothing that large is a timedelta.
bool shift(Microseconds value, int count, Microseconds* shifted) {
    constexpr int kMost = 120;
    const Microseconds size = value < 0 ? -value : value;
    if (value != 0 && (count > kMost || size >> (kMost - count) != 0)) {
        too_large(kMostDays + 1LL);
        return false;
    }
    *shifted = value == 0 ? 0 : value * (Microseconds{1} << count);
    return true;
}

PyObject* times_float(PyObject* op, PyObject* factor) {
    Ratio ratio;
    if (!take_ratio(factor, &ratio)) {
        return nullptr;
    }
    Microseconds product = microseconds_in(op) * ratio.numerator;
    if (ratio.exponent >= 0) {
        return shift(product, ratio.exponent, &product) ? new_delta(product) : nullptr;
    }
    return ratio.exponent < -124
               ? new_delta(0)
               : new_delta(divide_nearest(product, Microseconds{1} << -ratio.exponent));
}

PyObject* over_float(PyObject* op, PyObject* divisor) {
    Ratio ratio;
    if (!take_ratio(divisor, &ratio)) {
        return nullptr;
    }
    if (ratio.numerator == 0) {
        PyErr_SetString(PyExc_ZeroDivisionError, "integer division or modulo by zero");
        return nullptr;
    }
    Microseconds value = microseconds_in(op);
    if (ratio.exponent <= 0) {
        return shift(value, -ratio.exponent, &value)
                   ? new_delta(divide_nearest(value, ratio.numerator))
                   : nullptr;
    }
    return ratio.exponent > 60 || !shift(ratio.numerator, ratio.exponent, &ratio.numerator)
               ? (PyErr_Clear(), new_delta(0))
               : new_delta(divide_nearest(value, ratio.numerator));
}

struct Unit {
    const char* name;
    Microseconds microseconds;
};
constexpr std::array<Unit, 7> kUnits = {{{"days", kDay},
                                         {"seconds", kSecond},
                                         {"microseconds", 1},
                                         {"milliseconds", 1000},
                                         {"minutes", 60 * kSecond},
                                         {"hours", 3600 * kSecond},
                                         {"weeks", 7 * kDay}}};

// Adds so many of a unit; parts of a microsecond go to *rest.
bool add_units(PyObject* many, const Unit& unit, Microseconds* sum, double* rest) {
    if (PyLong_Check(many)) {
        Microseconds value;
        if (!take_int(many, &value)) {
            return false;
        }
        constexpr Microseconds kMost = Microseconds{1} << 63;
        *sum += std::clamp(value, -kMost, kMost) * unit.microseconds;
        return true;
    }
    if (!PyFloat_Check(many)) {
        PyErr_Format(PyExc_TypeError, "unsupported type for timedelta %s component: %s", unit.name,
                     Py_TYPE(many)->tp_name);
        return false;
    }
    double whole;
    double part = std::modf(PyFloat_AS_DOUBLE(many), &whole);
    if (!std::isfinite(whole)) {
        PyErr_SetString(std::isnan(whole) ? PyExc_ValueError : PyExc_OverflowError,
                        std::isnan(whole) ? "cannot convert float NaN to integer"
                                          : "cannot convert float infinity to integer");
        return false;
    }
    if (std::fabs(whole) > 1e18) {
        too_large(kMostDays + 1LL);
        return false;
    }
    *sum += Microseconds{static_cast<int64_t>(whole)} * unit.microseconds;
    part = std::modf(part * static_cast<double>(unit.microseconds), &whole);
    *sum += static_cast<int64_t>(whole);
    *rest += part;
    return true;
}

PyObject* delta_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"days",    "seconds", "microseconds", "milliseconds",
                                        "minutes", "hours",   "weeks",        nullptr};
    PyObject* given[7] = {};
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOOOOO:__new__", names, &given[0], &given[1],
                                    &given[2], &given[3], &given[4], &given[5], &given[6]) == 0) {
        return nullptr;
    }
    Microseconds sum = 0;
    double rest = 0;
    for (size_t i = 0; i < kUnits.size(); ++i) {
        if (given[i] != nullptr && !add_units(given[i], kUnits[i], &sum, &rest)) {
            return nullptr;
        }
    }
    // Half to even, of the sum and not of the rest alone.
    const int odd = sum % 2 != 0 ? 1 : 0;
    double nearest = std::round(rest);
    if (std::fabs(nearest - rest) == 0.5) {
        nearest = 2.0 * std::round((rest + odd) * 0.5) - odd;
    }
    return new_delta(sum + static_cast<int64_t>(nearest), type);
}

PyObject* delta_repr(PyObject* op) {
    text::Message text;
    text.add(Py_TYPE(op)->tp_name).add("(");
    const std::array<std::pair<const char*, int>, 3> parts = {
        {{"days=", delta(op)->days},
         {"seconds=", delta(op)->seconds},
         {"microseconds=", delta(op)->microseconds}}};
    bool is_first = true;
    for (const auto& [name, value] : parts) {
        if (value != 0) {
            text.add(is_first ? "" : ", ").add(name).add_number(value);
            is_first = false;
        }
    }
    return text.add(is_first ? "0)" : ")").finish();
}

PyObject* delta_str(PyObject* op) {
    const int days = delta(op)->days;
    const int seconds = delta(op)->seconds;
    char clock[40];
    std::snprintf(clock, sizeof clock, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60,
                  seconds % 60);
    std::string text =
        days == 0 ? "" : std::to_string(days) + (days == 1 || days == -1 ? " day, " : " days, ");
    text += clock;
    if (delta(op)->microseconds != 0) {
        std::snprintf(clock, sizeof clock, ".%06d", delta(op)->microseconds);
        text += clock;
    }
    return new_text(text);
}

PyObject* delta_compare(PyObject* a, PyObject* b, int operation) {
    return is_delta(b) ? compare(microseconds_in(a), microseconds_in(b), operation)
                       : Py_NewRef(Py_NotImplemented);
}

Py_hash_t delta_hash(PyObject* op) {
    const Own parts(
        Py_BuildValue("(iii)", delta(op)->days, delta(op)->seconds, delta(op)->microseconds));
    return parts ? PyObject_Hash(parts.get()) : -1;
}

int delta_bool(PyObject* op) {
    return microseconds_in(op) != 0;
}

PyObject* delta_add(PyObject* a, PyObject* b) {
    return is_delta(a) && is_delta(b) ? new_delta(microseconds_in(a) + microseconds_in(b))
                                      : Py_NewRef(Py_NotImplemented);
}
PyObject* delta_subtract(PyObject* a, PyObject* b) {
    return is_delta(a) && is_delta(b) ? new_delta(microseconds_in(a) - microseconds_in(b))
                                      : Py_NewRef(Py_NotImplemented);
}
PyObject* delta_negative(PyObject* op) {
    return new_delta(-microseconds_in(op));
}
PyObject* delta_positive(PyObject* op) {
    return new_delta(microseconds_in(op));
}
PyObject* delta_absolute(PyObject* op) {
    return microseconds_in(op) < 0 ? delta_negative(op) : delta_positive(op);
}

PyObject* delta_multiply(PyObject* a, PyObject* b) {
    PyObject* op = is_delta(a) ? a : b;
    PyObject* factor = is_delta(a) ? b : a;
    if (PyFloat_Check(factor)) {
        return times_float(op, factor);
    }
    Microseconds times;
    if (!PyLong_Check(factor)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (!take_int(factor, &times)) {
        return nullptr;
    }
    Microseconds product;
    return __builtin_mul_overflow(microseconds_in(op), times, &product) ? too_large(kMostDays + 1LL)
                                                                        : new_delta(product);
}

bool check_divisor(Microseconds divisor) {
    if (divisor == 0) {
        PyErr_SetString(PyExc_ZeroDivisionError, "integer division or modulo by zero");
    }
    return divisor != 0;
}

PyObject* delta_true_divide(PyObject* a, PyObject* b) {
    if (!is_delta(a)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (is_delta(b)) {
        const Own x(int_of(microseconds_in(a)));
        const Own y(int_of(microseconds_in(b)));
        return x && y ? PyNumber_TrueDivide(x.get(), y.get()) : nullptr;
    }
    if (PyFloat_Check(b)) {
        return over_float(a, b);
    }
    Microseconds divisor;
    if (!PyLong_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return take_int(b, &divisor) && check_divisor(divisor)
               ? new_delta(divide_nearest(microseconds_in(a), divisor))
               : nullptr;
}

PyObject* delta_floor_divide(PyObject* a, PyObject* b) {
    Microseconds rest;
    Microseconds divisor;
    if (!is_delta(a) || (!is_delta(b) && !PyLong_Check(b))) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (is_delta(b)) {
        divisor = microseconds_in(b);
        return check_divisor(divisor) ? int_of(floor_divide(microseconds_in(a), divisor, &rest))
                                      : nullptr;
    }
    return take_int(b, &divisor) && check_divisor(divisor)
               ? new_delta(floor_divide(microseconds_in(a), divisor, &rest))
               : nullptr;
}

PyObject* delta_remainder(PyObject* a, PyObject* b) {
    if (!is_delta(a) || !is_delta(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    Microseconds rest;
    if (!check_divisor(microseconds_in(b))) {
        return nullptr;
    }
    floor_divide(microseconds_in(a), microseconds_in(b), &rest);
    return new_delta(rest);
}

PyObject* delta_divmod(PyObject* a, PyObject* b) {
    const Own quotient(delta_floor_divide(a, b));
    if (!quotient || !is_delta(a) || !is_delta(b)) {
        return quotient ? Py_NewRef(Py_NotImplemented) : nullptr;
    }
    const Own rest(delta_remainder(a, b));
    return rest ? PyTuple_Pack(2, quotient.get(), rest.get()) : nullptr;
}

PyObject* total_seconds(PyObject* op, PyObject*) {
    const Own microseconds(int_of(microseconds_in(op)));
    const Own million(PyLong_FromLong(1'000'000));
    return microseconds && million ? PyNumber_TrueDivide(microseconds.get(), million.get())
                                   : nullptr;
}

PyObject* delta_reduce(PyObject* op, PyObject*) {
    return Py_BuildValue("(O(iii))", Py_TYPE(op), delta(op)->days, delta(op)->seconds,
                         delta(op)->microseconds);
}

PyMemberDef members[] = {
    {"days", Py_T_INT, offsetof(PyDateTime_Delta, days), Py_READONLY, nullptr},
    {"seconds", Py_T_INT, offsetof(PyDateTime_Delta, seconds), Py_READONLY, nullptr},
    {"microseconds", Py_T_INT, offsetof(PyDateTime_Delta, microseconds), Py_READONLY, nullptr},
    {}};

PyMethodDef methods[] = {
    {"total_seconds", total_seconds, METH_NOARGS, PyDoc_STR("All of it in seconds.")},
    {"__reduce__", delta_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyNumberMethods as_number = {
    .nb_add = delta_add,
    .nb_subtract = delta_subtract,
    .nb_multiply = delta_multiply,
    .nb_remainder = delta_remainder,
    .nb_divmod = delta_divmod,
    .nb_negative = delta_negative,
    .nb_positive = delta_positive,
    .nb_absolute = delta_absolute,
    .nb_bool = delta_bool,
    .nb_floor_divide = delta_floor_divide,
    .nb_true_divide = delta_true_divide,
};

}  // namespace

PyTypeObject date::DeltaType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.timedelta",
    .tp_basicsize = sizeof(PyDateTime_Delta),
    .tp_repr = delta_repr,
    .tp_as_number = &as_number,
    .tp_hash = delta_hash,
    .tp_str = delta_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = delta_compare,
    .tp_methods = methods,
    .tp_members = members,
    .tp_new = delta_new,
};

Microseconds date::microseconds_in(PyObject* op) {
    return Microseconds{delta(op)->days} * kDay + Microseconds{delta(op)->seconds} * kSecond +
           delta(op)->microseconds;
}

PyObject* date::new_delta(Microseconds microseconds, PyTypeObject* type) {
    Microseconds rest;
    const Microseconds days = floor_divide(microseconds, kDay, &rest);
    if (days < -kMostDays || days > kMostDays) {
        return too_large(std::clamp<Microseconds>(days, PY_LLONG_MIN, PY_LLONG_MAX));
    }
    PyObject* op = type->tp_alloc(type, 0);
    if (op != nullptr) {
        delta(op)->hashcode = -1;
        delta(op)->days = static_cast<int>(days);
        delta(op)->seconds = static_cast<int>(rest / kSecond);
        delta(op)->microseconds = static_cast<int>(rest % kSecond);
    }
    return op;
}

PyObject* date::int_of(Microseconds value) {
    return PyLong_FromNativeBytes(&value, sizeof value, -1);
}

PyObject* date::compare(Microseconds a, Microseconds b, int operation) {
    return PyBool_FromLong(object::holds(operation, object::order_of(a, b)));
}
