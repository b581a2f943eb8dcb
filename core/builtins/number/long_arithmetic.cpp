// The operations of int: in words where operands and result fit, else by cpp_int.
#include <climits>
#include <cmath>
#include <utility>

#include "core/builtins/number/big_int.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

constexpr const char* kDivisionByZero = "integer division or modulo by zero";
constexpr long kWordBits = sizeof(long) * CHAR_BIT;

PyObject* not_implemented() {
    return Py_NewRef(Py_NotImplemented);
}

bool are_ints(PyObject* a, PyObject* b) {
    return PyLong_Check(a) && PyLong_Check(b);
}

bool are_small(PyObject* a, PyObject* b) {
    return is_small(a) && is_small(b);
}

PyObject* refuse(PyObject* exception, const char* message) {
    PyErr_SetString(exception, message);
    return nullptr;
}

uint64_t magnitude(long value) {
    return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

PyObject* long_add(PyObject* a, PyObject* b) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    long sum;
    if (are_small(a, b) && !__builtin_add_overflow(small_value(a), small_value(b), &sum)) {
        return PyLong_FromLong(sum);
    }
    return guarded([&] { return new_int(*Wide(a) + *Wide(b)); });
}

PyObject* long_subtract(PyObject* a, PyObject* b) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    long difference;
    if (are_small(a, b) && !__builtin_sub_overflow(small_value(a), small_value(b), &difference)) {
        return PyLong_FromLong(difference);
    }
    return guarded([&] { return new_int(*Wide(a) - *Wide(b)); });
}

PyObject* long_multiply(PyObject* a, PyObject* b) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    long product;
    if (are_small(a, b) && !__builtin_mul_overflow(small_value(a), small_value(b), &product)) {
        return PyLong_FromLong(product);
    }
    return guarded([&] {
        const Wide x(a), y(b);
        require_bits(bit_length(*x) + bit_length(*y));
        return new_int(*x * *y);
    });
}

// Quotient and remainder of longs, rounded down. Pre: y is neither 0 nor, with x = LONG_MIN, -1.
std::pair<long, long> floor_divide(long x, long y) {
    const long quotient = x / y;
    const long remainder = x % y;
    return remainder != 0 && (remainder < 0) != (y < 0) ? std::pair(quotient - 1, remainder + y)
                                                        : std::pair(quotient, remainder);
}

// What `take` makes of the quotient and the remainder, as longs or as BigInts.
template <class Take>
PyObject* divide(PyObject* a, PyObject* b, const char* by_zero, Take take) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    if (sign_of(b) == 0) {
        return refuse(PyExc_ZeroDivisionError, by_zero);
    }
    if (are_small(a, b) && !(small_value(a) == LONG_MIN && small_value(b) == -1)) {
        const auto [quotient, remainder] = floor_divide(small_value(a), small_value(b));
        return take(quotient, remainder);
    }
    return guarded([&] {
        BigInt quotient, remainder;
        number::floor_divide(*Wide(a), *Wide(b), quotient, remainder);
        return take(std::move(quotient), std::move(remainder));
    });
}

PyObject* make(long value) {
    return PyLong_FromLong(value);
}
PyObject* make(BigInt value) {
    return new_int(std::move(value));
}

PyObject* long_floor_divide(PyObject* a, PyObject* b) {
    return divide(a, b, kDivisionByZero,
                  [](auto quotient, auto) { return make(std::move(quotient)); });
}

PyObject* long_remainder(PyObject* a, PyObject* b) {
    return divide(a, b, "integer modulo by zero",
                  [](auto, auto remainder) { return make(std::move(remainder)); });
}

PyObject* long_divmod(PyObject* a, PyObject* b) {
    return divide(a, b, kDivisionByZero, [](auto quotient, auto remainder) -> PyObject* {
        PyObject* pair = PyTuple_New(2);
        if (pair == nullptr) {
            return nullptr;
        }
        PyTuple_SET_ITEM(pair, 0, guarded([&] { return make(std::move(quotient)); }));
        PyTuple_SET_ITEM(pair, 1, guarded([&] { return make(std::move(remainder)); }));
        if (PyTuple_GET_ITEM(pair, 0) == nullptr || PyTuple_GET_ITEM(pair, 1) == nullptr) {
            Py_DECREF(pair);
            return nullptr;
        }
        return pair;
    });
}

PyObject* long_true_divide(PyObject* a, PyObject* b) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    if (sign_of(b) == 0) {
        return refuse(PyExc_ZeroDivisionError, "division by zero");
    }
    // Doubles that are the operands exactly have a quotient that is rounded once.
    constexpr uint64_t kExact = uint64_t{1} << 53;
    if (are_small(a, b) && magnitude(small_value(a)) <= kExact &&
        magnitude(small_value(b)) <= kExact) {
        return PyFloat_FromDouble(static_cast<double>(small_value(a)) /
                                  static_cast<double>(small_value(b)));
    }
    return guarded([&] {
        const double quotient = true_quotient(*Wide(a), *Wide(b));
        return std::isinf(quotient)
                   ? refuse(PyExc_OverflowError, "integer division result too large for a float")
                   : PyFloat_FromDouble(quotient);
    });
}

// The number whose product with x is 1 modulo `modulus`, or 0 if there is none. Pre: modulus > 1.
BigInt inverse(const BigInt& x, const BigInt& modulus) {
    // Euclid's algorithm, with the factor of x in each remainder.
    BigInt last = modulus, remainder, quotient, ignored;
    number::floor_divide(x, modulus, ignored, remainder);
    BigInt last_factor = 0, factor = 1;
    while (!remainder.is_zero()) {
        BigInt next;
        divide_qr(last, remainder, quotient, next);
        last = std::exchange(remainder, std::move(next));
        last_factor = std::exchange(factor, BigInt(last_factor - quotient * factor));
    }
    if (last != 1) {
        return 0;
    }
    return is_negative(last_factor) ? BigInt(last_factor + modulus) : last_factor;
}

PyObject* power_modulo(PyObject* a, PyObject* b, PyObject* c) {
    if (sign_of(c) == 0) {
        return refuse(PyExc_ValueError, "pow() 3rd argument cannot be 0");
    }
    return guarded([&] {
        const BigInt modulus = abs(*Wide(c));
        if (modulus == 1) {
            return PyLong_FromLong(0);
        }
        BigInt base = *Wide(a);
        if (sign_of(b) < 0) {
            base = inverse(base, modulus);
            if (base.is_zero()) {
                return refuse(PyExc_ValueError, "base is not invertible for the given modulus");
            }
        }
        BigInt quotient, residue;
        number::floor_divide(base, modulus, quotient, residue);
        BigInt result = powm(residue, BigInt(abs(*Wide(b))), modulus);
        // The result has the sign of the modulus, as that of % has.
        if (sign_of(c) < 0 && !result.is_zero()) {
            result -= modulus;
        }
        return new_int(std::move(result));
    });
}

// Pre: exponent >= 0.
PyObject* power(PyObject* a, PyObject* exponent) {
    if (is_small(a) && magnitude(small_value(a)) <= 1) {
        const bool is_odd = (PyLong_AsUnsignedLongMask(exponent) & 1) != 0;
        const long base = small_value(a);
        return PyLong_FromLong(sign_of(exponent) == 0 ? 1 : base < 0 && !is_odd ? 1 : base);
    }
    if (!is_small(exponent)) {
        return PyErr_NoMemory();
    }
    return guarded([&] {
        const Wide base(a);
        uint64_t bits;
        if (__builtin_mul_overflow(bit_length(*base), magnitude(small_value(exponent)), &bits)) {
            return PyErr_NoMemory();
        }
        require_bits(bits);
        return new_int(BigInt(pow(*base, static_cast<unsigned>(small_value(exponent)))));
    });
}

PyObject* long_power(PyObject* a, PyObject* b, PyObject* c) {
    if (!are_ints(a, b) || (c != Py_None && !PyLong_Check(c))) {
        return not_implemented();
    }
    if (c != Py_None) {
        return power_modulo(a, b, c);
    }
    if (sign_of(b) < 0) {
        return PyFloat_Type.tp_as_number->nb_power(a, b, c);
    }
    return power(a, b);
}

PyObject* long_negative(PyObject* op) {
    if (is_small(op) && small_value(op) != LONG_MIN) {
        return PyLong_FromLong(-small_value(op));
    }
    return guarded([op] { return new_int(-*Wide(op)); });
}

PyObject* long_absolute(PyObject* op) {
    return sign_of(op) < 0 ? long_negative(op) : exact_int(op);
}

int long_bool(PyObject* op) {
    return sign_of(op) != 0;
}

PyObject* long_invert(PyObject* op) {
    if (is_small(op)) {
        return PyLong_FromLong(~small_value(op));
    }
    return guarded([op] { return new_int(-*Wide(op) - 1); });
}

PyObject* long_lshift(PyObject* a, PyObject* b) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    if (sign_of(b) < 0) {
        return refuse(PyExc_ValueError, "negative shift count");
    }
    if (sign_of(a) == 0) {
        return PyLong_FromLong(0);
    }
    if (!is_small(b)) {
        return refuse(PyExc_OverflowError, "too many digits in integer");
    }
    const long count = small_value(b);
    if (is_small(a) && count < kWordBits) {
        const long shifted = static_cast<long>(static_cast<unsigned long>(small_value(a)) << count);
        if (shifted >> count == small_value(a)) {
            return PyLong_FromLong(shifted);
        }
    }
    return guarded([&] {
        const Wide value(a);
        require_bits(static_cast<uint64_t>(count));
        require_bits(bit_length(*value) + static_cast<uint64_t>(count));
        return new_int(*value << static_cast<unsigned>(count));
    });
}

PyObject* long_rshift(PyObject* a, PyObject* b) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    if (sign_of(b) < 0) {
        return refuse(PyExc_ValueError, "negative shift count");
    }
    const bool is_far = !is_small(b) || static_cast<uint64_t>(small_value(b)) > kMostBits;
    if (is_far || (is_small(a) && small_value(b) >= kWordBits)) {
        return PyLong_FromLong(sign_of(a) < 0 ? -1 : 0);
    }
    if (is_small(a)) {
        return PyLong_FromLong(small_value(a) >> small_value(b));
    }
    // Rounded down: the complement of a negative number is not negative.
    return guarded([&] {
        const auto count = static_cast<unsigned>(small_value(b));
        const Wide value(a);
        return sign_of(a) < 0 ? new_int(-((-*value - 1) >> count) - 1) : new_int(*value >> count);
    });
}

template <class Operation>
PyObject* bitwise(PyObject* a, PyObject* b, Operation operation) {
    if (!are_ints(a, b)) {
        return not_implemented();
    }
    if (are_small(a, b)) {
        return PyLong_FromLong(operation(small_value(a), small_value(b)));
    }
    return guarded([&] { return new_int(operation(*Wide(a), *Wide(b))); });
}

PyObject* long_and(PyObject* a, PyObject* b) {
    return bitwise(a, b, [](const auto& x, const auto& y) { return x & y; });
}
PyObject* long_or(PyObject* a, PyObject* b) {
    return bitwise(a, b, [](const auto& x, const auto& y) { return x | y; });
}
PyObject* long_xor(PyObject* a, PyObject* b) {
    return bitwise(a, b, [](const auto& x, const auto& y) { return x ^ y; });
}

PyObject* long_float(PyObject* op) {
    const double value = PyLong_AsDouble(op);
    return value == -1.0 && PyErr_Occurred() != nullptr ? nullptr : PyFloat_FromDouble(value);
}

}  // namespace

PyNumberMethods number::long_as_number = {
    .nb_add = long_add,
    .nb_subtract = long_subtract,
    .nb_multiply = long_multiply,
    .nb_remainder = long_remainder,
    .nb_divmod = long_divmod,
    .nb_power = long_power,
    .nb_negative = long_negative,
    .nb_positive = exact_int,
    .nb_absolute = long_absolute,
    .nb_bool = long_bool,
    .nb_invert = long_invert,
    .nb_lshift = long_lshift,
    .nb_rshift = long_rshift,
    .nb_and = long_and,
    .nb_xor = long_xor,
    .nb_or = long_or,
    .nb_int = exact_int,
    .nb_float = long_float,
    .nb_floor_divide = long_floor_divide,
    .nb_true_divide = long_true_divide,
    .nb_index = exact_int,
};
