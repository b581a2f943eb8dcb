// Ints as bytes and as digits. Source: "Integer Objects" in the C API documentation.
#include <algorithm>

#include "core/builtins/number/big_int.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using namespace ouro::number;
using object::Own;

namespace {

bool is_little(int flags) {
    return flags == -1 ? PY_LITTLE_ENDIAN != 0
           : (flags & Py_ASNATIVEBYTES_NATIVE_ENDIAN) == Py_ASNATIVEBYTES_NATIVE_ENDIAN
               ? PY_LITTLE_ENDIAN != 0
               : (flags & Py_ASNATIVEBYTES_LITTLE_ENDIAN) != 0;
}

// Byte i, from the least on, of a magnitude.
unsigned char byte_of(const BigInt& x, size_t i) {
    const size_t place = i / sizeof(Limb);
    return place < limb_count(x)
               ? static_cast<unsigned char>(limb(x, place) >> (8 * (i % sizeof(Limb))))
               : 0;
}

// Two's complement: the lowest bytes, the least first.
void write_bytes(const BigInt& x, unsigned char* bytes, size_t size) {
    const bool negative = is_negative(x);
    unsigned carry = 1;
    for (size_t i = 0; i < size; ++i) {
        unsigned byte = byte_of(x, i);
        if (negative) {
            byte = (~byte & 0xFF) + carry;
            carry = byte >> 8;
        }
        bytes[i] = static_cast<unsigned char>(byte);
    }
}

// Bits of two's complement: with one for the sign, if that is wanted.
uint64_t bits_needed(const BigInt& x, bool with_sign) {
    const uint64_t bits = bit_length(x);
    if (!is_negative(x)) {
        return bits + (with_sign ? 1 : 0);
    }
    // -2^n needs no more than what 2^n - 1 does.
    const BigInt before = -x - 1;
    return bit_length(before) + 1;
}

PyObject* from_bytes(const unsigned char* bytes, size_t size, bool little, bool is_signed) {
    return guarded([&] {
        const auto at = [&](size_t i) { return bytes[little ? size - 1 - i : i]; };
        require_bits(uint64_t{size} * 8);
        BigInt value = 0;
        const bool negative = is_signed && size > 0 && (at(0) & 0x80) != 0;
        for (size_t i = 0; i < size; ++i) {
            value <<= 8;
            value += negative ? static_cast<unsigned char>(~at(i)) : at(i);
        }
        return new_int(negative ? BigInt(-value - 1) : value);
    });
}

bool require_int(PyObject* op) {
    if (!PyLong_Check(op)) {
        PyErr_Format(PyExc_TypeError, "expect int, got %T", op);
        return false;
    }
    return true;
}

constexpr int kDigitBits = 30;
constexpr PyLongLayout kLayout = {kDigitBits, sizeof(uint32_t), -1, PY_LITTLE_ENDIAN ? -1 : 1};

}  // namespace

Py_ssize_t PyLong_AsNativeBytes(PyObject* op, void* buffer, Py_ssize_t size, int flags) {
    if (op == nullptr || size < 0) {
        PyErr_BadInternalCall();
        return -1;
    }
    const bool defaults = flags == -1;
    const Own index(PyLong_Check(op) ? Py_NewRef(op)
                    : !defaults && (flags & Py_ASNATIVEBYTES_ALLOW_INDEX) != 0
                        ? index_of(op)
                        : PyErr_Format(PyExc_TypeError, "expect int, got %T", op));
    if (!index) {
        return -1;
    }
    if (!defaults && (flags & Py_ASNATIVEBYTES_REJECT_NEGATIVE) != 0 && sign_of(index.get()) < 0) {
        PyErr_SetString(PyExc_ValueError, "Cannot convert negative int");
        return -1;
    }
    const Wide value(index.get());
    auto* bytes = static_cast<unsigned char*>(buffer);
    write_bytes(*value, bytes, static_cast<size_t>(size));
    if (!is_little(flags)) {
        std::reverse(bytes, bytes + size);
    }
    const bool is_unsigned = !defaults && (flags & Py_ASNATIVEBYTES_UNSIGNED_BUFFER) != 0;
    const uint64_t bits = bits_needed(*value, !is_unsigned);
    return static_cast<Py_ssize_t>(std::max<uint64_t>((bits + 7) / 8, 1));
}

PyObject* PyLong_FromNativeBytes(const void* buffer, size_t size, int flags) {
    const bool is_unsigned = flags != -1 && (flags & Py_ASNATIVEBYTES_UNSIGNED_BUFFER) != 0;
    return from_bytes(static_cast<const unsigned char*>(buffer), size, is_little(flags),
                      !is_unsigned);
}

PyObject* PyLong_FromUnsignedNativeBytes(const void* buffer, size_t size, int flags) {
    return from_bytes(static_cast<const unsigned char*>(buffer), size, is_little(flags), false);
}

PyObject* _PyLong_FromByteArray(const unsigned char* bytes, size_t size, int little_endian,
                                int is_signed) {
    return from_bytes(bytes, size, little_endian != 0, is_signed != 0);
}

int(_PyLong_AsByteArray)(PyLongObject* op, unsigned char* bytes, size_t size, int little_endian,
                         int is_signed) {
    auto* self = reinterpret_cast<PyObject*>(op);
    if (is_signed == 0 && sign_of(self) < 0) {
        PyErr_SetString(PyExc_OverflowError, "can't convert negative int to unsigned");
        return -1;
    }
    const Wide value(self);
    if (bits_needed(*value, is_signed != 0) > uint64_t{size} * 8) {
        PyErr_SetString(PyExc_OverflowError, "int too big to convert");
        return -1;
    }
    write_bytes(*value, bytes, size);
    if (little_endian == 0) {
        std::reverse(bytes, bytes + size);
    }
    return 0;
}

int PyLong_GetSign(PyObject* op, int* sign) {
    if (!require_int(op)) {
        return -1;
    }
    *sign = sign_of(op);
    return 0;
}

int PyLong_IsPositive(PyObject* op) {
    return require_int(op) ? sign_of(op) > 0 : -1;
}

int PyLong_IsNegative(PyObject* op) {
    return require_int(op) ? sign_of(op) < 0 : -1;
}

int PyLong_IsZero(PyObject* op) {
    return require_int(op) ? sign_of(op) == 0 : -1;
}

int _PyLong_Sign(PyObject* op) {
    return sign_of(op);
}

size_t _PyLong_NumBits(PyObject* op) {
    const Wide value(op);
    return bit_length(*value);
}

const PyLongLayout* PyLong_GetNativeLayout(void) {
    return &kLayout;
}

int PyLong_Export(PyObject* op, PyLongExport* exported) {
    if (!require_int(op)) {
        return -1;
    }
    *exported = {};
    if (is_small(op)) {
        exported->value = small_value(op);
        return 0;
    }
    const BigInt& value = as_long(op)->ob_big->value;
    const size_t count = (bit_length(value) + kDigitBits - 1) / kDigitBits;
    auto* digits = static_cast<uint32_t*>(PyMem_Calloc(count, sizeof(uint32_t)));
    if (digits == nullptr) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t bit = 0; bit < count * kDigitBits; ++bit) {
        const unsigned is_set = byte_of(value, bit / 8) >> (bit % 8) & 1U;
        digits[bit / kDigitBits] |= is_set << (bit % kDigitBits);
    }
    exported->negative = is_negative(value);
    exported->ndigits = static_cast<Py_ssize_t>(count);
    exported->digits = digits;
    exported->_reserved = reinterpret_cast<uintptr_t>(digits);
    return 0;
}

void PyLong_FreeExport(PyLongExport* exported) {
    PyMem_Free(reinterpret_cast<void*>(exported->_reserved));  // NOLINT(performance-no-int-to-ptr)
    exported->_reserved = 0;
}

struct PyLongWriter {
    int negative;
    Py_ssize_t count;
    uint32_t digits[1];
};

PyLongWriter* PyLongWriter_Create(int negative, Py_ssize_t ndigits, void** digits) {
    *digits = nullptr;
    if (ndigits <= 0) {
        PyErr_SetString(PyExc_ValueError, "ndigits must be positive");
        return nullptr;
    }
    const size_t bytes = static_cast<size_t>(ndigits) * sizeof(uint32_t);
    auto* writer = bytes / sizeof(uint32_t) == static_cast<size_t>(ndigits)
                       ? static_cast<PyLongWriter*>(PyMem_Malloc(sizeof(PyLongWriter) + bytes))
                       : nullptr;
    if (writer == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    writer->negative = negative;
    writer->count = ndigits;
    *digits = writer->digits;
    return writer;
}

PyObject* PyLongWriter_Finish(PyLongWriter* writer) {
    PyObject* made = guarded([writer] {
        require_bits(static_cast<uint64_t>(writer->count) * kDigitBits);
        BigInt value = 0;
        for (Py_ssize_t i = writer->count - 1; i >= 0; --i) {
            value <<= kDigitBits;
            value += writer->digits[i];
        }
        return new_int(writer->negative != 0 ? BigInt(-value) : value);
    });
    PyLongWriter_Discard(writer);
    return made;
}

void PyLongWriter_Discard(PyLongWriter* writer) {
    PyMem_Free(writer);
}

PyObject* PyLong_FromInt32(int32_t value) {
    return PyLong_FromLong(value);
}
PyObject* PyLong_FromUInt32(uint32_t value) {
    return PyLong_FromUnsignedLong(value);
}
PyObject* PyLong_FromInt64(int64_t value) {
    return PyLong_FromLongLong(value);
}
PyObject* PyLong_FromUInt64(uint64_t value) {
    return PyLong_FromUnsignedLongLong(value);
}

int PyLong_AsInt32(PyObject* op, int32_t* value) {
    const int read = PyLong_AsInt(op);
    if (read == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    *value = read;
    return 0;
}

int PyLong_AsInt64(PyObject* op, int64_t* value) {
    const long long read = PyLong_AsLongLong(op);
    if (read == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    *value = read;
    return 0;
}

int PyLong_AsUInt64(PyObject* op, uint64_t* value) {
    const Own number(PyNumber_Index(op));
    if (!number) {
        return -1;
    }
    const unsigned long long read = PyLong_AsUnsignedLongLong(number.get());
    if (read == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
        return -1;
    }
    *value = read;
    return 0;
}

int PyLong_AsUInt32(PyObject* op, uint32_t* value) {
    uint64_t wide;
    if (PyLong_AsUInt64(op, &wide) < 0) {
        return -1;
    }
    if (wide > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C uint32_t");
        return -1;
    }
    *value = static_cast<uint32_t>(wide);
    return 0;
}
