#include "core/builtins/container/memory_format.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

constexpr std::string_view kLetters = "?cbBhHiIlLqQnNPefd";
constexpr std::array<const char*, kLetters.size()> kPlain = {
    "?", "c", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N", "P", "e", "f", "d"};
constexpr std::array<const char*, kLetters.size()> kMarked = {"@?", "@c", "@b", "@B", "@h", "@H",
                                                              "@i", "@I", "@l", "@L", "@q", "@Q",
                                                              "@n", "@N", "@P", "@e", "@f", "@d"};

const char* unmarked(const char* format) {
    return format[0] == '@' ? format + 1 : format;
}

template <class T>
T read(const void* item) {
    T value;
    std::memcpy(&value, item, sizeof value);
    return value;
}

// The letter of a format of one value, or 0 with NotImplementedError.
char letter_of(const char* format) {
    const char* plain = unmarked(format);
    if (plain[0] == '\0' || plain[1] != '\0') {
        PyErr_Format(PyExc_NotImplementedError, "memoryview: unsupported format %s", format);
        return '\0';
    }
    return plain[0];
}

PyObject* unpack(const void* item, char letter) {
    switch (letter) {
        case '?':
            return PyBool_FromLong(read<unsigned char>(item) != 0);
        case 'c':
            return PyBytes_FromStringAndSize(static_cast<const char*>(item), 1);
        case 'b':
            return PyLong_FromLong(read<signed char>(item));
        case 'B':
            return PyLong_FromLong(read<unsigned char>(item));
        case 'h':
            return PyLong_FromLong(read<short>(item));
        case 'H':
            return PyLong_FromLong(read<unsigned short>(item));
        case 'i':
            return PyLong_FromLong(read<int>(item));
        case 'I':
            return PyLong_FromUnsignedLong(read<unsigned>(item));
        case 'l':
            return PyLong_FromLong(read<long>(item));
        case 'L':
            return PyLong_FromUnsignedLong(read<unsigned long>(item));
        case 'q':
            return PyLong_FromLongLong(read<long long>(item));
        case 'Q':
            return PyLong_FromUnsignedLongLong(read<unsigned long long>(item));
        case 'n':
            return PyLong_FromSsize_t(read<Py_ssize_t>(item));
        case 'N':
            return PyLong_FromSize_t(read<size_t>(item));
        case 'P':
            return PyLong_FromVoidPtr(read<void*>(item));
        case 'e':
            return PyFloat_FromDouble(
                PyFloat_Unpack2(static_cast<const char*>(item), PY_LITTLE_ENDIAN));
        case 'f':
            return PyFloat_FromDouble(static_cast<double>(read<float>(item)));
        case 'd':
            return PyFloat_FromDouble(read<double>(item));
        default:
            return nullptr;
    }
}

// An int of so many bytes.
bool pack_int(void* item, PyObject* value, Py_ssize_t size, bool is_signed) {
    const Own number(PyNumber_Index(value));
    if (!number) {
        return false;
    }
    if (!is_signed) {
        const unsigned long long wide = PyLong_AsUnsignedLongLong(number.get());
        if (wide == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
            return false;
        }
        if (size < 8 && wide >> (8 * size) != 0) {
            PyErr_SetNone(PyExc_OverflowError);
            return false;
        }
        return PyLong_AsNativeBytes(number.get(), item, size, -1) >= 0;
    }
    const long long wide = PyLong_AsLongLong(number.get());
    if (wide == -1 && PyErr_Occurred() != nullptr) {
        return false;
    }
    const long long most = size < 8 ? (1LL << (8 * size - 1)) - 1 : PY_LLONG_MAX;
    if (wide > most || wide < -most - 1) {
        PyErr_SetNone(PyExc_OverflowError);
        return false;
    }
    return PyLong_AsNativeBytes(number.get(), item, size, -1) >= 0;
}

bool pack_float(void* item, PyObject* value, char letter) {
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        return false;
    }
    auto* bytes = static_cast<char*>(item);
    switch (letter) {
        case 'e':
            return PyFloat_Pack2(number, bytes, PY_LITTLE_ENDIAN) == 0;
        case 'f': {
            const auto single = static_cast<float>(number);
            std::memcpy(item, &single, sizeof single);
            return true;
        }
        default:
            std::memcpy(item, &number, sizeof number);
            return true;
    }
}

// False with the exception of the value itself.
bool pack(void* item, PyObject* value, char letter, Py_ssize_t size) {
    switch (letter) {
        case '?': {
            const int truth = PyObject_IsTrue(value);
            *static_cast<char*>(item) = static_cast<char>(truth > 0);
            return truth >= 0;
        }
        case 'c':
            if (!PyBytes_Check(value) || Py_SIZE(value) != 1) {
                PyErr_SetNone(PyBytes_Check(value) ? PyExc_ValueError : PyExc_TypeError);
                return false;
            }
            *static_cast<char*>(item) = PyBytes_AS_STRING(value)[0];
            return true;
        case 'P': {
            const Own number(PyNumber_Index(value));
            void* pointer = number ? PyLong_AsVoidPtr(number.get()) : nullptr;
            std::memcpy(item, static_cast<const void*>(&pointer), sizeof pointer);
            return pointer != nullptr || PyErr_Occurred() == nullptr;
        }
        case 'e':
        case 'f':
        case 'd':
            return pack_float(item, value, letter);
        default:
            return pack_int(item, value, size,
                            std::string_view("bhilqn").find(letter) != std::string_view::npos);
    }
}

// A format of one value in a given order of bytes, as the module struct has it: sizes are the standard ones.
struct Ordered {
    char order;  // 0: not such a format
    char letter;
};
Ordered ordered(const char* format) {
    return std::strchr("<>=!", format[0]) != nullptr && format[0] != '\0' && format[1] != '\0' &&
                   format[2] == '\0'
               ? Ordered{format[0], format[1]}
               : Ordered{'\0', '\0'};
}

// The value of an item of any format of one value; nullptr without an exception if it is another, else with it.
PyObject* value_of(const void* item, const char* format) {
    if (const char letter = container::native_letter(format)) {
        return unpack(item, letter);
    }
    const Ordered form = ordered(format);
    if (form.order == '\0') {
        return nullptr;
    }
    const int little = form.order == '<' || (form.order == '=' && PY_LITTLE_ENDIAN) ? 1 : 0;
    const auto* bytes = static_cast<const char*>(item);
    const auto integer = [&](size_t size, int flags) {
        return PyLong_FromNativeBytes(
            item, size,
            (little ? Py_ASNATIVEBYTES_LITTLE_ENDIAN : Py_ASNATIVEBYTES_BIG_ENDIAN) | flags);
    };
    const auto number = [&](size_t size) { return integer(size, 0); };
    const auto natural = [&](size_t size) {
        return integer(size, Py_ASNATIVEBYTES_UNSIGNED_BUFFER);
    };
    switch (form.letter) {
        case '?':
        case 'c':
        case 'b':
        case 'B':
            return unpack(item, form.letter);
        case 'h':
            return number(2);
        case 'H':
            return natural(2);
        case 'i':
        case 'l':
            return number(4);
        case 'I':
        case 'L':
            return natural(4);
        case 'q':
            return number(8);
        case 'Q':
            return natural(8);
        case 'e':
            return PyFloat_FromDouble(PyFloat_Unpack2(bytes, little));
        case 'f':
            return PyFloat_FromDouble(PyFloat_Unpack4(bytes, little));
        case 'd':
            return PyFloat_FromDouble(PyFloat_Unpack8(bytes, little));
        default:
            return nullptr;
    }
}

// Whether items of a format are the same values exactly if their bytes are the same.
bool is_its_bytes(const char* format) {
    return std::strchr("<>=!", format[0]) != nullptr &&
           std::strspn(format, "<>=!0123456789cbBhHiIlLqQs") == std::strlen(format);
}

}  // namespace

char container::native_letter(const char* format) {
    const char* plain = unmarked(format);
    return plain[0] != '\0' && plain[1] == '\0' && kLetters.find(plain[0]) != std::string_view::npos
               ? plain[0]
               : '\0';
}

const char* container::lasting_format(const char* format, Py_ssize_t* itemsize) {
    const char letter = native_letter(format);
    if (letter == '\0') {
        return nullptr;
    }
    *itemsize = PyBuffer_SizeFromFormat(format);
    return (format[0] == '@' ? kMarked : kPlain)[kLetters.find(letter)];
}

PyObject* container::unpack_item(const void* item, const char* format) {
    const char letter = letter_of(format);
    if (letter == '\0') {
        return nullptr;
    }
    if (native_letter(format) == '\0') {
        return PyErr_Format(PyExc_NotImplementedError, "memoryview: format %s not supported",
                            format);
    }
    return unpack(item, letter);
}

bool container::pack_item(void* item, PyObject* value, const char* format) {
    const char letter = letter_of(format);
    if (letter == '\0') {
        return false;
    }
    if (native_letter(format) == '\0') {
        PyErr_Format(PyExc_NotImplementedError, "memoryview: format %s not supported", format);
        return false;
    }
    if (pack(item, value, letter, PyBuffer_SizeFromFormat(format))) {
        return true;
    }
    if (letter == '?') {
        return false;
    }
    const char* plain = unmarked(format);
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "memoryview: invalid type for format '%s'", plain);
    } else if (PyErr_ExceptionMatches(PyExc_OverflowError) ||
               PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Format(PyExc_ValueError, "memoryview: invalid value for format '%s'", plain);
    }
    return false;
}

int container::same_items(const void* a, const Py_buffer& view_a, const void* b,
                          const Py_buffer& view_b) {
    const Own left(value_of(a, view_a.format));
    const Own right(left ? value_of(b, view_b.format) : nullptr);
    if (left && right) {
        return PyObject_RichCompareBool(left.get(), right.get(), Py_EQ);
    }
    if (PyErr_Occurred() != nullptr) {
        return -1;
    }
    return std::strcmp(view_a.format, view_b.format) == 0 && is_its_bytes(view_a.format) &&
           std::memcmp(a, b, static_cast<size_t>(view_a.itemsize)) == 0;
}
