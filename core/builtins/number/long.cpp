// int: how it is made and what it is worth.
#include "core/builtins/number/long.hpp"
#include "core/builtins/number/number_methods.hpp"

#include <array>
#include <climits>
#include <cmath>
#include <utility>

#include "core/builtins/number/big_int.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

constexpr long kLeastShared = -5;
constexpr long kGreatestShared = 256;
using SharedInts = std::array<PyLongObject, kGreatestShared - kLeastShared + 1>;

constexpr SharedInts make_shared_ints() {
    SharedInts ints{};
    for (size_t i = 0; i < ints.size(); ++i) {
        ints[i] = {
            {OURO_BIASED_IMMORTAL, 0, &PyLong_Type}, kLeastShared + static_cast<long>(i), nullptr};
    }
    return ints;
}

constinit SharedInts shared_ints = make_shared_ints();

// Takes the value's memory. nullptr, without an exception, when there is none.
_ouro_big_int* new_big(BigInt&& value) {
    void* memory = PyMem_Malloc(sizeof(_ouro_big_int));
    return memory == nullptr ? nullptr : new (memory) _ouro_big_int{std::move(value)};
}

PyObject* make(long value, _ouro_big_int* big) {
    PyObject* op = object::allocate_atom(&PyLong_Type, sizeof(PyLongObject));
    if (op != nullptr) {
        as_long(op)->ob_value = value;
        as_long(op)->ob_big = big;
    }
    return op;
}

void free_big(_ouro_big_int* big) {
    if (big != nullptr) {
        big->~_ouro_big_int();
        PyMem_Free(big);
    }
}

void long_dealloc(PyObject* op) {
    free_big(as_long(op)->ob_big);
    Py_TYPE(op)->tp_free(op);
}

PyObject* long_repr(PyObject* op) {
    return format_int(op, 10, false);
}

Py_hash_t long_hash(PyObject* op) {
    if (is_small(op)) {
        const long value = small_value(op);
        const uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : value;
        return hash_of_residue(magnitude % kHashModulus, value < 0);
    }
    // 2^64 is 8 modulo 2^61 - 1, and to multiply by 8 turns the bits round by 3.
    const BigInt& value = as_long(op)->ob_big->value;
    uint64_t residue = 0;
    for (size_t i = limb_count(value); i-- > 0;) {
        residue = ((residue << 3) & kHashModulus) | residue >> (kHashBits - 3);
        residue = (residue + limb(value, i) % kHashModulus) % kHashModulus;
    }
    return hash_of_residue(residue, is_negative(value));
}

PyObject* long_richcompare(PyObject* a, PyObject* b, int operation) {
    if (!PyLong_Check(a) || !PyLong_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (is_small(a) && is_small(b)) {
        return PyBool_FromLong(
            object::holds(operation, object::order_of(small_value(a), small_value(b))));
    }
    const int order = Wide(a)->compare(*Wide(b));
    return PyBool_FromLong(object::holds(operation, object::order_of(order, 0)));
}

// An instance of a type that is derived from int.
PyObject* new_derived(PyTypeObject* type, PyObject* value) {
    PyObject* op = type->tp_alloc(type, 0);
    if (op == nullptr) {
        return nullptr;
    }
    as_long(op)->ob_value = as_long(value)->ob_value;
    as_long(op)->ob_big = nullptr;
    if (is_small(value)) {
        return op;
    }
    PyObject* filled = guarded([op, value] {
        as_long(op)->ob_big = new_big(BigInt(as_long(value)->ob_big->value));
        return as_long(op)->ob_big != nullptr ? op : PyErr_NoMemory();
    });
    if (filled == nullptr) {
        Py_DECREF(op);
    }
    return filled;
}

// int(x), int(x, base) and int().
PyObject* new_exact(PyObject* x, PyObject* base) {
    if (x == nullptr) {
        if (base != nullptr) {
            PyErr_SetString(PyExc_TypeError, "int() missing string argument");
            return nullptr;
        }
        return PyLong_FromLong(0);
    }
    if (base == nullptr) {
        return PyNumber_Long(x);
    }
    const Py_ssize_t value = PyNumber_AsSsize_t(base, nullptr);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    if ((value != 0 && value < 2) || value > 36) {
        PyErr_SetString(PyExc_ValueError, "int() base must be >= 2 and <= 36, or 0");
        return nullptr;
    }
    if (PyUnicode_Check(x)) {
        return PyLong_FromUnicodeObject(x, static_cast<int>(value));
    }
    if (PyType_HasFeature(Py_TYPE(x), Py_TPFLAGS_BYTES_SUBCLASS)) {
        const BufferView view(x);
        return view.is_valid() ? parse_int(view.text(), static_cast<int>(value), x) : nullptr;
    }
    PyErr_SetString(PyExc_TypeError, "int() can't convert non-string with explicit base");
    return nullptr;
}

PyObject* long_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    IntArguments taken;
    if (!take_int_arguments(args, kwargs, &taken)) {
        return nullptr;
    }
    PyObject* value = new_exact(taken.x, taken.base);
    if (value == nullptr || type == &PyLong_Type) {
        return value;
    }
    PyObject* op = new_derived(type, value);
    Py_DECREF(value);
    return op;
}

}  // namespace

PyTypeObject PyLong_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "int",
    .tp_basicsize = sizeof(PyLongObject),
    .tp_dealloc = long_dealloc,
    .tp_repr = long_repr,
    .tp_as_number = &long_as_number,
    .tp_hash = long_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_LONG_SUBCLASS,
    .tp_richcompare = long_richcompare,
    .tp_methods = number::long_methods,
    .tp_getset = number::long_getset,
    .tp_new = long_new,
};

int number::sign_of(PyObject* op) {
    return is_small(op) ? (small_value(op) > 0) - (small_value(op) < 0)
                        : as_long(op)->ob_big->value.sign();
}

object::Order number::compare_double_to_int(double x, PyObject* y) {
    if (std::isnan(x)) {
        return object::Order::kNone;
    }
    if (!is_small(y)) {
        return object::order_of(0, compare_to_double(as_long(y)->ob_big->value, x));
    }
    constexpr double kBeyond = 9223372036854775808.0;  // 2^63: no long is so large
    if (x >= kBeyond || x < -kBeyond) {
        return x > 0 ? object::Order::kGreater : object::Order::kLess;
    }
    const double whole = std::floor(x);
    const object::Order order = object::order_of(static_cast<long>(whole), small_value(y));
    return order == object::Order::kEqual && x > whole ? object::Order::kGreater : order;
}

PyObject* number::exact_int(PyObject* op) {
    if (PyLong_CheckExact(op)) {
        return Py_NewRef(op);
    }
    if (is_small(op)) {
        return PyLong_FromLong(small_value(op));
    }
    return guarded([op] { return new_int(as_long(op)->ob_big->value); });
}

PyObject* number::new_int(BigInt value) {
    if (limb_count(value) == 1) {
        const uint64_t magnitude = limb(value, 0);
        const bool negative = is_negative(value);
        if (magnitude <= static_cast<uint64_t>(LONG_MAX) + (negative ? 1 : 0)) {
            return PyLong_FromLong(static_cast<long>(negative ? -magnitude : magnitude));
        }
    }
    _ouro_big_int* big = new_big(std::move(value));
    if (big == nullptr) {
        return PyErr_NoMemory();
    }
    PyObject* op = make(0, big);
    if (op == nullptr) {
        free_big(big);
    }
    return op;
}

PyObject* PyLong_FromLong(long value) {
    if (value >= kLeastShared && value <= kGreatestShared) {
        return &shared_ints[static_cast<size_t>(value - kLeastShared)].ob_base;
    }
    return make(value, nullptr);
}

PyObject* PyLong_FromUnsignedLong(unsigned long value) {
    if (value <= LONG_MAX) {
        return PyLong_FromLong(static_cast<long>(value));
    }
    return guarded([value] { return new_int(value); });
}

// A long, a long long and a Py_ssize_t are the same here.
static_assert(sizeof(long) == sizeof(long long) && sizeof(long) == sizeof(Py_ssize_t));

PyObject* PyLong_FromLongLong(long long value) {
    return PyLong_FromLong(value);
}

PyObject* PyLong_FromUnsignedLongLong(unsigned long long value) {
    return PyLong_FromUnsignedLong(value);
}

PyObject* PyLong_FromSsize_t(Py_ssize_t value) {
    return PyLong_FromLong(value);
}

PyObject* PyLong_FromSize_t(size_t value) {
    return PyLong_FromUnsignedLong(value);
}

PyObject* PyLong_FromVoidPtr(void* p) {
    return PyLong_FromUnsignedLong(reinterpret_cast<uintptr_t>(p));
}

PyObject* PyLong_FromDouble(double value) {
    if (std::isinf(value)) {
        PyErr_SetString(PyExc_OverflowError, "cannot convert float infinity to integer");
        return nullptr;
    }
    if (std::isnan(value)) {
        PyErr_SetString(PyExc_ValueError, "cannot convert float NaN to integer");
        return nullptr;
    }
    constexpr double kBeyond = 9223372036854775808.0;
    if (value > -kBeyond && value < kBeyond) {
        return PyLong_FromLong(static_cast<long>(value));
    }
    return guarded([value] { return new_int(from_double(value)); });
}
