// int: its methods.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/number/big_int.hpp"
#include "core/builtins/number/number_methods.hpp"
#include "core/builtins/text/bytes.hpp"
#include "core/builtins/text/format_spec.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

PyObject* exactly(PyObject* op, PyObject*) {
    return exact_int(op);
}

PyObject* get_zero(PyObject*, void*) {
    return PyLong_FromLong(0);
}

PyObject* get_one(PyObject*, void*) {
    return PyLong_FromLong(1);
}

PyObject* get_itself(PyObject* op, void*) {
    return exact_int(op);
}

PyObject* count_bits(PyObject* op, PyObject*) {
    return guarded([op] { return PyLong_FromUnsignedLongLong(bit_length(*Wide(op))); });
}

PyObject* count_ones(PyObject* op, PyObject*) {
    return guarded([op] {
        const Wide value(op);
        uint64_t ones = 0;
        for (size_t i = 0; i < limb_count(*value); ++i) {
            ones += static_cast<uint64_t>(std::popcount(limb(*value, i)));
        }
        return PyLong_FromUnsignedLongLong(ones);
    });
}

PyObject* as_integer_ratio(PyObject* op, PyObject*) {
    const object::Own value(exact_int(op));
    const object::Own one(PyLong_FromLong(1));
    return value && one ? PyTuple_Pack(2, value.get(), one.get()) : nullptr;
}

PyObject* is_integer(PyObject*, PyObject*) {
    return Py_NewRef(Py_True);
}

// Rounds to a multiple of ten to the power of so many digits, of two the even one.
PyObject* round_to_tens(PyObject* op, PyObject* digits) {
    const object::Own ten(PyLong_FromLong(10));
    const object::Own unit(!ten ? nullptr : PyNumber_Power(ten.get(), digits, Py_None));
    const object::Own parts(!unit ? nullptr : PyNumber_Divmod(op, unit.get()));
    if (!parts) {
        return nullptr;
    }
    PyObject* quotient = PyTuple_GET_ITEM(parts.get(), 0);
    PyObject* rest = PyTuple_GET_ITEM(parts.get(), 1);
    const object::Own twice(PyNumber_Add(rest, rest));
    const object::Own one(PyLong_FromLong(1));
    const object::Own last(!one ? nullptr : PyNumber_And(quotient, one.get()));
    if (!twice || !last) {
        return nullptr;
    }
    const int beyond = PyObject_RichCompareBool(twice.get(), unit.get(), Py_GT);
    const int half = PyObject_RichCompareBool(twice.get(), unit.get(), Py_EQ);
    if (beyond < 0 || half < 0) {
        return nullptr;
    }
    const object::Own below(PyNumber_Subtract(op, rest));
    const bool up = beyond > 0 || (half > 0 && sign_of(last.get()) != 0);
    return !below || !up ? Py_XNewRef(below.get()) : PyNumber_Add(below.get(), unit.get());
}

PyObject* round_int(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    if (!call::check_count("__round__", nargs, 0, 1)) {
        return nullptr;
    }
    if (nargs == 0 || args[0] == Py_None) {
        return exact_int(op);
    }
    const object::Own digits(PyNumber_Index(args[0]));
    if (!digits) {
        return nullptr;
    }
    if (sign_of(digits.get()) >= 0) {
        return exact_int(op);
    }
    const object::Own tens(PyNumber_Negative(digits.get()));
    return tens ? round_to_tens(op, tens.get()) : nullptr;
}

// Whether a byteorder, which may be nullptr, is "little". False with an exception.
bool take_order(const char* method, PyObject* op, bool* little) {
    *little = false;
    if (op == nullptr) {
        return true;
    }
    if (!PyUnicode_Check(op)) {
        PyErr_Format(PyExc_TypeError, "%s() argument 'byteorder' must be str, not %.50s", method,
                     op == Py_None ? "None" : Py_TYPE(op)->tp_name);
        return false;
    }
    *little = PyUnicode_EqualToUTF8(op, "little") != 0;
    if (!*little && PyUnicode_EqualToUTF8(op, "big") == 0) {
        PyErr_SetString(PyExc_ValueError, "byteorder must be either 'little' or 'big'");
        return false;
    }
    return true;
}

// The value of `signed=`, which is given by name alone, and is taken out of the others: a new dict, or nullptr
// if there are none. False with an exception.
bool take_signed(PyObject* kwargs, object::Own* others, bool* is_signed) {
    *is_signed = false;
    if (kwargs == nullptr) {
        return true;
    }
    *others = object::Own(PyDict_Copy(kwargs));
    PyObject* value = nullptr;
    if (!*others || PyDict_PopString(others->get(), "signed", &value) < 0) {
        return false;
    }
    const int truth = value == nullptr ? 0 : PyObject_IsTrue(value);
    Py_XDECREF(value);
    *is_signed = truth > 0;
    return truth >= 0;
}

PyObject* to_bytes(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {};
    object::Own others;
    bool little, is_signed;
    Py_ssize_t length = 1;
    if (!take_signed(kwargs, &others, &is_signed) ||
        !call::take_arguments("to_bytes", {"length", "byteorder"}, args, others.get(), given) ||
        (given[0] != nullptr && !call::take_ssize(given[0], &length)) ||
        !take_order("to_bytes", given[1], &little)) {
        return nullptr;
    }
    if (length < 0) {
        PyErr_SetString(PyExc_ValueError, "length argument must be non-negative");
        return nullptr;
    }
    object::Own made(PyBytes_FromStringAndSize(nullptr, length));
    if (!made || !write_int(op, PyBytes_AS_STRING(made.get()), static_cast<size_t>(length), little,
                            is_signed)) {
        return nullptr;
    }
    return made.release();
}

PyObject* from_bytes(PyObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {};
    object::Own others;
    bool little, is_signed;
    if (!take_signed(kwargs, &others, &is_signed) ||
        !call::take_arguments("from_bytes", {"bytes", "byteorder"}, args, others.get(), given)) {
        return nullptr;
    }
    if (given[0] == nullptr) {
        PyErr_SetString(PyExc_TypeError, "from_bytes() missing required argument 'bytes' (pos 1)");
        return nullptr;
    }
    if (!take_order("from_bytes", given[1], &little)) {
        return nullptr;
    }
    const object::Own bytes(PyBytes_FromObject(given[0]));
    if (!bytes) {
        return nullptr;
    }
    PyObject* made = read_int(text::bytes_in(bytes.get()), little, is_signed);
    if (made != nullptr && type != reinterpret_cast<PyObject*>(&PyLong_Type)) {
        PyObject* instance = PyObject_CallOneArg(type, made);
        Py_SETREF(made, instance);
    }
    return made;
}

}  // namespace

namespace ouro::number {

bool write_int(PyObject* op, char* to, size_t size, bool little, bool is_signed) {
    const bool negative = sign_of(op) < 0;
    if (negative && !is_signed) {
        PyErr_SetString(PyExc_OverflowError, "can't convert negative int to unsigned");
        return false;
    }
    try {
        const Wide value(op);
        // The bits of a negative number are those of the complement of what is one less.
        const BigInt magnitude = negative ? BigInt(-*value - 1) : *value;
        const uint64_t bits = bit_length(magnitude) + (is_signed && sign_of(op) != 0 ? 1 : 0);
        if (bits > uint64_t{8} * size) {
            PyErr_SetString(PyExc_OverflowError, "int too big to convert");
            return false;
        }
        for (size_t i = 0; i < size; ++i) {
            const size_t from = i / sizeof(Limb);
            const Limb word = from < limb_count(magnitude) ? limb(magnitude, from) : 0;
            const auto byte = static_cast<unsigned char>(word >> (i % sizeof(Limb) * 8));
            to[little ? i : size - 1 - i] = static_cast<char>(negative ? ~byte : byte);
        }
    } catch (const std::exception&) {
        PyErr_NoMemory();
        return false;
    }
    return true;
}

PyObject* read_int(std::string_view bytes, bool little, bool is_signed) {
    return guarded([=] {
        const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
        BigInt value;
        require_bits(uint64_t{8} * bytes.size());
        if (!bytes.empty()) {
            import_bits(value, begin, begin + bytes.size(), 8, !little);
        }
        const bool negative =
            is_signed && !bytes.empty() &&
            (static_cast<unsigned char>(little ? bytes.back() : bytes.front()) & 0x80) != 0;
        if (negative) {
            value -= BigInt(1) << (8 * bytes.size());
        }
        return new_int(std::move(value));
    });
}

PyMethodDef long_methods[] = {
    {"conjugate", exactly, METH_NOARGS, "The number itself."},
    {"bit_length", count_bits, METH_NOARGS, "How many bits its magnitude has."},
    {"bit_count", count_ones, METH_NOARGS, "How many bits of its magnitude are set."},
    {"to_bytes", _PyCFunction_CAST(to_bytes), METH_VARARGS | METH_KEYWORDS,
     "Its bytes, so many, in an order."},
    {"from_bytes", _PyCFunction_CAST(from_bytes), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "The number that bytes are."},
    {"as_integer_ratio", as_integer_ratio, METH_NOARGS, "The number and 1."},
    {"is_integer", is_integer, METH_NOARGS, "True."},
    {"__format__", text::number_format_as, METH_O, "The number as a format specification says."},
    {"__trunc__", exactly, METH_NOARGS, "The number itself."},
    {"__floor__", exactly, METH_NOARGS, "The number itself."},
    {"__ceil__", exactly, METH_NOARGS, "The number itself."},
    {"__round__", _PyCFunction_CAST(round_int), METH_FASTCALL,
     "The nearest multiple of a power of ten, of two the even one."},
    {}};

PyGetSetDef long_getset[] = {{"real", get_itself, nullptr, "the number itself", nullptr},
                             {"imag", get_zero, nullptr, "0", nullptr},
                             {"numerator", get_itself, nullptr, "the number itself", nullptr},
                             {"denominator", get_one, nullptr, "1", nullptr},
                             {}};

}  // namespace ouro::number
